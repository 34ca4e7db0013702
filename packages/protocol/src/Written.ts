/**
 * JSON values whose text is written once: long results that many calls are
 * answered with, such as lists that seldom change.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "effect/Schema"

const texts = new WeakMap<object, string>()

/**
 * The same value, whose text is from now on what it is at this moment: it must not be changed any more. The text is kept
 * as long as the value. Partial: throws what `JSON.stringify` throws.
 *
 * @category constructors
 * @since 0.1.0
 */
export const keep = <A extends JsonObject>(json: A): A => {
  texts.set(json, JSON.stringify(json))
  return json
}

/** The text that is kept for a value, if there is one. @category accessors @since 0.1.0 */
export const textOf = (json: Json): string | undefined =>
  typeof json === "object" && json !== null ? texts.get(json) : undefined
