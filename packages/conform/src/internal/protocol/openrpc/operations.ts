/** The methods of an OpenRPC document as operations, and how a call of one has ended. */
import type * as OpenRpc from "@parley/openrpc/OpenRpc"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Unverified } from "../../../Suite.ts"
import * as Json from "../../probe/Json.ts"
import type { Line } from "../../probe/Line.ts"
import type { Called, Harmless, Operation } from "../Protocol.ts"

/** A call that somebody has given: it may be made. */
export interface Given extends Harmless {
  readonly params?: Schema.JsonObject | Schema.JsonArray | undefined
}

/**
 * The methods of a document that clients call. One that says that it takes its params in either way is there twice: a server
 * may know one way alone.
 */
export const ofDocument = ({ components, methods }: OpenRpc.Document): ReadonlyArray<Operation> =>
  methods.flatMap((method) => {
    if (method["x-parley-direction"] === "server-to-client" || method.result === undefined) return []
    const shared: Schema.JsonObject = components?.schemas === undefined
      ? {}
      : { components: { schemas: components.schemas } }
    const { result: { schema } } = method
    return waysOf(method).map(({ examples, input, paramsOf }): Operation => ({
      name: method.name,
      input: { ...shared, ...input },
      output: JsonObject.isObject(schema) ? { ...shared, ...schema } : schema,
      isReadOnly: isReadOnly(method),
      examples,
      call: (line, input) => call(line, method.name, paramsOf(input))
    }))
  })

/** A method of which nothing is known but that it can be called so. */
export const ofGiven = ({ method, params }: Given): Operation => ({
  name: method,
  input: {},
  output: undefined,
  isReadOnly: true,
  examples: [{}],
  call: (line) => call(line, method, params)
})

/** One way in which a method takes its arguments. */
interface Way {
  /** The schema of an object with the arguments by name. */
  readonly input: Schema.JsonObject
  readonly examples: ReadonlyArray<Schema.JsonObject>
  /** The params of such an object; null where they cannot be written. */
  readonly paramsOf: (input: Schema.JsonObject) => Schema.Json | undefined
}

const waysOf = (method: OpenRpc.Method): ReadonlyArray<Way> => {
  const { paramStructure, "x-parley-params": whole } = method
  if (whole === "tuple") return [byPosition(method)]
  if (whole !== undefined) return [asWhole(method, whole)]
  // Documents that leave it out seldom mean that both ways are there. Arrays are the way that they show.
  return [
    ...paramStructure === "by-name" ? [] : [byPosition(method)],
    ...paramStructure === "by-name" || paramStructure === "either" && method.params.length > 0 ? [byName(method)] : []
  ]
}

const asWhole = ({ examples = [] }: OpenRpc.Method, schema: Schema.Json): Way => ({
  input: { type: "object", properties: { params: schema }, required: ["params"] },
  examples: examples.flatMap((example) => {
    const params = example["x-parley-params"]
    return params === undefined ? [] : [{ params }]
  }),
  // A request without params may mean an empty object or array: what does not fit is not told by that.
  paramsOf: (input) => JsonObject.own(input, "params") ?? null
})

const byName = ({ examples = [], params }: OpenRpc.Method): Way => {
  const required = params.flatMap(({ name, required }) => required === true ? [name] : [])
  return {
    input: {
      type: "object",
      properties: Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 && { required })
    },
    examples: examples.map(({ params }) => Object.fromEntries(params.map(({ name, value }) => [name, value]))),
    paramsOf: (input) => input
  }
}

const byPosition = (method: OpenRpc.Method): Way => {
  const named = byName(method)
  const names = method.params.map(({ name }) => name)
  const before = names.flatMap((name, at) => at === 0 ? [] : [[name, names.slice(0, at)] as const])
  return {
    ...named,
    // An array has no gaps: who gives an argument gives those before it.
    input: { ...named.input, additionalProperties: false, dependencies: Object.fromEntries(before) },
    paramsOf: (input) => positioned(names, input)
  }
}

/** The arguments in their order; null where one has no place, or one before another is missing. */
const positioned = (names: ReadonlyArray<string>, input: Schema.JsonObject): Schema.Json => {
  const keys = Object.keys(input)
  const first = names.slice(0, keys.length)
  return first.length === keys.length && first.every((name) => Object.hasOwn(input, name))
    ? first.map((name) => input[name] ?? null)
    : null
}

const words: ReadonlySet<string> = new Set(["read-only", "readonly", "safe"])

/** OpenRPC has no word for it. Documents say it by a member of their own, or by a tag. */
const isReadOnly = (method: OpenRpc.Method): boolean => {
  const tags = JsonObject.isArray(method.tags) ? method.tags : []
  const names = tags.map((tag) => JsonObject.isObject(tag) ? JsonObject.own(tag, "name") : tag)
  return ["x-read-only", "x-readonly", "x-readOnly", "x-safe"].some((member) => Reflect.get(method, member) === true) ||
    names.some((name) => typeof name === "string" && words.has(name.toLowerCase()))
}

let count = 0

/** Calls a method, and waits for its answer alone: others may come in between. */
export const call = (
  line: Line,
  method: string,
  params: Schema.Json | undefined
): Effect.Effect<Called, Unverified> =>
  Effect.gen(function*() {
    if (params !== undefined && !JsonObject.isObject(params) && !JsonObject.isArray(params)) {
      return yield* new Unverified({ reason: "params are an object or an array" })
    }
    const id = `parley-${++count}`
    yield* line.send(JSON.stringify({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) }))
    const text = yield* line.until((text) =>
      text.includes(id) && Json.isResponse(text) && Json.idOf(text) === `"${id}"`
    )
    if (text === undefined) return yield* new Unverified({ reason: line.ended() ?? "no answer in time" })
    return calledOf(Json.objectOf(text) ?? {})
  })

const calledOf = (response: Schema.JsonObject): Called => {
  const error = JsonObject.own(response, "error")
  if (error === undefined) return { _tag: "Accepted", value: response["result"] ?? null }
  const code = JsonObject.member(error, "code")
  const said = JsonObject.member(error, "message")
  const message = typeof said === "string" ? said : JSON.stringify(error)
  return code === ErrorCode.InvalidParams
    ? { _tag: "Refused", message }
    : { _tag: "Failed", code: typeof code === "number" ? code : undefined, message }
}
