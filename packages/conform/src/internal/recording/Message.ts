/** The messages of a recorded text, read without asking that it is right JSON-RPC. Numbers keep their digits. */
import * as Limits from "@parley/protocol/Limits"
import { ExactNumber, JsonObject, RequestId } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** One member of a text. */
export interface Message {
  readonly kind: "request" | "notification" | "response" | "none"
  /** The key of its id: equal for ids of equal value. */
  readonly id: string | undefined
  readonly method: string | undefined
  /** The whole member. */
  readonly json: Schema.Json
}

/** The members of a text: one, or those of a batch. A text that is no JSON has none. */
export const membersOf = (text: string): ReadonlyArray<Message> => {
  // A text that is nested too deeply for the stack is none that anybody can compare.
  const parsed = Result.try((): Schema.Json => ExactNumber.parseUnsafe(text) as Schema.Json)
  if (Result.isFailure(parsed) || isDeeper(parsed.success, deepest)) return []
  const json = parsed.success
  return JsonObject.isArray(json) ? json.map(messageOf) : [messageOf(json)]
}

/** How deep a text may nest: as deep as a peer reads it. */
const deepest = Limits.defaults.depth

const isDeeper = (json: Schema.Json, left: number): boolean =>
  typeof json === "object" && json !== null
  && (left === 0 || Object.values(json).some((value) => isDeeper(value, left - 1)))

const messageOf = (json: Schema.Json): Message => {
  const method = JsonObject.member(json, "method")
  const id = JsonObject.member(json, "id")
  // JSON-RPC 1.0 has notifications with the id null.
  const key = id === undefined || id === null ? undefined : keyOf(id)
  if (typeof method === "string") return { kind: key === undefined ? "notification" : "request", id: key, method, json }
  const isResponse = JsonObject.isObject(json) && (Object.hasOwn(json, "result") || Object.hasOwn(json, "error"))
  return { kind: isResponse ? "response" : "none", id: key, method: undefined, json }
}

const keyOf = (id: Schema.Json): string => {
  const isId = typeof id === "string" || typeof id === "number" || ExactNumber.isExactNumber(id)
  // Whatever else stands there is compared as JSON.
  return isId ? RequestId.keyOf(id) : JSON.stringify(id)
}

/** The params of a call. */
export const paramsOf = ({ json }: Message): Schema.Json | undefined => JsonObject.member(json, "params")

/** The token by which a call asks for its progress: that of MCP, or that of LSP. */
export const progressTokensOf = (message: Message): ReadonlyArray<string> => {
  const params = paramsOf(message)
  return [
    JsonObject.member(JsonObject.member(params, "_meta"), "progressToken"),
    JsonObject.member(params, "workDoneToken"),
    JsonObject.member(params, "partialResultToken")
  ].flatMap((token) => token === undefined ? [] : [JSON.stringify(token)])
}

/** The token of a notification that tells the progress of a call. */
export const toldTokenOf = (message: Message): string | undefined => {
  if (message.kind !== "notification") return undefined
  const params = paramsOf(message)
  const token = JsonObject.member(params, "progressToken") ?? JsonObject.member(params, "token")
  return token === undefined ? undefined : JSON.stringify(token)
}
