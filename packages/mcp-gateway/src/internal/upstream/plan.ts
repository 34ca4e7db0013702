/**
 * Which connection to an upstream serves a call.
 */
import type { RequestOptions } from "@parley/mcp/client/RequestOptions"
import type { McpClient } from "@parley/mcp/McpClient"
import type { ClientSession, McpContext } from "@parley/mcp/McpContext"
import type { LogLevel } from "@parley/mcp/payload/LogLevel"
import * as Envelope from "@parley/mcp/wire/Envelope"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { JsonObject } from "@parley/protocol/shared"
import { memoize } from "effect/Function"
import type { Use } from "./Lines.ts"
import * as Reach from "./reach.ts"

/** @internal */
export interface Plan {
  readonly use: Use
  readonly reach: Reach.Reach
  /** The session of ours that the connection is for. */
  readonly session: ClientSession | undefined
  /** The session or connection of ours with which the connection ends. */
  readonly owner: ClientSession | undefined
  /** The level of log messages that the client wants. */
  readonly level: LogLevel | undefined
  /** Whether the upstream can ask and log nothing that belongs to the call. */
  readonly isQuiet: boolean
}

/**
 * Where the server is a process, it may keep state: a session has one connection then, and calls without a session share one
 * as if they were of one caller.
 *
 * A session of an upstream belongs to one caller: the session of ours, the principal, or the connection. Only callers whom
 * nothing tells apart share one, and all without a session where the upstream `isShared`.
 *
 * @internal
 */
export const of = (
  call: McpContext,
  client: McpClient,
  what: "call" | "lists",
  { isProcess, isShared }: { readonly isShared: boolean; readonly isProcess: boolean }
): Plan => {
  const reach = Reach.of(call.client.capabilities)
  const key = Reach.keyOf(reach)
  const isAsking = RevisionCodec.of(client.protocolVersion).features.clientRequests === "requests"
  const { party, session } = call
  if ((isAsking || isProcess) && session !== undefined) {
    const use: Use = { key: session, kind: "session", party }
    return { use, reach, session, owner: session, level: session.logLevel, isQuiet: false }
  }
  if (isProcess) return ofSole(call, client)
  const hasLogs = client.capabilities?.logging !== undefined
  const logs = hasLogs ? wantedOf(call) : undefined
  const owner = isShared ? undefined : ownerOf(call)
  const name = nameOf(owner)
  const lasting = typeof owner === "object" ? owner : undefined
  // Lists come from where calls go: a session of the upstream may have features of its own.
  const isOwn = (isAsking && key !== "") || (what === "call" && logs !== undefined)
  if (isOwn) {
    const use: Use = { key: `call ${JSON.stringify([key, name ?? call.principal ?? null])}`, kind: "exclusive", party }
    return { use, reach, session: undefined, owner: lasting, level: logs, isQuiet: false }
  }
  const isQuiet = key === ""
  // A connection for one caller counts for its party, and one for all for nobody.
  const use: Use = name === undefined
    ? { key: `all ${key}`, kind: "shared", party: undefined }
    : { key: `own ${JSON.stringify([key, name])}`, kind: "shared", party }
  return { use, reach, session: undefined, owner: lasting, level: undefined, isQuiet }
}

/**
 * The same for the only caller, or for all who are taken for one: they share the connection that declares as much as they
 * can be asked.
 *
 * @internal
 */
export const ofSole = (call: McpContext, client: McpClient): Plan => {
  const level = client.capabilities?.logging === undefined ? undefined : wantedOf(call)
  const plan = forSole(Reach.of(call.client.capabilities))
  return { ...plan, level, isQuiet: plan.isQuiet && level === undefined }
}

/** The connection for somebody who can be asked so much. @internal */
export const forSole = (reach: Reach.Reach): Plan => {
  const key = Reach.keyOf(reach)
  const use: Use = { key: `all ${key}`, kind: "shared", party: undefined }
  return { use, reach, session: undefined, owner: undefined, level: undefined, isQuiet: key === "" }
}

/** The owner of a session of the upstream, beside a session of ours; `undefined` for callers that look alike. */
const ownerOf = ({ party, principal, session }: McpContext): string | ClientSession | undefined =>
  principal ?? session ?? (typeof party === "object" ? party : undefined)

/** One text for each owner. */
const nameOf = (owner: string | ClientSession | undefined): string | number | undefined =>
  typeof owner === "object" ? numberOf(owner) : owner

let count = 0

const numberOf = memoize((_: ClientSession) => ++count)

/** Whether lists for a caller may be those of nobody in particular, until there is a connection for the caller. @internal */
export const hasCommonLists = (call: McpContext, { reach, use }: Plan): boolean =>
  Reach.keyOf(reach) === "" && (use.kind === "session" || call.principal === undefined)

/** The level that a client wants to hear of: a session may have said, and a request of the modern era says it itself. */
const wantedOf = ({ logLevel, protocolVersion, session }: McpContext): LogLevel | undefined =>
  session === undefined && RevisionCodec.of(protocolVersion).features.logLevelPer === "request"
    ? logLevel
    : session?.logLevel

/** Whether the request of a call may end with a question before the call does, so that a retry comes back for it. @internal */
export const isRetried = ({ protocolVersion }: McpContext, { reach }: Plan): boolean =>
  Reach.keyOf(reach) !== "" && RevisionCodec.of(protocolVersion).features.clientRequests === "results"

/** The plan for requests that ask nothing: others may use the connection meanwhile. @internal */
export const listening = (plan: Plan): Plan => ({ ...plan, use: { ...plan.use, isListening: true } })

/** The connection that is always there. @internal */
export const base: Plan = {
  use: { key: "all ", kind: "shared", party: undefined },
  reach: Reach.none,
  session: undefined,
  owner: undefined,
  level: undefined,
  isQuiet: true
}

/** The options of a request, whose result goes on as text, beside the connection that it goes by. @internal */
export const optionsOf = ({ meta }: McpContext, deadline: number | undefined): RequestOptions => {
  const rest = JsonObject.omit(
    meta,
    "progressToken",
    Envelope.protocolVersion,
    Envelope.clientInfo,
    Envelope.clientCapabilities,
    Envelope.logLevel
  )
  return {
    keepText: true,
    ...(Object.keys(rest).length > 0 && { meta: rest }),
    ...(deadline !== undefined && { timeout: deadline, maxTimeout: deadline })
  }
}
