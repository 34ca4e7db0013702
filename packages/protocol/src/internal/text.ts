/**
 * The JSON text of what a message holds.
 */
import type { Json } from "effect/Schema"
import * as Written from "../Written.ts"

/**
 * Who calls in a loop calls the same method: its text, remembered, is a tenth of what a request costs.
 *
 * @internal
 */
export const methodText = (method: string): string => {
  if (method !== lastMethod) {
    lastMethodText = jsonText(method)
    lastMethod = method
  }
  return lastMethodText
}

let lastMethod = ""
let lastMethodText = `""`

/**
 * Throws what `JSON.stringify` throws, and a `TypeError` for what has no text.
 *
 * @internal
 */
export const jsonText = (value: Json): string => {
  // The library types hide that functions and symbols, which an untyped caller may pass, have no text.
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON text`)
  return text
}

/**
 * What has no text is null. Throws what `JSON.stringify` throws.
 *
 * @internal
 */
export const resultText = (result: Json): string => Written.textOf(result) ?? JSON.stringify(result) ?? "null"
