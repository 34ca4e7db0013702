/**
 * Methods of a document as members of a contract, in TypeScript.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Arrays, Objects, Representation } from "effect/SchemaRepresentation"
import * as Source from "../code/source.ts"
import { annotationsOf } from "../description/descriptor.ts"
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import { pointer } from "../schema/places.ts"
import { isObject } from "../schema/subschemas.ts"
import * as Errors from "./errors.ts"
import type { Later, Notice, Pools } from "./pools.ts"

type Method = OpenRpcDocument.Method

/** A member of a contract, and what it does not have of its method. @internal */
export interface Generated {
  readonly name: string
  readonly said: ReadonlyArray<string | undefined>
  readonly code: string
  readonly notices: ReadonlyArray<Notice>
}

/** A member: its name, what is said of it, and its code, `Method.make({ … })`. @internal */
export const generate = (method: Method, path: ReadonlyArray<string>, pools: Pools): Later<Generated> => {
  const params = paramsOf(method, path, pools)
  const errors = Errors.generate(method, path, pools)
  const result = resultOf(method, path, pools)
  const partial = partialOf(method, path, pools)
  return () => {
    const paramsLater = params()
    const errorsLater = errors()
    const resultLater = result()
    const partialLater = partial()
    const examples = examplesOf(method, path, paramsLater.representation, resultLater.representation, pools)
    return () => {
      const [constructor, own] = resultLater.code()
      const members: ReadonlyArray<readonly [string, string]> = [
        ...Source.text("summary", method.summary),
        ...Source.text("description", method.description),
        ...(method.deprecated === true ? [["deprecated", "true"] as const] : []),
        ...(method["x-parley-calls-back"] === true ? [["callsBack", "true"] as const] : []),
        ...paramsLater.code(),
        ...own,
        ...(constructor === "Method.make" ? partialLater() : []),
        ...(constructor === "Notification.make"
          ? []
          : [...errorsLater.code(), ...Source.text("order", method["x-parley-order"])]),
        ...(constructor === "Method.make" ? [...chosen(method), ...examples.code] : [])
      ]
      return {
        name: method.name,
        said: [method.summary, method.description],
        code: `${constructor}(${members.length === 0 ? "" : Source.object(members)})`,
        notices: [...errorsLater.notices, ...examples.notices]
      }
    }
  }
}

type Members = Source.Members

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
        ["params", Source.argument(code().runtime, isTuple ? "Schema.Tuple(" : "Schema.Struct(")],
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

/** One partial result. */
const partialOf = (method: Method, path: ReadonlyArray<string>, pools: Pools): Later<Members> => {
  const schema = method["x-parley-partial"]
  if (schema === undefined) return () => () => []
  const added = pools.schemas.add({ schema, path: [...path, "x-parley-partial"] })
  return () => {
    const code = pools.codes.add(added())
    return () => [["partial", code().runtime]]
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

const examplesOf = (
  method: Method,
  path: ReadonlyArray<string>,
  params: Representation | undefined,
  result: Representation | undefined,
  pools: Pools
): { readonly code: Members; readonly notices: ReadonlyArray<Notice> } => {
  const notices: Array<Notice> = []
  const codes = (method.examples ?? []).flatMap((example, index) => {
    const fit = Result.gen(function*() {
      const input = params === undefined ? undefined : yield* pools.match(params, wireParams(example, method))
      const output = result === undefined ? undefined : yield* pools.match(result, example.result?.value)
      return Source.object([
        ["name", JSON.stringify(example.name)],
        ...Source.text("summary", example.summary),
        ...Source.text("description", example.description),
        ["params", input === undefined ? "undefined" : Source.literal(input)],
        ["result", output === undefined ? "undefined" : Source.literal(output)]
      ])
    })
    if (Result.isSuccess(fit)) return [fit.success]
    notices.push({
      path: pointer([...path, "examples", `${index}`]),
      issue: `the example ${JSON.stringify(example.name)} does not fit the method, and is left out: ${fit.failure}`
    })
    return []
  })
  return { code: codes.length === 0 ? [] : [["examples", `[${codes.join(", ")}]`]], notices }
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
