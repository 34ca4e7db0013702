/**
 * Methods of a document as members of a contract, in TypeScript.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Arrays, Code, Objects, Representation } from "effect/SchemaRepresentation"
import type * as OpenRpcDocument from "../../OpenRpcDocument.ts"
import { annotationsOf, type JsonSchema } from "../description/descriptor.ts"
import type * as Pool from "../pool.ts"
import { pointer } from "../schema/places.ts"
import { isObject } from "../schema/subschemas.ts"
import * as Source from "./source.ts"

type Method = OpenRpcDocument.Method

/** JSON Schemas become representations, and these code. @internal */
export interface Pools {
  readonly schemas: Pool.Pool<Located, Representation>
  readonly codes: Pool.Pool<Representation, Code>
  /** What a representation is, where it is a reference. */
  readonly resolve: (representation: Representation) => Representation
  /** Whether JSON fits, and what of it a Schema looks at. */
  readonly match: (representation: Representation, json: unknown) => Result.Result<Schema.Json, string>
  /** The name of a class of errors with these fields, whose code is an object literal. */
  readonly errorClass: (tag: string, fields: Objects, code: string) => string
}

/** A JSON Schema, and where it stands. @internal */
export interface Located {
  readonly schema: JsonSchema
  readonly path: ReadonlyArray<string>
}

/** What a reader of the module should know. @internal */
export interface Notice {
  readonly path: string
  readonly issue: string
}

/** Code once representations are known, and then once codes are. @internal */
export type Later<A> = () => () => A

/** A member as `name: Method.make({ … })`, with its comment. @internal */
export const generate = (method: Method, path: ReadonlyArray<string>, pools: Pools): Later<string> => {
  const params = paramsOf(method, path, pools)
  const errors = errorsOf(method, path, pools)
  const result = resultOf(method, path, pools)
  return () => {
    const paramsLater = params()
    const errorsLater = errors()
    const resultLater = result()
    const examples = examplesOf(method, paramsLater.representation, resultLater.representation, pools)
    return () => {
      const [constructor, own] = resultLater.code()
      const members: ReadonlyArray<readonly [string, string]> = [
        ...text("summary", method.summary),
        ...text("description", method.description),
        ...(method.deprecated === true ? [["deprecated", "true"] as const] : []),
        ...paramsLater.code(),
        ...own,
        ...(constructor === "Notification.make" ? [] : [...errorsLater(), ...text("order", method["x-parley-order"])]),
        ...(constructor === "Method.make" ? [...chosen(method), ...examples.code] : [])
      ]
      const code = `${Source.key(method.name)}: ${constructor}(${members.length === 0 ? "" : Source.object(members)})`
      return `${Source.comment([method.summary, method.description, ...examples.problems], "  ")}  ${
        Source.layout(code, "  ")
      }`
    }
  }
}

type Members = ReadonlyArray<readonly [name: string, code: string]>

const text = (name: string, value: string | undefined): Members =>
  value === undefined ? [] : [[name, JSON.stringify(value)]]

const chosen = (method: Method): Members => {
  const deadline = method["x-parley-deadline"]
  return [
    ...(deadline === undefined ? [] : [["deadline", JSON.stringify(deadline)] as const]),
    ...(method["x-parley-idempotent"] === true ? [["idempotent", "true"] as const] : [])
  ]
}

interface Part<A> {
  readonly code: () => A
  /** What examples have to fit. */
  readonly representation: Representation | undefined
}

const paramsOf = (method: Method, path: ReadonlyArray<string>, pools: Pools): () => Part<Members> => {
  const { params, paramStructure } = method
  const structure = paramStructure === undefined ? [] : [["paramStructure", JSON.stringify(paramStructure)] as const]
  const whole = method["x-parley-params"]
  if (whole !== undefined && whole !== "tuple") {
    const added = pools.schemas.add({ schema: whole, path: [...path, "x-parley-params"] })
    return () => {
      const representation = added()
      const code = pools.codes.add(representation)
      const said = structure.length > 0 ? structure : [["paramStructure", `"either"`] as const]
      return { representation, code: () => [["params", code().runtime], ...said] }
    }
  }
  if (params.length === 0 && whole === undefined) {
    return () => ({ representation: undefined, code: () => [] })
  }
  const items = params.map(({ schema }, index) =>
    pools.schemas.add({ schema, path: [...path, "params", `${index}`, "schema"] })
  )
  const isTuple = whole === "tuple" || !keepOrder(params.map(({ name }) => name))
  return () => {
    const types = items.map((item) => item())
    const representation = isTuple ? tuple(params, types) : fields(params, types)
    const code = pools.codes.add(representation)
    return {
      representation,
      // Neither has more than its items.
      code: () => [
        ["params", argument(code(), isTuple ? "Schema.Tuple(" : "Schema.Struct(")],
        // Fields go either way by themselves.
        ...(isTuple || paramStructure === "either" ? [] : structure)
      ]
    }
  }
}

/** Whether an object of these names has them in this order. */
const keepOrder = (names: ReadonlyArray<string>): boolean => {
  const keys = Object.keys(Object.fromEntries(names.map((name) => [name, true])))
  return keys.length === names.length && keys.every((key, index) => key === names[index])
}

/** What is between the brackets of a call. */
const argument = ({ runtime }: Code, call: string): string => runtime.slice(call.length, -1)

const fields = (
  params: ReadonlyArray<OpenRpcDocument.ContentDescriptor>,
  types: ReadonlyArray<Representation>
): Objects => ({
  _tag: "Objects",
  checks: [],
  indexSignatures: [],
  propertySignatures: params.flatMap((descriptor, index) => {
    const type = types[index]
    return type === undefined ? [] : [{
      name: descriptor.name,
      type,
      isOptional: descriptor.required !== true,
      isMutable: false,
      annotations: annotationsOf(descriptor, descriptor.name)
    }]
  })
})

const tuple = (
  params: ReadonlyArray<OpenRpcDocument.ContentDescriptor>,
  types: ReadonlyArray<Representation>
): Arrays => {
  // After one that may be absent, none must be there.
  const required = params.findIndex((descriptor) => descriptor.required !== true)
  return {
    _tag: "Arrays",
    checks: [],
    rest: [],
    elements: params.flatMap((descriptor, index) => {
      const type = types[index]
      if (type === undefined) return []
      const title = isObject(descriptor.schema) ? descriptor.schema["title"] : undefined
      const { title: named, ...annotations } = annotationsOf(descriptor, `p${index}`)
      return [{
        type,
        isOptional: required >= 0 && index >= required,
        annotations: named === undefined || named === title ? annotations : { title: named, ...annotations }
      }]
    })
  }
}

const resultOf = (
  method: Method,
  path: ReadonlyArray<string>,
  pools: Pools
): () => Part<readonly [constructor: string, Members]> => {
  const subscription = method["x-parley-subscription"]
  if (subscription !== undefined) {
    const added = pools.schemas.add({ schema: subscription.item, path: [...path, "x-parley-subscription", "item"] })
    const carrier = carrierOf(subscription.carrier)
    return () => {
      const code = pools.codes.add(added())
      return {
        representation: undefined,
        code: () => ["Subscription.make", [["item", code().runtime], ...carrier]]
      }
    }
  }
  const { result } = method
  if (result === undefined) return () => ({ representation: undefined, code: () => ["Notification.make", []] })
  if (result["x-parley-void"] === true) return () => ({ representation: undefined, code: () => ["Method.make", []] })
  const added = pools.schemas.add({ schema: result.schema, path: [...path, "result", "schema"] })
  const annotations = annotationsOf({ ...result, required: false }, "result")
  const suffix = Object.keys(annotations).length === 0 ? "" : `.annotateKey(${Source.literal(annotations)})`
  return () => {
    const representation = added()
    const code = pools.codes.add(representation)
    return { representation, code: () => ["Method.make", [["result", `${code().runtime}${suffix}`]]] }
  }
}

const carrierOf = (carrier: OpenRpcDocument.Carrier): Members => {
  if (carrier._tag === "PartialResults") return []
  const { _tag, end, error, ...members } = carrier
  const optional = ([["error", error], ["end", end]] as const).map(([name, value]) =>
    [name, value === undefined ? "undefined" : JSON.stringify(value)] as const
  )
  const named = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)] as const)
  return [["carrier", `Subscription.notifications(${Source.object([...named, ...optional])})`]]
}

const errorsOf = (method: Method, path: ReadonlyArray<string>, pools: Pools): Later<Members> => {
  const { errors = [], "x-parley-errors": known = {} } = method
  const staged = errors.flatMap((error, index) => {
    if (!isFirst(errors, index)) return []
    const own = Object.hasOwn(known, `${error.code}`) ? known[`${error.code}`] : undefined
    const added = isSchema(error.data, own !== undefined)
      ? pools.schemas.add({ schema: error.data, path: [...path, "errors", `${index}`, "data"] })
      : undefined
    return [() => {
      const data = added?.()
      const shape = shapeOf(own, data, data === undefined ? undefined : pools.resolve(data))
      const code = pools.codes.add(shape?.fields ?? data ?? noFields)
      return (): readonly [string, string] => {
        const tag = own === undefined ? tagOf(error) : own.tag
        const schema = shape === undefined || tag === undefined
          ? code().runtime
          : pools.errorClass(tag, shape.fields, argument(code(), "Schema.Struct("))
        return [`${error.code}`, specOf(schema, error.message, shape, tag)]
      }
    }]
  })
  return () => {
    const later = staged.map((error) => error())
    return () => later.length === 0 ? [] : [["errors", Source.object(later.map((error) => error()))]]
  }
}

const specOf = (schema: string, message: string, shape: ErrorShape | undefined, tag: string | undefined): string => {
  const travels = [...text("messageField", shape?.messageField), ...text("dataField", shape?.dataField)]
  const isNamed = shape !== undefined && message === tag
  if (travels.length > 0) {
    const named = isNamed ? travels : [...text("message", message), ...travels]
    return `Method.error(${schema}, ${Source.object(named)})`
  }
  return isNamed ? schema : `Method.error(${schema}, ${JSON.stringify(message)})`
}

/** The codes of which errors are left out: of several with one code the first stands. @internal */
export const sharedCodes = ({ errors = [] }: Method, path: ReadonlyArray<string>): ReadonlyArray<Notice> =>
  errors.flatMap(({ code }, index) => {
    const { length } = errors.filter((error) => error.code === code)
    if (length === 1 || !isFirst(errors, index)) return []
    return [{
      path: pointer([...path, "errors"]),
      issue: `of ${length} errors with the code ${code} the first is kept`
    }]
  })

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

const examplesOf = (
  method: Method,
  params: Representation | undefined,
  result: Representation | undefined,
  pools: Pools
): { readonly code: Members; readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const codes = (method.examples ?? []).flatMap((example) => {
    const fit = Result.gen(function*() {
      const input = params === undefined ? undefined : yield* pools.match(params, wireParams(example, method))
      const output = result === undefined ? undefined : yield* pools.match(result, example.result?.value)
      return Source.object([
        ["name", JSON.stringify(example.name)],
        ...text("summary", example.summary),
        ...text("description", example.description),
        ["params", input === undefined ? "undefined" : Source.literal(input)],
        ["result", output === undefined ? "undefined" : Source.literal(output)]
      ])
    })
    if (Result.isSuccess(fit)) return [fit.success]
    problems.push(`The example ${JSON.stringify(example.name)} is left out, for it does not fit: ${fit.failure}`)
    return []
  })
  return { code: codes.length === 0 ? [] : [["examples", `[${codes.join(", ")}]`]], problems }
}

/** By their names where these are the method's, else by position. */
const wireParams = (
  example: OpenRpcDocument.ExamplePairing,
  { "x-parley-params": whole, params }: Method
): Schema.Json => {
  const given = example["x-parley-params"]
  if (given !== undefined) return given
  const values = example.params.map(({ value }) => value)
  if (whole === "tuple" || !keepOrder(params.map(({ name }) => name))) return values
  const names = params.map(({ name }) => name)
  const isNamed = example.params.every(({ name }) => names.includes(name))
  return Object.fromEntries(
    example.params.flatMap(({ name, value }, index) => {
      const to = isNamed ? name : names[index]
      return to === undefined ? [] : [[to, value]]
    })
  )
}
