/**
 * What a reference of a JSON Schema can lead to: a place in the schema itself, or a part of it that has an id or an
 * anchor. Nothing is fetched.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { below, keyOf, keywords, unescaped } from "../Subschemas.ts"
import type { Steps } from "./Steps.ts"

/**
 * A schema with an id of its own, or the whole: what references in it begin at.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resource {
  readonly base: string
  readonly root: Schema.Json
  /** Its parts by their anchors. */
  readonly anchors: Map<string, Schema.Json>
  /** Those that a `$dynamicRef` of another resource may mean. */
  readonly dynamic: Map<string, Schema.Json>
  /** The answer of `validates`, once it was asked for. */
  validates: boolean | undefined
}

/**
 * A schema, and the resource that it is of.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly schema: Schema.Json
  /** The schema with an id of its own that it stands in, or the whole. */
  readonly resource: Resource
}

/** @internal */
export interface Names {
  readonly root: Place
  /** The resource of a schema below one of another resource. */
  readonly resourceOf: (schema: Schema.Json, outer: Resource) => Resource
  /** What a reference in a resource leads to, or `undefined` where that is elsewhere. */
  readonly resolve: (reference: string, from: Resource) => Place | undefined
  /** Whether a dialect is checked: one of the published ones from draft-04 on, or one that the document describes. */
  readonly knows: (dialect: Schema.Json) => boolean
  /** Whether a resource knows the keywords that validate: a dialect that the document describes may leave them out. */
  readonly validates: (resource: Resource) => boolean
}

/** The anchor of a resource that is found by `$recursiveRef` (2019-09). @internal */
export const recursive = ""

/** Looks through a schema once. @internal */
export const make = (schema: Schema.Json, steps: Steps): Names => {
  const byUri = new Map<string, Resource>()
  const inner = new Map<Schema.Json, Resource>()
  const hasOldIds = JsonObject.isObject(schema) &&
    /draft-0[34]/.test(String(JsonObject.own(schema, "$schema")).slice(0, 100))

  const begin = (root: Schema.Json, base: string): Resource => {
    const resource: Resource = { base, root, anchors: new Map(), dynamic: new Map(), validates: undefined }
    if (!byUri.has(base)) byUri.set(base, resource)
    inner.set(root, resource)
    return resource
  }

  const idOf = (schema: Schema.JsonObject): string | undefined => {
    const id = JsonObject.own(schema, "$id") ?? (hasOldIds ? JsonObject.own(schema, "id") : undefined)
    return typeof id === "string" ? id : undefined
  }

  const addressOf = (reference: string, base: string): string => {
    steps.spendFor(reference)
    steps.spendFor(base)
    try {
      return new URL(reference, base).href
    } catch {
      return reference
    }
  }

  const enter = (schema: Schema.JsonObject, outer: Resource): Resource => {
    const id = idOf(schema)
    // Drafts before 2019-09 wrote anchors as ids.
    const isAnchor = id?.startsWith("#") === true
    const resource = id === undefined || isAnchor ? outer : begin(schema, withoutFragment(addressOf(id, outer.base)))
    if (isAnchor) resource.anchors.set(id.slice(1), schema)
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const anchor = JsonObject.own(schema, key)
      if (typeof anchor !== "string") continue
      if (!resource.anchors.has(anchor)) resource.anchors.set(anchor, schema)
      if (key === "$dynamicAnchor" && !resource.dynamic.has(anchor)) resource.dynamic.set(anchor, schema)
    }
    if (JsonObject.own(schema, "$recursiveAnchor") === true) resource.dynamic.set(recursive, resource.root)
    return resource
  }

  const whole = begin(schema, unnamed)
  const waiting: Array<Place> = [{ schema, resource: whole }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!JsonObject.isObject(next.schema)) continue
    const resource = enter(next.schema, next.resource)
    const schemas = below(next.schema)
    steps.spend(1 + Object.keys(next.schema).length + schemas.length)
    for (const schema of schemas) waiting.push({ schema, resource })
  }

  const resourceOf: Names["resourceOf"] = (schema, outer) => inner.get(schema) ?? outer

  const pointed = (pointer: string, resource: Resource): Place | undefined => {
    let place: Place | undefined = { schema: resource.root, resource }
    let kind: "schema" | "schemas" | "unknown" = "schema"
    for (const part of pointer.split("/").slice(1)) {
      const key = keyOf(part)
      const { schema, resource }: Place = place
      const target: Schema.Json | undefined = JsonObject.isObject(schema)
        ? JsonObject.own(schema, key)
        : JsonObject.isArray(schema) && index.test(key)
        ? schema[Number(key)]
        : undefined
      if (target === undefined) return undefined
      kind = kind === "schema" ? kindBelow(key, target) : kind === "schemas" ? "schema" : kind
      place = { schema: target, resource: resourceOf(target, resource) }
    }
    // A value that holds schemas is none itself: the reference has lost the name.
    return kind === "schemas" ? undefined : place
  }

  const dialectOf = (schema: Schema.Json): Schema.Json | undefined =>
    JsonObject.isObject(schema) ? JsonObject.own(schema, "$schema") : undefined

  const knowsValidation = (dialect: Schema.Json): boolean => {
    const described = typeof dialect === "string" ? byUri.get(withoutFragment(dialect))?.root : undefined
    const vocabularies = JsonObject.isObject(described) ? JsonObject.own(described, "$vocabulary") : undefined
    return !JsonObject.isObject(vocabularies) || Object.hasOwn(vocabularies, validation)
  }

  const validates: Names["validates"] = (resource) => {
    if (resource.validates !== undefined) return resource.validates
    const dialect = dialectOf(resource.root) ?? null
    const isOfWhole = dialect === null && resource !== whole
    return resource.validates = isOfWhole ? validates(whole) : knowsValidation(dialect)
  }

  return {
    validates,
    knows: (dialect) => {
      if (typeof dialect !== "string") return false
      const uri = withoutFragment(dialect)
      return byUri.has(uri) || published.test(uri)
    },
    root: { schema, resource: resourceOf(schema, whole) },
    resourceOf,
    resolve: (reference, from) => {
      const uri = addressOf(reference, from.base)
      const base = withoutFragment(uri)
      const resource = base === from.base ? from : byUri.get(base)
      if (resource === undefined) return undefined
      const fragment = unescaped(uri.slice(base.length + 1))
      if (fragment === "" || fragment.startsWith("/")) return pointed(fragment, resource)
      const schema = resource.anchors.get(fragment)
      return schema === undefined ? undefined : { schema, resource: resourceOf(schema, resource) }
    }
  }
}

/** Whether the value of a keyword is a schema, or holds schemas. */
const kindBelow = (keyword: string, value: Schema.Json): "schema" | "schemas" | "unknown" => {
  const kind = keywords.get(keyword)
  return kind === undefined ? "unknown" : kind === "named" || JsonObject.isArray(value) ? "schemas" : "schema"
}

/** The position of an item in a JSON pointer (RFC 6901, section 4). */
const index = /^(?:0|[1-9]\d*)$/

/** The dialects that are read. Drafts were published under `http:`, and are named with `https:`, too. */
const published = /^https?:\/\/json-schema\.org\/(?:draft-0[467]\/|draft\/20(?:19-09|20-12)\/)?schema$/

const validation = "https://json-schema.org/draft/2020-12/vocab/validation"

/** The address of a schema that has no id. */
const unnamed = "schema:///"

const withoutFragment = (uri: string): string => {
  const hash = uri.indexOf("#")
  return hash < 0 ? uri : uri.slice(0, hash)
}
