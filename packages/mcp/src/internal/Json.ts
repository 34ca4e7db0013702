/**
 * JSON that somebody else may have written: of which kind it is, what it holds, and copies with a few members changed.
 */
import { JsonObject, Relayed } from "@parley/protocol/shared"

export const { canonical, isArray, isObject, own } = JsonObject

/** A part of the path of an issue of Effect, as JSON. @internal */
export const segmentOf = (key: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const name = typeof key === "object" ? key.key : key
  return typeof name === "number" ? name : String(name)
}

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
