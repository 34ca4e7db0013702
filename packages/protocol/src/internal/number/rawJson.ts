/**
 * `JSON.rawJSON` of ECMAScript 2026, which the library types of TypeScript do not have yet.
 */

/** A scalar by its source text: `JSON.stringify` writes the text as it is. @internal */
export interface RawJson {
  readonly rawJSON: string
}

/** The global `JSON` with it, where the runtime has it. @internal */
export const json: JSON & {
  readonly rawJSON?: (text: string) => RawJson
  readonly isRawJSON?: (value: unknown) => boolean
} = JSON

/** @internal */
export const isRawJson = (value: unknown): value is RawJson => json.isRawJSON?.(value) === true
