/** The tools of a server as operations, and how a call of one has ended. */
import { HttpFetcher } from "@parley/http/shared/client"
import * as HeaderValue from "@parley/mcp/http/HeaderValue"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Unverified } from "../../../Suite.ts"
import type { Called, Operation } from "../Protocol.ts"
import * as Conversation from "./Conversation.ts"
import type { Reply, RequestOptions, Wire } from "./Wire.ts"

/** A tool that can be called, as its server lists it. */
export interface Tool {
  readonly name: string
  readonly input: Schema.JsonObject
  readonly output: Schema.Json | undefined
  readonly isReadOnly: boolean
}

/** The tools among the entries of a list: those that have a name and a schema, and are called by requests alone. */
export const toolsOf = (entries: ReadonlyArray<Schema.JsonObject>): ReadonlyArray<Tool> =>
  entries.flatMap((entry) => {
    const { inputSchema, name, outputSchema } = entry
    const support = JsonObject.member(entry["execution"], "taskSupport")
    if (typeof name !== "string" || !JsonObject.isObject(inputSchema) || support === "required") return []
    return [{
      name,
      input: inputSchema,
      output: outputSchema,
      isReadOnly: JsonObject.member(entry["annotations"], "readOnlyHint") === true
    }]
  })

/** Calls a tool. Arguments that its schema marks travel in headers, too, where the revision has those. */
export const call = (
  { request }: Pick<Wire, "request">,
  { input, name }: Pick<Tool, "input" | "name">,
  args: Schema.JsonObject,
  options: RequestOptions = {}
): Effect.Effect<Reply> =>
  request("tools/call", { name, arguments: args }, {
    ...options,
    headers: {
      ...HttpFetcher.lowerCased(
        HeaderValue.valuesOf(Result.getOrElse(HeaderValue.headersOf(input), () => []), args)
      ),
      ...options.headers
    }
  })

/** What the answer to a call says. */
export const calledOf = ({ outcome }: Reply): Called | undefined => {
  if (outcome._tag === "Error") {
    const { code, message } = outcome
    return code === ErrorCode.InvalidParams ? { _tag: "Refused", message } : { _tag: "Failed", code, message }
  }
  if (outcome._tag !== "Result") return undefined
  const { result } = outcome
  return JsonObject.member(result, "isError") === true
    ? { _tag: "Refused", message: textOf(result) }
    : { _tag: "Accepted", value: JsonObject.member(result, "structuredContent") }
}

/** The texts that a tool gives to people and models. */
const textOf = (result: Schema.Json): string => {
  const content = JsonObject.member(result, "content")
  return (JsonObject.isArray(content) ? content : [])
    .map((block) => JsonObject.member(block, "text"))
    .filter((text) => typeof text === "string")
    .join("\n")
}

/** The operation of a tool. `wireOf` finds the wire that a line belongs to. */
export const operationOf = (tool: Tool, wireOf: (line: object) => Wire | undefined): Operation => ({
  name: tool.name,
  input: tool.input,
  output: tool.output,
  isReadOnly: tool.isReadOnly,
  examples: [],
  call: (line, input) =>
    Effect.gen(function*() {
      const wire = wireOf(line)
      if (wire === undefined) return yield* new Unverified({ reason: "the line was not opened for MCP" })
      const reply = yield* call(wire, tool, input)
      return calledOf(reply) ?? (yield* new Unverified({ reason: Conversation.describe(reply.outcome) }))
    })
})
