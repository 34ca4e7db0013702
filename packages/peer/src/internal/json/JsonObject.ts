/**
 * Members of JSON objects, in which somebody else may have put anything.
 */
import * as Relayed from "@parley/protocol/text/Relayed"
import type * as Schema from "effect/Schema"

/** @internal */
export const isObject = (json: Schema.Json | undefined): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** A member, where there is an object that has it. @internal */
export const member = (json: Schema.Json | undefined, name: string): Schema.Json | undefined =>
  isObject(json) && Object.hasOwn(json, name) ? json[name] : undefined

/** `json` with more members in the object at a path; `json` as it is where something else stands in the way. @internal */
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
