/**
 * Why no contract can be made of a document.
 *
 * ```ts run
 * import { OpenRpc } from "@parley/openrpc"
 * import { Result } from "effect"
 *
 * const print = ({ message, path, reason }: OpenRpc.OpenRpcError) => console.log(path, reason._tag, message)
 *
 * const document = OpenRpc.decode({ openrpc: "1.3.2", info: { title: "Bank" }, methods: [] })
 * if (Result.isFailure(document)) print(document.failure)
 * // => #/info/version Malformed #/info/version: Missing key
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * The reasons why a document cannot be used:
 *
 * - `Malformed`: the JSON is not an OpenRPC document; `issue` says what the specification asks for.
 * - `UnresolvedReference`: the target of a `$ref` is missing, is outside of the document, or is the `$ref` itself.
 * - `UnsupportedSchema`: a JSON Schema cannot become a Schema; `issue` says why.
 *
 * @category errors
 * @since 0.1.0
 */
export const Reason = Schema.Union([
  Schema.TaggedStruct("Malformed", { issue: Schema.String }),
  Schema.TaggedStruct("UnresolvedReference", { reference: Schema.String }),
  Schema.TaggedStruct("UnsupportedSchema", { issue: Schema.String })
])

/** @category errors @since 0.1.0 */
export type Reason = typeof Reason.Type

/**
 * The document cannot be used.
 *
 * @category errors
 * @since 0.1.0
 */
export class OpenRpcError extends Schema.TaggedError<OpenRpcError>()("OpenRpcError", {
  /** Where in the document, as a JSON Pointer: `#/methods/0/params`. */
  path: Schema.String,
  reason: Reason
}) {
  override get message(): string {
    return `${Excerpt.line(this.path)}: ${Excerpt.line(sentence(this.reason).replaceAll(/\n */g, " "))}`
  }
}

const sentence = (reason: Reason): string =>
  reason._tag === "UnresolvedReference" ? `there is nothing at ${reason.reference}` : reason.issue
