/**
 * JSON that somebody else may have written: of which kind it is, what it holds, and copies with a few members changed.
 */
import { ExactNumber, Relayed } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"

/** @internal */
export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `Array.isArray`, which narrows no readonly array. @internal */
export const isArray = (value: Schema.Json | undefined): value is Schema.JsonArray => Array.isArray(value)

/** A member that the object itself has. @internal */
export const own = <A>(object: { readonly [key: string]: A }, key: string): A | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** The key that a token of a JSON pointer names (RFC 6901, section 4). @internal */
export const keyOf = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~")

/** A part of the path of an issue of Effect, as JSON. @internal */
export const segmentOf = (key: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const name = typeof key === "object" ? key.key : key
  return typeof name === "number" ? name : String(name)
}

/** One text for all JSON that is equal: the members of each object are in one order. @internal */
export const canonical = (json: Schema.Json): string =>
  JSON.stringify(json, (_, value: Schema.Json) => {
    if (!isObject(value)) return value
    return ExactNumber.isExactNumber(value) ? ExactNumber.roundedIfEqual(value) : sorted(value)
  })

/** An object lists names that are whole numbers first, always in the same order, and the others as they were added. */
const sorted = (object: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Leaves members out, and copies nothing where there is nothing to leave out. @internal */
export const omit = <A extends object>(record: A, ...keys: ReadonlyArray<string>): A => {
  if (!keys.some((key) => Object.hasOwn(record, key))) return record
  // Callers name optional members only, so the record keeps its type.
  const copy = Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key))) as A
  return Relayed.carry(copy, record)
}

/** Replaces a member where it is present and its replacement is another value. @internal */
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

/** Maps a list, and copies nothing where every element stays. @internal */
export const mapSame = <A>(list: ReadonlyArray<A>, f: (value: A) => A): ReadonlyArray<A> => {
  const mapped = list.map(f)
  return mapped.some((value, index) => value !== list[index]) ? mapped : list
}
