/** Schemas whose references are pointers of one document: what they name by ids and anchors is found once. */
import * as Subschemas from "@parley/json-schema/Subschemas"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"

/**
 * A document without ids and anchors, for a place at `prefix` of another document. References that lead out of it stay
 * what they are.
 */
export const localized = (root: Schema.Json, prefix: string): Schema.Json => {
  const names = namesOf(root)
  const change = (json: Schema.Json, pointer: string, base: string): Schema.Json => {
    if (JsonObject.isArray(json)) return json.map((value, at) => change(value, `${pointer}/${at}`, base))
    if (!JsonObject.isObject(json)) return json
    const inner = isResource(json) ? pointer : base
    return Object.fromEntries(
      Object.entries(json).flatMap(([key, value]) => {
        if ((key === "$id" || key === "$anchor") && typeof value === "string") return []
        if (key === "$ref" && typeof value === "string") {
          const target = targetOf(names, value, inner)
          return [[key, target === undefined ? value : `#${prefix}${target}`]]
        }
        return [[key, change(value, `${pointer}/${Subschemas.tokenOf(key)}`, inner)]]
      })
    )
  }
  return change(root, "", "")
}

const isResource = (schema: Schema.JsonObject): boolean => {
  const id = JsonObject.own(schema, "$id")
  return typeof id === "string" && !id.startsWith("#")
}

const targetOf = (names: ReadonlyMap<string, string>, reference: string, from: string): string | undefined => {
  const [uri = "", fragment = ""] = reference.split("#")
  const base = uri === "" ? from : names.get(uri)
  if (base === undefined) return undefined
  const unescaped = Subschemas.unescaped(fragment)
  return unescaped === "" || unescaped.startsWith("/") ? base + unescaped : names.get(`${base}#${unescaped}`)
}

/** The pointers of resources by their ids, and of anchors by the pointer of their resource and their name. */
const namesOf = (root: Schema.Json): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  const visit = (json: Schema.Json, pointer: string, base: string): void => {
    if (JsonObject.isArray(json)) return json.forEach((value, at) => visit(value, `${pointer}/${at}`, base))
    if (!JsonObject.isObject(json)) return
    const id = JsonObject.own(json, "$id")
    const anchor = JsonObject.own(json, "$anchor")
    const inner = isResource(json) ? pointer : base
    if (typeof id === "string") names.set(id.startsWith("#") ? `${base}${id}` : id.replace(/#$/, ""), pointer)
    if (typeof anchor === "string") names.set(`${inner}#${anchor}`, pointer)
    for (const [key, value] of Object.entries(json)) visit(value, `${pointer}/${Subschemas.tokenOf(key)}`, inner)
  }
  visit(root, "", "")
  return names
}
