/**
 * The keywords of JSON Schema that can be read, and how. Documents say draft 7,
 * and many use what came after it, so both are read.
 */
import * as Result from "effect/Result"
import * as Pattern from "./pattern.ts"
import type { Draft07 } from "./subschemas.ts"
import { isObject, without } from "./subschemas.ts"

/** A schema, with what cannot be read apart. @internal */
export interface Plain {
  /** Only keywords that can be read. */
  readonly read: Draft07
  /** The keywords that cannot, and those that they look at. */
  readonly unchecked: Draft07
  readonly taken: ReadonlySet<string>
  /** Schemas within those that may describe members or items of the same value. */
  readonly hidden: ReadonlyArray<Hidden>
  /** Keywords that no draft knows. */
  readonly unknown: ReadonlyArray<string>
  /** Whether members beside the properties have to stay. */
  readonly isOpen: boolean
}

/** @internal */
export interface Hidden {
  readonly schema: unknown
  /** Members that it does not describe. */
  readonly except: ReadonlyArray<string>
}

/** Says about the value as a whole, whatever it is checked for. @internal */
export const isAbout = (keyword: string): boolean => about.has(keyword) || keyword.startsWith("x-")

const about = new Set(["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"])

/** Keywords that Effect reads as annotations where no type stands beside them. */
const formats = new Set(["contentEncoding", "contentMediaType", "format"])

/** Whether a schema accepts every value, and only describes it. @internal */
export const isUnrestricted = (schema: unknown): boolean =>
  isObject(schema) && Object.entries(schema).every(([keyword, value]) =>
    isAbout(keyword) || formats.has(keyword)
    || (keyword === "allOf" && Array.isArray(value) && value.every(isUnrestricted))
  )

/** The place of a schema whose default and examples have to fit it. @internal */
export const at = "x-parley-at"

/** The keywords that are about a value and have values of another type, each with what it should be. @internal */
export const misfits = (schema: Draft07): ReadonlyArray<readonly [keyword: string, expected: string]> =>
  Object.keys(schema).flatMap((keyword) => {
    const type = typeof schema[keyword]
    const isOf = (expected: string): ReadonlyArray<readonly [string, string]> =>
      type === expected ? [] : [[keyword, `a ${expected}`]]
    switch (keyword) {
      case "title":
      case "description":
        return isOf("string")
      case "deprecated":
      case "readOnly":
      case "writeOnly":
        return isOf("boolean")
      case "examples":
        return Array.isArray(schema[keyword]) ? [] : [[keyword, "an array"]]
      default:
        return []
    }
  })

/** Whether a schema has values that have to fit it. @internal */
export const hasValues = (schema: Draft07): boolean =>
  Object.hasOwn(schema, "default") || Object.hasOwn(schema, "examples")

/** Where schemas are kept, and what they are called. References are followed before. */
const structural = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$id",
  "$schema",
  "$vocabulary",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "contentSchema",
  "definitions",
  "example",
  "externalDocs",
  "id"
])

/** Stands on schemas of which nothing is checked: that another one beside them is. @internal */
export const marker = "x-parley-unchecked"

const isSchema = (value: unknown): boolean => typeof value === "boolean" || isObject(value)
const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)
const isSchemas = (value: unknown): boolean => isList(value) && value.length > 0 && value.every(isSchema)
const isNamed = (value: unknown): boolean => isObject(value) && Object.values(value).every(isSchema)
const isText = (value: unknown): value is string => typeof value === "string"
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)
const isCount = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && value >= 0
const isBoolean = (value: unknown): boolean => typeof value === "boolean"
const isAnything = (): boolean => true

const types = new Set(["null", "boolean", "number", "integer", "string", "array", "object"])
const isType = (value: unknown): boolean => isText(value) && types.has(value)

const isPattern = (value: unknown): boolean =>
  // linear: it is only read, and never run
  isText(value) && Result.isSuccess(Result.try(() => new RegExp(value, "u")))

/** What the value of a keyword has to be. */
const readable: Readonly<Record<string, (value: unknown) => boolean>> = {
  $ref: isText,
  additionalItems: isSchema,
  additionalProperties: isSchema,
  allOf: isSchemas,
  anyOf: isSchemas,
  const: isAnything,
  contentEncoding: isText,
  contentMediaType: isText,
  enum: (value) => isList(value) && value.length > 0,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  format: isText,
  items: (value) => isSchema(value) || (isList(value) && value.every(isSchema)),
  maxItems: isCount,
  maxLength: isCount,
  maxProperties: isCount,
  maximum: isNumber,
  minItems: isCount,
  minLength: isCount,
  minProperties: isCount,
  minimum: isNumber,
  multipleOf: (value) => isNumber(value) && value > 0,
  nullable: isBoolean,
  oneOf: isSchemas,
  pattern: isPattern,
  patternProperties: (value) => isNamed(value) && Object.keys(Object(value)).every(isPattern),
  prefixItems: isSchemas,
  properties: isNamed,
  // A name is a text, and a component that holds itself says more than Effect's importer finds an end of.
  propertyNames: (value) => isSchema(value) && !JSON.stringify(value).includes("\"$ref\""),
  required: (value) => isList(value) && value.every(isText),
  type: (value) => isType(value) || (isList(value) && value.length > 0 && value.every(isType)),
  uniqueItems: isBoolean
}

/** What has no equivalent in Effect. */
const unreadable = new Set([
  "$dynamicRef",
  "$recursiveRef",
  "contains",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "maxContains",
  "minContains",
  "not",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** Stands for a schema of which nothing is known, except that it describes members. */
const anything = { properties: { "": {} } }

const isTrivial = (value: unknown): boolean =>
  value === undefined || value === true || (isObject(value) && Object.keys(value).every(isAbout))

/**
 * The keywords of one schema, not of those in it. `isLossless` tells whether the reading of a schema keeps all of a value,
 * `keepsUnknown` whether members that no keyword describes stay. @internal
 */
export const plain = (source: Draft07, isLossless: (schema: unknown) => boolean, keepsUnknown: boolean): Plain => {
  const schema = nullable(modern(source))
  if (schema[marker] === true) return unread(without(schema, [marker]))
  const properties = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []
  const taken = new Set<string>()
  const hidden: Array<Hidden> = []
  const unknown: Array<string> = []
  const take = (keyword: string, ...schemas: ReadonlyArray<unknown>) => {
    if (!Object.hasOwn(schema, keyword)) return
    taken.add(keyword)
    hidden.push(...schemas.map((schema) => ({ schema, except: keyword === "additionalProperties" ? properties : [] })))
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (isAbout(keyword) || structural.has(keyword)) continue
    if (unreadable.has(keyword)) {
      if (!(keyword === "not" && isReadableNot(schema))) take(keyword, ...describing(keyword, value))
    } else if (!Object.hasOwn(readable, keyword)) unknown.push(keyword)
    else if (readable[keyword]?.(value) !== true) take(keyword)
  }
  const has = (keyword: string) => Object.hasOwn(schema, keyword) && !taken.has(keyword)
  const { additionalProperties, const: constant, enum: values, items, patternProperties, prefixItems } = schema
  const counts = has("minProperties") || has("maxProperties") || has("propertyNames")
  if (has("const") && isStructured(constant)) take("const", { additionalProperties: anything, items: anything })
  if (has("enum") && isList(values) && values.some(isStructured)) {
    take("enum", { additionalProperties: anything, items: anything })
  }
  if (has("additionalProperties") && isObject(additionalProperties) && !isTrivial(additionalProperties)) {
    if (properties.length > 0 || has("patternProperties")) take("additionalProperties", { additionalProperties })
  }
  if (has("patternProperties")) {
    const schemas = Object.values(isObject(patternProperties) ? patternProperties : {})
    const isRecord = schemas.length === 1 && properties.length === 0 && !has("required") && !counts
      && ((additionalProperties === undefined && !keepsUnknown) || additionalProperties === false)
    if (!isRecord || hidden.length > 0) {
      take("patternProperties", ...schemas.map((schema) => ({ additionalProperties: schema })))
    }
  }
  // Two items may differ in what the reading of them leaves out.
  if (has("uniqueItems") && schema["uniqueItems"] === true) {
    const within = [items, schema["additionalItems"], ...(isList(prefixItems) ? prefixItems : [])]
    if (!within.every(isLossless)) take("uniqueItems")
  }
  if (has("pattern") && (has("enum") || has("const")) && chosen(schema) === undefined) take("pattern")
  const ignored = [...structural, ...unknown, ...taken]
  const read = without(has("pattern") ? chosen(schema) ?? schema : schema, ignored)
  return {
    read,
    unchecked: keptOf(schema, taken),
    taken,
    hidden,
    unknown,
    isOpen: counts || (has("required") && properties.length === 0)
      || ((Object.hasOwn(schema, "additionalProperties") || (keepsUnknown && isOfObjects(schema)))
        && isTrivial(additionalProperties))
      || taken.has("const") || taken.has("enum") || hidden.length > 0
  }
}

const unread = (schema: Draft07): Plain => {
  const keywords = Object.keys(schema).filter((keyword) => !isAbout(keyword))
  return {
    read: without(schema, keywords),
    unchecked: Object.fromEntries(keywords.map((keyword) => [keyword, schema[keyword]])),
    taken: new Set(keywords),
    hidden: [],
    unknown: [],
    isOpen: false
  }
}

/** The keywords with those that they look at. */
const keptOf = (schema: Draft07, taken: ReadonlySet<string>): Draft07 => {
  const looksAtAll = taken.has("unevaluatedItems") || taken.has("unevaluatedProperties")
  const looksAtNames = taken.has("additionalProperties")
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) =>
      taken.has(keyword) || (looksAtNames && beside.has(keyword)) || (looksAtAll && !isAbout(keyword))
    )
  )
}

const beside = new Set(["patternProperties", "properties"])

/** Whether it says itself that a value is an object, or what members one has. */
const isOfObjects = ({ properties, type }: Draft07): boolean =>
  properties !== undefined || type === "object" || (isList(type) && type.includes("object"))

const isStructured = (value: unknown): boolean => typeof value === "object" && value !== null

/** `false` as a schema, and what is written of `Schema.Struct({})`, which takes all but `null`. */
const isReadableNot = ({ not, type }: Draft07): boolean =>
  isObject(not)
  && (Object.keys(not).length === 0 || (Object.keys(not).length === 1 && not["type"] === "null" && type === undefined))

/** The schemas within a keyword that may describe members or items of the same value. */
const describing = (keyword: string, value: unknown): ReadonlyArray<unknown> => {
  switch (keyword) {
    case "if":
    case "then":
    case "else":
      return [value]
    case "dependencies":
    case "dependentSchemas":
      return isObject(value) ? Object.values(value) : []
    case "unevaluatedProperties":
      return value === false ? [] : [{ additionalProperties: value }]
    case "contains":
    case "unevaluatedItems":
      return value === false ? [] : [{ items: value }]
    case "$dynamicRef":
    case "$recursiveRef":
      return [{ additionalProperties: anything, items: anything }]
    default:
      return []
  }
}

/** Items by their place have one keyword of their own since draft 2019-09. */
const modern = (schema: Draft07): Draft07 => {
  const { additionalItems, items, ...rest } = schema
  if (!isList(items)) {
    // Without a list of items, `additionalItems` says nothing.
    return additionalItems === undefined ? schema : without(schema, ["additionalItems"])
  }
  if (items.length === 0) return { ...rest, ...(additionalItems !== undefined && { items: additionalItems }) }
  return { ...rest, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) }
}

/** `nullable` is of OpenAPI 3.0, and common. */
const nullable = (schema: Draft07): Draft07 => {
  const { nullable, type, ...rest } = schema
  if (nullable !== true) return nullable === false ? { ...without(schema, ["nullable"]) } : schema
  if (type === undefined) return rest
  const types = isList(type) ? type : [type]
  return { ...rest, type: types.includes("null") ? types : [...types, "null"] }
}

/** With the values that match the pattern, which are then all that it says; `undefined` where it cannot be run. */
const chosen = (schema: Draft07): Draft07 | undefined => {
  const { const: constant, enum: values, pattern, ...rest } = schema
  if (!isText(pattern) || (values === undefined && constant === undefined)) return schema
  const all = isList(values) ? values : [constant]
  const fits = all.map((value) => isText(value) ? Pattern.test(pattern, value) : true)
  if (fits.includes(undefined)) return undefined
  const left = all.filter((_, index) => fits[index])
  return {
    ...rest,
    ...(left.length === 0 ? { not: {} } : { enum: left }),
    ...(isList(values) && constant !== undefined && { const: constant })
  }
}
