/**
 * Which connection to an upstream serves a call.
 */
import type { McpClient } from "../../McpClient.ts"
import type { ClientSession, McpContext } from "../../McpContext.ts"
import type { LogLevel } from "../../payload/LogLevel.ts"
import * as Envelope from "../../wire/Envelope.ts"
import * as RevisionCodec from "../../wire/RevisionCodec.ts"
import { omit } from "../Json.ts"
import type { Use } from "./Lines.ts"
import * as Reach from "./reach.ts"

/** @internal */
export interface Plan {
  readonly use: Use
  readonly reach: Reach.Reach
  readonly session: ClientSession | undefined
  /** The level of log messages that the client wants. */
  readonly level: LogLevel | undefined
  /** Whether the upstream can ask and say nothing that belongs to the call. */
  readonly isQuiet: boolean
}

/** A session of a legacy server belongs to one of ours. Calls without a session share, unless they may be asked. @internal */
export const of = (call: McpContext, client: McpClient, what: "call" | "lists"): Plan => {
  const reach = Reach.of(call.client.capabilities)
  const key = Reach.keyOf(reach)
  const isAsking = RevisionCodec.of(client.revision).features.clientRequests === "requests"
  const { session } = call
  if (isAsking && session !== undefined) {
    return { use: { key: session, kind: "session" }, reach, session, level: session.logLevel, isQuiet: false }
  }
  const hasLogs = client.capabilities?.logging !== undefined
  const logs = hasLogs ? wantedOf(call) : undefined
  // Lists come from where calls go: a session of the upstream may have features of its own.
  const isOwn = (isAsking && key !== "") || (what === "call" && logs !== undefined)
  if (isOwn) {
    const use: Use = { key: `call ${JSON.stringify([key, call.principal ?? null])}`, kind: "exclusive" }
    return { use, reach, session: undefined, level: logs, isQuiet: false }
  }
  const isQuiet = key === "" && !Object.hasOwn(call.meta, "progressToken")
  return { use: { key: `all ${key}`, kind: "shared" }, reach, session: undefined, level: undefined, isQuiet }
}

/** The level that a client wants to hear of: a session may have said, and a request of the modern era says it itself. */
const wantedOf = ({ logLevel, revision, session }: McpContext): LogLevel | undefined =>
  session === undefined && RevisionCodec.of(revision).features.logLevelPer === "request" ? logLevel : session?.logLevel

/** The same for requests that ask nothing: others may use the connection meanwhile. @internal */
export const listening = (plan: Plan): Plan => ({ ...plan, use: { ...plan.use, isListening: true } })

/** The connection that is always there. @internal */
export const base: Plan = {
  use: { key: "all ", kind: "shared" },
  reach: Reach.none,
  session: undefined,
  level: undefined,
  isQuiet: true
}

/** The options of a request, beside the connection that it goes by. @internal */
export const optionsOf = ({ meta }: McpContext) => {
  const rest = omit(
    meta,
    "progressToken",
    Envelope.protocolVersion,
    Envelope.clientInfo,
    Envelope.clientCapabilities,
    Envelope.logLevel
  )
  return Object.keys(rest).length === 0 ? {} : { meta: rest }
}
