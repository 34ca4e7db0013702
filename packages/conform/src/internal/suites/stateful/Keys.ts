/** The members that name a thing, found in the call that created it and in its result. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Operation } from "../../protocol/Protocol.ts"
import { keyOf, said } from "./words.ts"

/** A text or a number that names a thing. */
export type Key = string | number

/** The keys of a thing by the words for them. */
export type Keys = ReadonlyMap<string, Key>

/** A place in a value. */
export type Path = ReadonlyArray<string | number>

const mostDepth = 4

/** The places of keys in a value, the outermost first. */
export const placesOf = (value: Schema.Json): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  const look = (value: Schema.Json, path: Path) => {
    if (path.length > mostDepth) return
    if (JsonObject.isArray(value)) {
      // One thing is enough: others would have the same key.
      const [first] = value
      if (first !== undefined) look(first, [...path, 0])
    } else if (JsonObject.isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (isKey(member) && keyOf(name) !== undefined) found.push([...path, name])
        else look(member, [...path, name])
      }
    }
  }
  look(value, [])
  return found.toSorted((one, other) => one.length - other.length)
}

const isKey = (value: Schema.Json | undefined): value is Key => typeof value === "string" || typeof value === "number"

/** The keys in a value. The outermost of a word counts. A value that is a key alone is an id. */
export const keysOf = (value: Schema.Json): Keys => {
  const keys = new Map<string, Key>()
  if (typeof value === "number" || (typeof value === "string" && /^[\w-]{1,100}$/.test(value))) keys.set("id", value)
  for (const path of placesOf(value)) {
    const word = keyOf(String(path.at(-1)))
    const key = valueAt(value, path)
    if (word !== undefined && isKey(key) && !keys.has(word)) keys.set(word, key)
  }
  return keys
}

const valueAt = (value: Schema.Json, path: Path): Schema.Json | undefined =>
  path.reduce<Schema.Json | undefined>(
    (here, key) =>
      JsonObject.isArray(here)
        ? here[Number(key)]
        : JsonObject.isObject(here)
        ? JsonObject.own(here, String(key))
        : undefined,
    value
  )

/**
 * The arguments with which an operation names a thing; `undefined` where it needs others. `sent` is what created the thing:
 * what both take is the same.
 */
export const argumentsFor = (
  operation: Operation,
  keys: Keys,
  sent: Schema.JsonObject
): Schema.JsonObject | undefined => {
  const properties = JsonObject.own(operation.input, "properties")
  const required = JsonObject.own(operation.input, "required")
  if (!JsonObject.isObject(properties)) return undefined
  const keyed = Object.keys(properties).filter((name) => keyFor(operation, name, keys) !== undefined)
  const needed = JsonObject.isArray(required) ? required.filter((name) => typeof name === "string") : []
  const names = needed.length > 0 ? needed : keyed.slice(0, 1)
  const found = names.flatMap((name) => {
    const key = keyFor(operation, name, keys)
    const isList = JsonObject.member(JsonObject.own(properties, name), "type") === "array"
    const value = key === undefined ? JsonObject.own(sent, name) : isList ? [key] : key
    return value === undefined ? [] : [[name, value] as const]
  })
  return found.length === names.length && found.some(([name]) => keyed.includes(name))
    ? Object.fromEntries(found)
    : undefined
}

/** The key that an argument takes: by its last word, or where the argument is named after the thing alone. */
const keyFor = (operation: Operation, name: string, keys: Keys): Key | undefined => {
  const word = keyOf(name)
  if (word !== undefined) return keys.get(word)
  return said(operation.name)?.noun === name.toLowerCase() ? keys.get("id") ?? keys.get("name") : undefined
}
