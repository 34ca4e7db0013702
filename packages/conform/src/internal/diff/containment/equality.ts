/**
 * Whether two schemas say the same, word for word: annotations and the names of definitions do not count. Schemas that
 * refer to themselves are the same where nothing tells them apart.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { SchemaNode } from "./SchemaNode.ts"

/** Keywords that ask for nothing. */
export const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "example",
  "deprecated",
  "readOnly",
  "writeOnly",
  "format",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "$comment",
  "$schema",
  "$id",
  "id",
  "$anchor",
  "$defs",
  "definitions",
  "markdownDescription",
  "enumNames",
  "enumDescriptions",
  "discriminator"
])

/** Whether a keyword asks for nothing of a value. */
export const isAnnotation = (keyword: string): boolean => annotations.has(keyword) || keyword.startsWith("x-")

/** Compares nodes, and remembers which are the same. */
export class Equality {
  readonly #known = new Map<string, boolean>()
  readonly #signatures = new Map<number, string>()

  areEqual(a: SchemaNode, b: SchemaNode): boolean {
    return a === b || this.#nodes(a, b, new Set())
  }

  #nodes(a: SchemaNode, b: SchemaNode, assumed: Set<string>): boolean {
    const one = followed(a)
    const other = followed(b)
    if (one === other) return true
    const key = `${one.id} ${other.id}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (assumed.has(key)) return true
    if (this.#signature(one) !== this.#signature(other)) {
      this.#known.set(key, false)
      return false
    }
    assumed.add(key)
    const isEqual = this.#values(one, one.schema, other, other.schema, assumed, true)
    // An assumption on the way holds only if all of them do.
    if (!isEqual || assumed.values().next().value === key) this.#known.set(key, isEqual)
    return isEqual
  }

  #values(
    one: SchemaNode,
    a: Schema.Json,
    other: SchemaNode,
    b: Schema.Json,
    assumed: Set<string>,
    isSchema: boolean
  ): boolean {
    if (JsonObject.isArray(a) && JsonObject.isArray(b)) {
      return a.length === b.length && a.every((value, at) => {
        const counterpart = b[at]
        return counterpart !== undefined && this.#values(one, value, other, counterpart, assumed, true)
      })
    }
    if (!JsonObject.isObject(a) || !JsonObject.isObject(b)) return a === b
    const keys = isSchema ? told(a) : Object.keys(a)
    if (keys.length !== (isSchema ? told(b) : Object.keys(b)).length) return false
    return keys.every((key) => {
      const value = a[key]
      const counterpart = JsonObject.own(b, key)
      if (value === undefined || counterpart === undefined) return false
      if (isSchema && key === "$ref" && typeof value === "string" && typeof counterpart === "string") {
        const target = one.document.resolve(value)
        const another = other.document.resolve(counterpart)
        return target !== undefined && another !== undefined && this.#nodes(target, another, assumed)
      }
      if (isSchema && data.has(key)) return JsonObject.canonical(value) === JsonObject.canonical(counterpart)
      return this.#values(one, value, other, counterpart, assumed, !(isSchema && named.has(key)))
    })
  }

  /** A text that two nodes have in common if they are the same. */
  #signature(node: SchemaNode): string {
    const known = this.#signatures.get(node.id)
    if (known !== undefined) return known
    const text = JsonObject.isObject(node.schema) ? told(node.schema).toSorted().join(" ") : String(node.schema)
    this.#signatures.set(node.id, text)
    return text
  }
}

const told = (schema: Schema.JsonObject): ReadonlyArray<string> =>
  Object.keys(schema).filter((keyword) => !isAnnotation(keyword))

/** Keywords whose values are data. */
const data: ReadonlySet<string> = new Set(["enum", "const", "required", "type", "dependentRequired"])

/** Keywords whose values are schemas by name: names that look like annotations are none there. */
const named: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies"
])

/** A node, or what it refers to where it says nothing else. */
export const followed = (node: SchemaNode): SchemaNode => {
  let at = node
  for (let left = 64; left > 0; left--) {
    const { schema } = at
    if (!JsonObject.isObject(schema)) return at
    const reference = JsonObject.own(schema, "$ref")
    if (typeof reference !== "string" || told(schema).length > 1) return at
    const target = at.document.resolve(reference)
    if (target === undefined) return at
    at = target
  }
  return at
}
