/**
 * The attributes of OpenTelemetry's conventions for MCP
 * (https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md), as far as a message shows them.
 */
import * as Tracing from "@parley/middleware/Tracing"
import { ErrorCode } from "@parley/protocol/shared"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { Network } from "../../wire/Network.ts"
import type { Revision } from "../../wire/Revision.ts"
import { isObject, own } from "../Json.ts"

/** @internal */
export type Attributes = Readonly<Record<string, string | number>>

/** The facts about a connection that its messages do not show. @internal */
export interface Place {
  readonly network: Network
  /** Whether durations are recorded. */
  readonly isTimed: boolean
  /** The id of the session, where there is one. */
  readonly session: () => string | undefined
  /** The revision that was agreed on. */
  readonly revision: () => Revision | undefined
}

/** The thing that a message is about. @internal */
export interface Subject {
  readonly attribute: "gen_ai.tool.name" | "gen_ai.prompt.name" | "mcp.resource.uri"
  readonly name: string
}

/** @internal */
export const subjectOf = (method: string, params: Schema.Json | undefined): Subject | undefined => {
  if (!isObject(params)) return undefined
  if (method === "completion/complete") return promptOf(params["ref"])
  const [attribute, member] = subjects.get(method) ?? []
  if (attribute === undefined || member === undefined) return undefined
  const name = own(params, member)
  return typeof name === "string" ? { attribute, name } : undefined
}

const subjects: ReadonlyMap<string, readonly [Subject["attribute"], string]> = new Map([
  ["tools/call", ["gen_ai.tool.name", "name"]],
  ["prompts/get", ["gen_ai.prompt.name", "name"]],
  ["resources/read", ["mcp.resource.uri", "uri"]],
  ["resources/subscribe", ["mcp.resource.uri", "uri"]],
  ["resources/unsubscribe", ["mcp.resource.uri", "uri"]]
])

const promptOf = (ref: Schema.Json | undefined): Subject | undefined =>
  isObject(ref) && ref["type"] === "ref/prompt" && typeof ref["name"] === "string"
    ? { attribute: "gen_ai.prompt.name", name: ref["name"] }
    : undefined

/** @internal */
export const ofSubject = (subject: Subject | undefined): Attributes =>
  subject === undefined ? none : { [subject.attribute]: subject.name }

/** The attributes that every message of a method has, in spans and metrics. @internal */
export const ofMethod = (method: string, network: Network): Attributes => ({
  "mcp.method.name": method,
  ...(method === "tools/call" ? { "gen_ai.operation.name": "execute_tool" } : undefined),
  ...ofNetwork(network)
})

/** The attribute of the revision, if one is agreed on. @internal */
export const ofRevision = (revision: string | undefined): Attributes =>
  revision === undefined ? none : { "mcp.protocol.version": revision }

/** The attributes of whatever goes over a network. @internal */
export const ofNetwork = ({ address, port, protocol, transport }: Network): Attributes => ({
  ...(transport === undefined ? undefined : { "network.transport": transport }),
  ...(protocol === undefined ? undefined : { "network.protocol.name": protocol }),
  ...(address === undefined ? undefined : { "server.address": address }),
  ...(port === undefined ? undefined : { "server.port": port })
})

/**
 * How an operation ended; empty where it succeeded. A server answers a defect with an internal error, and a tool says in
 * its result that it failed.
 *
 * @internal
 */
export const ofEnding = (
  kind: "client" | "server",
  method: string,
  exit: Exit.Exit<unknown, unknown>
): Attributes => {
  if (Exit.isSuccess(exit)) return isToolError(method, exit.value) ? toolError : none
  const { error, outcome, type = "_OTHER" } = Tracing.endingOf(exit)
  const code = kind === "server" && outcome === "defect" ? ErrorCode.InternalError : error?.code
  return code === undefined
    ? { "error.type": type }
    : { "error.type": String(code), "rpc.response.status_code": String(code) }
}

const none: Attributes = {}

const toolError: Attributes = { "error.type": "tool_error" }

/** @internal */
export const isToolError = (method: string, result: unknown): boolean =>
  method === "tools/call" && isObject(result) && result["isError"] === true
