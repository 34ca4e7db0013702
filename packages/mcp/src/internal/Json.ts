/**
 * JSON that somebody else may have written: of which kind it is, what it holds, and copies with a few members changed.
 */
import { JsonObject } from "@parley/protocol/shared"

export const { canonical, change, isArray, isObject, omit, own } = JsonObject

/** A part of the path of an issue of Effect, as JSON. @internal */
export const segmentOf = (key: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const name = typeof key === "object" ? key.key : key
  return typeof name === "number" ? name : String(name)
}

/** Maps a list, and copies nothing where every element stays. @internal */
export const mapSame = <A>(list: ReadonlyArray<A>, f: (value: A) => A): ReadonlyArray<A> => {
  const mapped = list.map(f)
  return mapped.some((value, index) => value !== list[index]) ? mapped : list
}
