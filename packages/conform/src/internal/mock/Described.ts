/**
 * Answers calls of the methods that an OpenRPC document describes: with the result of the example that has these params,
 * else of the first example, else with a value that fits. Params that do not fit are refused.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import * as Batch from "@parley/protocol/Batch"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { idSourcesOf } from "../recording/Bindings.ts"
import * as Message from "../recording/Message.ts"
import * as Values from "../values/Values.ts"
import { errorText } from "./refusal.ts"

/** The answer to a text. */
export interface Answer {
  /** Nothing where all of it were notifications. */
  readonly text: string | undefined
  /** The methods that it answers. */
  readonly methods: ReadonlyArray<string>
  /** Whether all of the text was a call that the document describes. */
  readonly isKnown: boolean
}

type Outcome =
  | { readonly result: Schema.Json }
  | { readonly code: number; readonly message: string; readonly data?: Schema.Json }

/** A method that can be called. */
interface Method {
  readonly call: (params: Schema.Json | undefined) => Outcome
}

export class Described {
  readonly #methods: ReadonlyMap<string, Method>

  constructor(document: OpenRpc.Document, seed: number) {
    const served = document.methods.filter((method) => method["x-parley-direction"] !== "server-to-client")
    this.#methods = new Map([
      [OpenRpc.discover, { call: () => ({ result: asJson(document) }) }],
      ...served.map((method) => [method.name, methodOf(document, method, seed)] as const)
    ])
  }

  answer(text: string): Answer {
    const members = Message.membersOf(text)
    if (members.length === 0) {
      return { text: errorText("null", ErrorCode.ParseError, "Parse error"), methods: [], isKnown: false }
    }
    const sources = idSourcesOf(text)
    let at = 0
    let isKnown = true
    const answers = members.flatMap((member) => {
      const source = member.id === undefined ? undefined : sources[at++]
      if (member.kind === "response") return []
      const outcome = this.#outcomeOf(member)
      isKnown &&= "result" in outcome
      return member.kind === "notification" ? [] : [textOf(source ?? "null", outcome)]
    })
    const [first, ...others] = answers
    const isBatch = /^\s*\[/.test(text)
    return {
      text: first === undefined ? undefined : isBatch ? Batch.join([first, ...others]) : first,
      methods: members.flatMap(({ method }) => method === undefined ? [] : [method]),
      isKnown
    }
  }

  #outcomeOf(member: Message.Message): Outcome {
    const { kind, method = "" } = member
    if (kind === "none") return { code: ErrorCode.InvalidRequest, message: "Invalid Request" }
    const known = this.#methods.get(method)
    return known === undefined
      ? { code: ErrorCode.MethodNotFound, message: "Method not found", data: method }
      : known.call(Message.paramsOf(member))
  }
}

const textOf = (id: string, outcome: Outcome): string =>
  "result" in outcome
    ? `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(outcome.result)}}`
    : errorText(id, outcome.code, outcome.message, outcome.data)

// A document has only members of JSON.
const asJson = (document: OpenRpc.Document): Schema.Json => document as unknown as Schema.Json

const methodOf = (document: OpenRpc.Document, method: OpenRpc.Method, seed: number): Method => {
  const shared: Schema.JsonObject = document.components?.schemas === undefined
    ? {}
    : { components: { schemas: document.components.schemas } }
  const check = paramsCheck(method, shared)
  const examples = (method.examples ?? []).flatMap(({ params, result, "x-parley-params": whole }) =>
    result === undefined ? [] : [{
      result: result.value,
      contents: [
        whole,
        params.map(({ value }) => value),
        Object.fromEntries(params.map(({ name, value }) => [name, value]))
      ].map((content) => content === undefined ? undefined : JsonObject.canonical(content))
    }]
  )
  let made: Outcome | undefined
  const generated = (): Outcome => {
    const { result } = method
    if (result === undefined || result["x-parley-void"] === true) return { result: null }
    const schema = JsonObject.isObject(result.schema) ? { ...shared, ...result.schema } : result.schema
    const { edges } = Values.make(schema)
    const value = edges[(seed - 1) % Math.max(1, edges.length)]
    return value === undefined
      ? { code: ErrorCode.InternalError, message: "the mock has found no value that fits the schema of the result" }
      : { result: value }
  }
  return {
    call: (params) => {
      const problem = check(params)
      if (problem !== undefined) return { code: ErrorCode.InvalidParams, message: "Invalid params", data: problem }
      const content = JsonObject.canonical(params ?? [])
      const example = examples.find(({ contents }) => contents.includes(content)) ?? examples[0]
      return example === undefined ? made ??= generated() : { result: example.result }
    }
  }
}

/** Tells why params do not fit. */
const paramsCheck = (
  method: OpenRpc.Method,
  shared: Schema.JsonObject
): (params: Schema.Json | undefined) => string | undefined => {
  const whole = method["x-parley-params"]
  if (whole !== undefined && whole !== "tuple") {
    const check = SchemaCheck.make(JsonObject.isObject(whole) ? { ...shared, ...whole } : whole)
    return (params) => problemOf(check(params ?? null))
  }
  const names = method.params.map(({ name }) => name)
  const check = SchemaCheck.make({
    ...shared,
    type: "object",
    properties: Object.fromEntries(method.params.map(({ name, schema }) => [name, schema])),
    required: method.params.flatMap(({ name, required }) => required === true ? [name] : []),
    additionalProperties: false
  })
  return (params = []) => {
    if (!JsonObject.isArray(params)) {
      if (method.paramStructure === "by-position") return "the params are by position"
      return problemOf(check(params))
    }
    if (method.paramStructure === "by-name" && params.length > 0) return "the params are by name"
    if (params.length > names.length) return `there are ${names.length} params at most`
    return problemOf(check(Object.fromEntries(params.map((value, at) => [names[at] ?? "", value]))))
  }
}

const problemOf = (issue: SchemaCheck.Issue | undefined): string | undefined =>
  issue === undefined || issue.isUndecided === true
    ? undefined
    : `${issue.path.map((key) => `/${key}`).join("")}: ${issue.rule}`
