/**
 * What a `$ref` of a JSON Schema can lead to: a place in the schema itself, or a
 * part of it with an anchor or an id. Nothing is fetched.
 */
import type * as Schema from "effect/Schema"
import { isArray, isObject, keyOf, own } from "../Json.ts"

/** What a schema has, by the texts that refer to it. */
export interface Names {
  /** The schema that a reference leads to, or `undefined` where that is elsewhere. */
  readonly resolve: (ref: string) => Schema.Json | undefined
  /** Whether a part of it says something of what no other part has looked at. */
  readonly hasUnevaluated: boolean
}

/** How many subschemas are looked through for names. */
const mostNames = 10_000

/** Looks through a schema once. */
export const make = (root: Schema.Json): Names => {
  const names = new Map<string, Schema.Json>()
  let hasUnevaluated = false
  const waiting: Array<Schema.Json> = [root]
  for (let left = mostNames;; left--) {
    const next = waiting.pop()
    if (next === undefined) break
    // It may be in what is left.
    if (left === 0) {
      hasUnevaluated = true
      break
    }
    if (isArray(next)) waiting.push(...next.slice(0, mostNames))
    if (!isObject(next)) continue
    for (const [key, prefix] of naming) {
      const name = own(next, key)
      if (typeof name === "string") names.set(prefix + name, next)
    }
    hasUnevaluated ||= Object.hasOwn(next, "unevaluatedProperties") || Object.hasOwn(next, "unevaluatedItems")
    for (const [key, child] of Object.entries(next)) if (key !== "const" && key !== "enum") waiting.push(child)
  }
  return { hasUnevaluated, resolve: (ref) => ref.startsWith("#/") || ref === "#" ? pointed(root, ref) : names.get(ref) }
}

const naming = [["$anchor", "#"], ["$dynamicAnchor", "#"], ["$id", ""], ["id", ""]] as const

/** What a JSON pointer leads to. */
const pointed = (root: Schema.Json, ref: string): Schema.Json | undefined => {
  let target: Schema.Json | undefined = root
  for (const part of ref.split("/").slice(1)) {
    const key = unescaped(part)
    target = isObject(target) ? own(target, key) : isArray(target) ? target[Number(key)] : undefined
  }
  return target
}

const unescaped = (part: string): string => {
  try {
    return keyOf(decodeURIComponent(part))
  } catch {
    return part
  }
}
