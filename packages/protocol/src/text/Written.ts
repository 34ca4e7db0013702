/**
 * JSON values whose text is written once, for long results that answer many calls, such as the lists of an MCP server.
 *
 * ```ts run
 * import { Written } from "@parley/protocol"
 *
 * const tools = Written.keep({ tools: [{ name: "add" }] })
 *
 * console.log(Written.textOf(tools)) // => {"tools":[{"name":"add"}]}
 * console.log(Written.textOf({ tools: [] })) // => undefined
 * ```
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "effect/Schema"

const texts = new WeakMap<object, string>()

/**
 * Writes the text of a value now and keeps it as long as the value. The value must not be changed afterwards. Partial:
 * throws what `JSON.stringify` throws.
 *
 * @category constructors
 * @since 0.1.0
 */
export const keep = <A extends JsonObject>(json: A): A => {
  texts.set(json, JSON.stringify(json))
  return json
}

/** The kept text of a value, or `undefined`. @category accessors @since 0.1.0 */
export const textOf = (json: Json): string | undefined =>
  typeof json === "object" && json !== null ? texts.get(json) : undefined
