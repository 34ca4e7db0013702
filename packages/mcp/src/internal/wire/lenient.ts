/**
 * Reading what somebody else has written with nulls in the place of members that are absent.
 */
import { Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type { Decoder } from "../../wire/WireIssue.ts"
import { isObject, omit } from "../Json.ts"

/** How many nulls of one value may be taken for absent members: each costs another look at the value. */
const mostNulls = 16

/** A decoder that takes a member for absent that is null and must not be. It costs nothing where the value fits. */
export const withoutNulls = <A>(decode: Decoder<A>): Decoder<A> => (json) => {
  let value = json
  for (let left = mostNulls;; left--) {
    const result = decode(value)
    if (Result.isSuccess(result) || left === 0) return result
    const mended = withoutNull(value, result.failure.issues[0]?.path ?? [])
    if (mended === value) return result
    value = mended
  }
}

/** A copy without the member at a path, if that is null; otherwise the value itself. */
const withoutNull = (json: unknown, [key, ...rest]: ReadonlyArray<string | number>): unknown => {
  if (key === undefined) return json
  if (Array.isArray(json)) {
    const index = Number(key)
    const mended = withoutNull(json[index], rest)
    return mended === json[index] ? json : Relayed.carry(json.with(index, mended), json)
  }
  const name = String(key)
  if (!isObject(json) || !Object.hasOwn(json, name)) return json
  if (rest.length === 0) return json[name] === null ? omit(json, name) : json
  const mended = withoutNull(json[name], rest)
  return mended === json[name] ? json : Relayed.carry({ ...json, [name]: mended }, json)
}
