/**
 * Errors of a method as code, and their classes: one for all methods that may fail with it.
 */
import type * as Schema from "effect/Schema"
import type { Objects, Representation } from "effect/SchemaRepresentation"
import type * as Names from "../code/names.ts"
import * as Source from "../code/source.ts"
import type { JsonSchema } from "../description/descriptor.ts"
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import { pointer } from "../schema/places.ts"
import { isObject } from "../schema/subschemas.ts"
import type { Notice, Pools } from "./pools.ts"

type Method = OpenRpcDocument.Method

/** The option `errors`, once codes are known, and what it does not have. @internal */
export interface Generated {
  readonly code: () => Source.Members
  readonly notices: ReadonlyArray<Notice>
}

/** The errors of a method, and what the contract does not have of them. @internal */
export const generate = (method: Method, path: ReadonlyArray<string>, pools: Pools): () => Generated => {
  const { errors = [], "x-parley-errors": known = {} } = method
  const staged = errors.flatMap((error, index) => {
    if (!isFirst(errors, index)) return []
    const own = Object.hasOwn(known, `${error.code}`) ? known[`${error.code}`] : undefined
    const place = [...path, "errors", `${index}`, "data"]
    const added = isSchema(error.data, own !== undefined)
      ? pools.schemas.add({ schema: error.data, path: place })
      : undefined
    return [() => {
      const data = added?.()
      const shape = shapeOf(own, data, data === undefined ? undefined : pools.resolve(data))
      const code = pools.codes.add(shape?.fields ?? data ?? noFields)
      const issue = added === undefined && error.data !== undefined
        ? `the data of the error ${error.code} is a value and no JSON Schema, and is left out`
        : shape === undefined
        ? lossOf(error, own)
        : undefined
      const notices = [
        ...sharedCode(errors, index, path),
        ...(issue === undefined ? [] : [{ path: pointer(place), issue }])
      ]
      const member = (): readonly [string, string] => {
        const tag = own === undefined ? tagOf(error) : own.tag
        const schema = shape === undefined || tag === undefined
          ? code().runtime
          : pools.errorClass(tag, shape.fields, Source.argument(code().runtime, "Schema.Struct("))
        return [`${error.code}`, specOf(schema, error.message, shape, tag)]
      }
      return { member, notices }
    }]
  })
  return () => {
    const later = staged.map((error) => error())
    return {
      code: () => later.length === 0 ? [] : [["errors", Source.object(later.map(({ member }) => member()))]],
      notices: later.flatMap(({ notices }) => notices)
    }
  }
}

/** An error whose data is no object is its data alone: this says which of its parts have no place then. */
const lossOf = (
  { code }: OpenRpcDocument.ErrorObject,
  { dataField, messageField, tag }: OpenRpcDocument.NamedError = {}
): string | undefined => {
  const lost = [
    ...(tag === undefined ? [] : [`the tag ${JSON.stringify(tag)}`]),
    ...[messageField, dataField].flatMap((name) => name === undefined ? [] : [`the field ${JSON.stringify(name)}`])
  ]
  return lost.length === 0
    ? undefined
    : `the error ${code} is only its data, which has no place for ${lost.join(" and ")}`
}

const specOf = (schema: string, message: string, shape: ErrorShape | undefined, tag: string | undefined): string => {
  const travels = [...Source.text("messageField", shape?.messageField), ...Source.text("dataField", shape?.dataField)]
  const isNamed = shape !== undefined && message === tag
  if (travels.length > 0) {
    const named = isNamed ? travels : [...Source.text("message", message), ...travels]
    return `Method.error(${schema}, ${Source.object(named)})`
  }
  return isNamed ? schema : `Method.error(${schema}, ${JSON.stringify(message)})`
}

/** Of several errors with one code the first stands. */
const sharedCode = (
  errors: ReadonlyArray<OpenRpcDocument.ErrorObject>,
  index: number,
  path: ReadonlyArray<string>
): ReadonlyArray<Notice> => {
  const code = errors[index]?.code
  const { length } = errors.filter((error) => error.code === code)
  if (length === 1) return []
  return [{ path: pointer([...path, "errors"]), issue: `of ${length} errors with the code ${code} the first is kept` }]
}

const isFirst = (errors: ReadonlyArray<OpenRpcDocument.ErrorObject>, index: number): boolean =>
  errors.findIndex(({ code }) => code === errors[index]?.code) === index

const noFields: Objects = { _tag: "Objects", checks: [], indexSignatures: [], propertySignatures: [] }

/** The fields of an error, and those of them that are its message and its data on the wire. */
interface ErrorShape {
  readonly fields: Objects
  readonly messageField?: string | undefined
  readonly dataField?: string | undefined
}

/** `undefined` where an error of ours is its data. Data of others that has no place for a tag is a field. */
const shapeOf = (
  own: OpenRpcDocument.NamedError | undefined,
  data: Representation | undefined,
  resolved: Representation | undefined
): ErrorShape | undefined => {
  const { dataField, messageField } = own ?? {}
  const message = messageField === undefined ? [] : [field(messageField, { _tag: "String", checks: [] })]
  const isPlain = own !== undefined && own.tag === undefined && messageField === undefined
  const fields = dataField !== undefined || isPlain ? undefined : fieldsOf(resolved)
  if (fields !== undefined) {
    return { messageField, fields: { ...fields, propertySignatures: [...message, ...fields.propertySignatures] } }
  }
  const name = own === undefined ? "data" : dataField
  if (name === undefined || data === undefined) return undefined
  return { messageField, dataField: name, fields: { ...noFields, propertySignatures: [...message, field(name, data)] } }
}

const field = (name: string, type: Representation): Objects["propertySignatures"][number] => ({
  ...{ name, type },
  isOptional: false,
  isMutable: false
})

/** The fields of a tagged error; `undefined` where data has no place for a tag. */
const fieldsOf = (data: Representation | undefined): Objects | undefined => {
  if (data === undefined) return noFields
  if (data._tag !== "Objects" || data.checks.length > 0 || data.indexSignatures.length > 0) return undefined
  const { propertySignatures } = data
  return propertySignatures.some(({ name }) => name === "_tag") ? undefined : { ...noFields, propertySignatures }
}

/** Whether the data of an error is a JSON Schema, as it is in most documents. */
const isSchema = (data: Schema.Json | undefined, isOwn: boolean): data is JsonSchema & Schema.Json =>
  isObject(data) && (isOwn || keywords.some((keyword) => Object.hasOwn(data, keyword)))

const keywords = ["$ref", "allOf", "anyOf", "const", "enum", "not", "oneOf", "type"]

/** `execution reverted` is `ExecutionReverted`. */
const tagOf = ({ code, message }: OpenRpcDocument.ErrorObject): string => {
  const words = message.match(/[A-Za-z0-9]+/g) ?? []
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")
  return /^[A-Z]/.test(name) && words.length <= 6 ? name : `Error${Math.abs(code)}`
}

/** @internal */
export interface Classes {
  readonly take: (tag: string, fields: Objects, code: string) => string
  readonly declarations: () => string
}

/** @internal */
export const makeClasses = (names: Names.Names): Classes => {
  const known = new Map<string, { readonly name: string; readonly declaration: string }>()
  return {
    take: (tag, fields, code) => {
      const key = JSON.stringify([tag, code])
      const found = known.get(key)
      if (found !== undefined) return found.name
      const name = names.take(tag)
      known.set(key, { name, declaration: declare(name, tag, fields, code) })
      return name
    },
    declarations: () => [...known.values()].map(({ declaration }) => declaration).join("\n")
  }
}

const declare = (name: string, tag: string, { propertySignatures }: Objects, code: string): string => {
  if (propertySignatures.some(({ name }) => inherited.has(String(name)))) {
    const start = `export const ${name} = `
    const struct = Source.layout(`Schema.TaggedStruct(${JSON.stringify(tag)}, ${code})`, "", start.length)
    return `${start}${struct}\nexport type ${name} = typeof ${name}.Type\n`
  }
  const start = `export class ${name} extends `
  const call = `Schema.TaggedError<${name}>()(${JSON.stringify(tag)}, ${code})`
  return `${start}${Source.layout(call, "", start.length)} {}\n`
}

/** What an error has already, of types that a field might not have. */
const inherited = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  "asEffect",
  "cause",
  "message",
  "name",
  "pipe",
  "stack",
  "toJSON"
])
