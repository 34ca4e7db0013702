/**
 * Params as Content Descriptors. Fields and tuples are these by nature; any other
 * Schema stands as a whole beside what can be told of its names.
 */
import type { Params } from "@parley/contract/shared"
import * as Schema from "effect/Schema"
import type { Element, Objects, PropertySignature } from "effect/SchemaRepresentation"
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import { isObject } from "../schema/subschemas.ts"
import { includeAnnotationKey } from "../schema/writer.ts"
import { type Annotations, descriptor, type JsonSchema } from "./descriptor.ts"
import type { Pools } from "./pools.ts"

/** @internal */
export type Described = Pick<OpenRpcDocument.Method, "params" | "paramStructure" | "x-parley-params">
type Structure = Params.ParamStructure

interface Declared {
  readonly params: Params.Params
  readonly paramStructure: Structure | undefined
}

/** @internal */
export const describe = ({ params, paramStructure }: Declared, pools: Pools): () => () => Described => {
  if (params === undefined) return () => () => ({ params: [] })
  const shape = shapeOf(params)
  const added = pools.schemas.add(shape.schema)
  return () => {
    const representation = added()
    if (shape._tag === "Tuple" && representation._tag === "Arrays") {
      const { elements } = representation
      const items = stage(elements, (schemas) => namesOf(elements, schemas), pools)
      return () => ({ params: items(), paramStructure: "by-position", "x-parley-params": "tuple" })
    }
    if (representation._tag === "Objects" && isPlain(representation)) {
      const { propertySignatures } = representation
      const items = stage(propertySignatures, () => propertySignatures.map(({ name }) => String(name)), pools)
      // A method without params has none, however they would go. Others say it: what is not said is guessed by readers.
      return propertySignatures.length === 0
        ? () => ({ params: [] })
        : () => ({ params: items(), paramStructure: paramStructure ?? (shape.hasFields ? "either" : "by-name") })
    }
    const json = pools.representations.add(representation)
    return () => {
      const schema = json()
      const { items, structure } = guessed(pools.resolveJson(schema))
      return {
        params: items,
        ...structured(paramStructure ?? (shape.hasFields ? "either" : structure)),
        "x-parley-params": schema
      }
    }
  }
}

const structured = (paramStructure: Structure): { readonly paramStructure?: Structure } =>
  paramStructure === "either" ? {} : { paramStructure }

interface Shape {
  readonly _tag: "Tuple" | "Schema"
  readonly schema: Params.Codec
  readonly hasFields: boolean
}

const shapeOf = (params: Exclude<Params.Params, undefined>): Shape => {
  if (Array.isArray(params)) {
    // `isArray` forgets what is in a readonly one.
    return { _tag: "Tuple", schema: Schema.Tuple(params as ReadonlyArray<Params.Codec>), hasFields: false }
  }
  if (Schema.isSchema(params)) {
    // A Schema of the declared type.
    const schema = params as Params.Codec & { readonly fields?: unknown }
    return { _tag: "Schema", schema, hasFields: schema.fields !== undefined }
  }
  // No array and no Schema, by the lines above.
  return { _tag: "Schema", schema: Schema.Struct(params as Params.Fields), hasFields: true }
}

/** Nothing but fields: what fields in an object would be. */
const isPlain = ({ annotations, checks, indexSignatures }: Objects): boolean =>
  checks.length === 0 && indexSignatures.length === 0
  && !Object.keys(annotations ?? {}).some((key) => visible.has(key) || includeAnnotationKey(key))

const visible = new Set(["title", "description", "default", "examples", "format", "readOnly", "writeOnly"])

const stage = (
  items: ReadonlyArray<Element | PropertySignature>,
  namesOf: (schemas: ReadonlyArray<JsonSchema>) => ReadonlyArray<string>,
  pools: Pools
): () => ReadonlyArray<OpenRpcDocument.ContentDescriptor> => {
  const later = items.map(({ type }) => pools.representations.add(type))
  return () => {
    const schemas = later.map((schema) => schema())
    const names = namesOf(schemas)
    return items.map(({ annotations, isOptional }, index) =>
      descriptor(names[index] ?? "", schemas[index] ?? true, annotations, !isOptional)
    )
  }
}

/** What an item of a tuple, or a result, is called. @internal */
export const titleOf = (annotations: Annotations): string | undefined => {
  const title = annotations?.["title"]
  return typeof title === "string" && title !== "" ? title : undefined
}

/** Titles of the keys or of what they hold, where no other item has the same name. */
const namesOf = (elements: ReadonlyArray<Element>, schemas: ReadonlyArray<JsonSchema>): ReadonlyArray<string> => {
  const titles = elements.map(({ annotations }, index) => {
    const schema = schemas[index]
    return titleOf(annotations) ?? (isObject(schema) ? titleOf(schema) : undefined)
  })
  return titles.map((title, index) =>
    title === undefined || titles.some((other, at) => at !== index && (title === other || title === `p${at}`))
      ? `p${index}`
      : title
  )
}

/** The names that a JSON Schema tells, and how it can stand on the wire. */
const guessed = (schema: JsonSchema): {
  readonly items: ReadonlyArray<OpenRpcDocument.ContentDescriptor>
  readonly structure: Structure
} => {
  if (!isObject(schema)) return { items: [], structure: "either" }
  const { items, minItems, properties, required, type } = schema
  const requiredNames = new Set(Array.isArray(required) ? required : [])
  const inner = (name: string, schema: unknown, required: boolean) =>
    // Schemas in a schema are schemas.
    descriptor(name, schema as JsonSchema, {}, required)
  switch (type) {
    case "object":
      return {
        items: Object.entries(isObject(properties) ? properties : {}).map(([name, property]) =>
          inner(name, property, requiredNames.has(name))
        ),
        structure: "by-name"
      }
    case "array":
      return {
        items: (Array.isArray(items) ? items : []).map((item, index) =>
          inner(`p${index}`, item, index < Number(minItems))
        ),
        structure: "by-position"
      }
    default:
      return { items: [], structure: "either" }
  }
}

/** The params of an example as they stand on the wire. What does not fit throws. @internal */
export const encoder = (params: Params.Params): (value: unknown) => Schema.Json => {
  if (params === undefined) return () => []
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(shapeOf(params).schema))
  // `toCodecJson` gives JSON.
  return (value) => encode(value) as Schema.Json
}

/** The same by the names that a document gives them. @internal */
export const named = (
  json: Schema.Json,
  described: Described
): Pick<OpenRpcDocument.ExamplePairing, "params" | "x-parley-params"> => {
  const names = described.params.map(({ name }) => name)
  const whole = described["x-parley-params"]
  return {
    params: Array.isArray(json)
      ? json.map((value: Schema.Json, index) => ({ name: names[index] ?? `p${index}`, value }))
      : isObject(json)
      // Members of JSON are JSON.
      ? names.filter((name) => Object.hasOwn(json, name)).map((name) => ({ name, value: json[name] as Schema.Json }))
      : [],
    ...(whole !== undefined && whole !== "tuple" && { "x-parley-params": json })
  }
}
