/**
 * What JSON Schema can say and Effect cannot check. It is kept as an annotation,
 * so that a document loses nothing; the value is not checked for it.
 */
import * as JsonPointer from "effect/JsonPointer"
import * as JsonSchema from "effect/JsonSchema"
import type { Draft07 } from "./subschemas.ts"
import { isObject, map, mapValues, toDraft07, without } from "./subschemas.ts"

const prefix = "x-parley-unchecked-"

/** An annotation: the keywords, and the components that only they refer to. */
interface Kept {
  readonly schema: Draft07
  readonly components?: { readonly [name: string]: Draft07 }
}

/** The keywords where they stood, or beside what is checked. @internal */
export const restore = (schema: Draft07, components: { [name: string]: Draft07 }): Draft07 => {
  const keys = Object.keys(schema).filter((key) => key.startsWith(prefix))
  if (keys.length === 0) return schema
  const kept = keys.flatMap((key) => {
    const value = schema[key]
    return isKept(value) ? [value] : []
  })
  for (const { components: referred = {} } of kept) {
    for (const [name, component] of Object.entries(referred)) components[name] = component
  }
  const checked = without(schema, keys)
  const [first, ...others] = kept
  if (first !== undefined && others.length === 0 && Object.keys(checked).length === 0) return first.schema
  const all = Array.isArray(checked["allOf"]) ? checked["allOf"] : []
  return { ...checked, allOf: [...all, ...kept.map(({ schema }) => schema)] }
}

const isKept = (value: unknown): value is Kept => isObject(value) && isObject(value["schema"])

/** Of draft 2020-12, as the importer takes it. @internal */
export type Document = JsonSchema.MultiDocument<"draft-2020-12">

/**
 * The same document without the keyword that the importer's message names. `undefined` if the message names none.
 *
 * @internal
 */
export const keep = (document: Document, message: string, number: number): Document | undefined => {
  const [root, key, ...path] = pathOf(message)
  // Where a reference leads is not a matter of checking.
  if (key === undefined || path.at(-1) === "$ref") return undefined
  const { definitions } = document
  const [first, ...others] = document.schemas
  const at = (schema: Draft07) =>
    inSchema(schema, path, (found, keyword) => annotated(found, keyword, definitions, number))
  const picked = (schema: Draft07, name: string) => name === key ? at(schema) : schema
  return loosened(
    root === "definitions"
      ? { ...document, definitions: mapValues(definitions, picked) }
      : { ...document, schemas: [picked(first, "0"), ...others.map((schema, index) => picked(schema, `${index + 1}`))] }
  )
}

/** Of the form `… at ["definitions"]["Filter"]["oneOf"][0]["not"]`. */
const pathOf = (message: string): ReadonlyArray<string> => {
  // linear: keys are written as JSON there, so that only the path itself begins with a line end
  const at = /\n {2}at ((?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])+)$/.exec(message)?.[1] ?? ""
  // linear: the whole of it has just matched, so its strings end
  return Array.from(at.matchAll(/\[("(?:[^"\\]|\\.)*"|\d+)\]/g), ([, token = "0"]) => String(JSON.parse(token)))
}

const descended = new Set(["additionalProperties", "items", "propertyNames"])
const descendedByKey = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "properties"])

type Change = (schema: Draft07, keyword: string | undefined) => Draft07

/** Changes the innermost schema on a path. What is left of the path begins with a keyword, or the whole is meant. */
const inSchema = (schema: Draft07, path: ReadonlyArray<string>, change: Change): Draft07 => {
  const [keyword, key, ...rest] = path
  if (keyword === undefined || !Object.hasOwn(schema, keyword)) return change(schema, undefined)
  const value = schema[keyword]
  if (descended.has(keyword) && isObject(value)) {
    return { ...schema, [keyword]: inSchema(value, path.slice(1), change) }
  }
  if (descendedByKey.has(keyword) && key !== undefined) {
    const inner = (value: unknown, name: string) =>
      name === key && isObject(value) ? inSchema(value, rest, change) : value
    if (Array.isArray(value)) return { ...schema, [keyword]: value.map((item, index) => inner(item, `${index}`)) }
    if (isObject(value)) return { ...schema, [keyword]: mapValues(value, inner) }
  }
  return change(schema, keyword)
}

const annotated = (
  schema: Draft07,
  keyword: string | undefined,
  definitions: JsonSchema.Definitions,
  number: number
): Draft07 => {
  const keywords = keyword === undefined ? Object.keys(schema) : keyword === "if" ? ["if", "then", "else"] : [keyword]
  const checked = without(schema, keywords)
  const taken = without(schema, Object.keys(checked))
  const write = writer(definitions)
  const components = mapValues(referred(taken, definitions), write)
  const kept: Kept = { schema: write(taken), ...(Object.keys(components).length > 0 && { components }) }
  return { ...checked, [`${prefix}${number}`]: kept }
}

/** As it stands in an OpenRPC document. */
const writer = (definitions: JsonSchema.Definitions) => (schema: Draft07): Draft07 => {
  const names = mapValues(definitions, () => ({}))
  const document: Document = { dialect: "draft-2020-12", schemas: [schema], definitions: names }
  return toDraft07(JsonSchema.toMultiDocumentOpenApi3_1(document).schemas[0])
}

/** The definitions that a schema refers to, and those that they do. */
const referred = (schema: Draft07, definitions: JsonSchema.Definitions): JsonSchema.Definitions => {
  const found: JsonSchema.Definitions = {}
  const visit = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined
      if (definition === undefined || Object.hasOwn(found, name)) continue
      found[name] = definition
      visit(definition)
    }
  }
  visit(schema)
  return found
}

const referencesIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isObject(value)) return []
  const name = typeof value["$ref"] === "string" ? nameOf(value["$ref"]) : undefined
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(referencesIn)]
}

const nameOf = (reference: string): string | undefined => {
  const pointer = reference.startsWith("#") ? JsonPointer.parseUriFragment(reference) : undefined
  return pointer?.[0] === "$defs" ? pointer[1] : undefined
}

/**
 * `oneOf` accepts a value that fits exactly one branch. A branch without some of its checks accepts more values, so
 * `oneOf` with such a branch is checked as `anyOf`.
 */
const loosened = (document: Document): Document => {
  const loose = new Set<string>()
  const isLoose = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.some(isLoose)
      : isObject(value) && (
        Object.keys(value).some((key) => key.startsWith(prefix)) || Object.values(value).some(isLoose)
        || (typeof value["$ref"] === "string" && loose.has(nameOf(value["$ref"]) ?? ""))
      )
  const definitions = Object.entries(document.definitions)
  for (let size = -1; size !== loose.size;) {
    size = loose.size
    for (const [name, definition] of definitions) if (isLoose(definition)) loose.add(name)
  }
  const loosen = (schema: Draft07) => map(schema, (inner) => isLoose(inner["oneOf"]) ? anyOfOneOf(inner) : inner)
  const [first, ...others] = document.schemas
  return {
    ...document,
    schemas: [loosen(first), ...others.map(loosen)],
    definitions: mapValues(document.definitions, loosen)
  }
}

const anyOfOneOf = (schema: Draft07): Draft07 => {
  const { allOf, oneOf, ...rest } = schema
  return Object.hasOwn(rest, "anyOf")
    ? { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] }
    : { ...rest, ...(allOf === undefined ? {} : { allOf }), anyOf: oneOf }
}
