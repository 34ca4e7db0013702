/**
 * Members of JSON objects, in which somebody else may have put anything.
 *
 * A dialect names places in params and messages by the path to them: for tokens of progress, and for the context of a
 * trace. Reading such a place finds nothing where something else stands in the way, and writing it changes nothing there.
 *
 * ```ts run
 * import { JsonObject } from "@parley/protocol/shared"
 *
 * console.log(JsonObject.member({ token: 1 }, "token")) // => 1
 * console.log(JsonObject.member(["token"], "length")) // => undefined
 * console.log(JsonObject.insert({ a: 1 }, ["_meta"], { token: 2 })) // => { a: 1, _meta: { token: 2 } }
 * ```
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import * as ExactNumber from "./ExactNumber.ts"
import * as Relayed from "./Relayed.ts"

/**
 * Whether JSON is an object: no array, and not null.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isObject = (json: unknown): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/**
 * `Array.isArray`, which narrows no readonly array.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isArray = (json: Schema.Json | undefined): json is Schema.JsonArray => Array.isArray(json)

/**
 * A member that the object itself has.
 *
 * @category accessors
 * @since 0.1.0
 */
export const own = <A>(object: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/**
 * One text for all JSON that is equal: the members of each object are in one order.
 *
 * @category combinators
 * @since 0.1.0
 */
export const canonical = (json: Schema.Json): string =>
  JSON.stringify(json, (_, value: Schema.Json) => {
    if (!isObject(value)) return value
    return ExactNumber.isExactNumber(value) ? ExactNumber.roundedIfEqual(value) : sorted(value)
  })

/** An object lists names that are whole numbers first, always in the same order, and the others as they were added. */
const sorted = (object: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/**
 * A member, where there is an object that has it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const member = (json: Schema.Json | undefined, name: string): Schema.Json | undefined =>
  isObject(json) ? own(json, name) : undefined

/**
 * A copy with more members in the object at a path, which is made where nothing stands. Where something else stands in
 * the way, nothing is added. Numbers keep their digits, as with `Relayed.carry`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const insert = (
  json: Schema.JsonObject,
  [name, ...rest]: ReadonlyArray<string>,
  members: Schema.JsonObject
): Schema.JsonObject => {
  if (name === undefined) return Relayed.carry({ ...json, ...members }, json)
  const inner = member(json, name)
  return inner === undefined || isObject(inner)
    ? Relayed.carry({ ...json, [name]: insert(inner ?? {}, rest, members) }, json)
    : json
}

/**
 * A copy without some members; the record itself where it has none of them.
 *
 * @category combinators
 * @since 0.1.0
 */
export const omit = <A extends object>(record: A, ...keys: ReadonlyArray<string>): A => {
  if (!keys.some((key) => Object.hasOwn(record, key))) return record
  // Callers name optional members only, so the record keeps its type.
  const copy = Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key))) as A
  return Relayed.carry(copy, record)
}

/**
 * A copy with another value of a member; the record itself where the member is absent or stays the same.
 *
 * @category combinators
 * @since 0.1.0
 */
export const change = <A extends object, K extends keyof A>(
  record: A,
  key: K,
  f: (value: NonNullable<A[K]>) => A[K]
): A => {
  const value = record[key]
  if (value === undefined || value === null) return record
  const replaced = f(value)
  return replaced === value ? record : Relayed.carry({ ...record, [key]: replaced }, record)
}
