/**
 * The way from an exchange to what serves it.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call } from "@parley/peer/Handler"
import { ErrorCode } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import { dropped } from "../../extension/dropped.ts"
import { listen, subscribe, unsubscribe } from "../changes/subscriptions.ts"
import * as Sought from "../composition/Sought.ts"
import { kindsOf, type ServerState } from "../definition/ServerState.ts"
import { done, isSuccess } from "../feature/handler.ts"
import { listPrompts, listResources, listTemplates, listTools } from "../lists/visibility.ts"
import type { Exchange } from "./Exchange.ts"
import * as handshake from "./handshake.ts"
import { callExtension, callTool, complete, getPrompt, hearExtension, readResource } from "./invocation.ts"
import { type Answer, LiveCall } from "./LiveCall.ts"

/** Serves a message. The call is that of the exchange, or a copy of it that middleware has made. @internal */
export const serve = (
  exchange: Exchange,
  call: Call
): Effect.Effect<Schema.Json | void, ErrorResponse.ErrorResponse> => {
  if (call.id === undefined) return hear(exchange, call)
  const { codec, connection, envelope } = exchange
  if (envelope !== undefined) {
    return codec === undefined
      ? refused(exchange, envelope, call)
      : route(exchange, codec, call)
  }
  if (call.method === "initialize") return handshake.initialize(connection, call)
  return codec === undefined
    ? beforeHandshake(call, connection.server.extensions.at("legacy", call.method) !== undefined)
    : route(exchange, codec, call)
}

/** The error of a request whose envelope was refused. */
const refused = ({ connection: { server } }: Exchange, envelope: Envelope.Envelope | Envelope.Refused, call: Call) =>
  // The answer to `initialize` names the revisions that this server speaks.
  Exit.fail(
    envelope._tag === "MissingKeys" && call.method === "initialize"
      ? McpError.unsupportedRevision(handshake.requested(call), Revision.ofEra("modern", server.protocolVersions))
      : refusalOf(envelope, server.protocolVersions)
  )

/** Why a message with an envelope cannot be taken. @internal */
export const refusalOf = (
  envelope: Envelope.Envelope | Envelope.Refused,
  revisions: ReadonlyArray<Revision.Revision>
): ErrorResponse.ErrorResponse => {
  switch (envelope._tag) {
    case "MissingKeys":
      return McpError.missingMeta(envelope.keys)
    case "Malformed":
      return McpError.invalidParams(envelope.issue)
    case "Envelope":
    case "UnsupportedRevision":
      return McpError.unsupportedRevision(
        Envelope.requestedVersion(envelope) ?? "",
        Revision.ofEra("modern", revisions)
      )
  }
}

const route = (exchange: Exchange, codec: RevisionCodec.RevisionCodec, call: Call): Answer => {
  const { connection: { server } } = exchange
  const { method } = call
  const route = codec.serverServes(method) && offers(server, method) ? routes.get(method) : undefined
  if (route !== undefined) {
    const live = new LiveCall(exchange, codec, call)
    return server.mounts.isEmpty || Sought.isNothing(method) ? route(live) : whole(live, route)
  }
  const extended = server.extensions.at(codec.era, method)
  return extended === undefined
    ? Exit.fail(ErrorResponse.methodNotFound(method))
    : callExtension(new LiveCall(exchange, codec, call), extended)
}

/** Notifications. Those that cancel, and progress of what we ask, have been taken before. */
const hear = (exchange: Exchange, call: Call): Effect.Effect<void> => {
  const { codec, connection, envelope } = exchange
  const { method } = call
  if (method === "notifications/initialized") {
    if (connection.codec !== undefined && !connection.record.ready) connection.update({ ready: true })
    return Effect.void
  }
  if (method === "notifications/roots/list_changed") {
    connection.rootsChanged()
    return Effect.void
  }
  // Only extensions hear others.
  if (codec === undefined) {
    return dropped(
      method,
      envelope === undefined
        ? "there was no handshake"
        : envelope._tag === "Envelope"
        ? `${envelope.protocolVersion} is not spoken`
        : Cause.fail(envelope)
    )
  }
  const notice = connection.server.extensions.hearing(codec.era, method)
  return notice === undefined
    ? dropped(method, "nobody hears it")
    : hearExtension(new LiveCall(exchange, codec, call), notice)
}

const newest = RevisionCodec.of(Revision.latest)
const newestLegacy = RevisionCodec.of(Revision.latestLegacy)

/** What is asked before the two sides have agreed on a revision. */
const beforeHandshake = (
  { method }: Call,
  isExtended: boolean
): Exit.Exit<Schema.Json, ErrorResponse.ErrorResponse> => {
  if (method === "ping") return done
  if (newestLegacy.serverServes(method) || isExtended) return notInitialized
  return Exit.fail(
    newest.serverServes(method) ? McpError.missingMeta(Envelope.absent.keys) : ErrorResponse.methodNotFound(method)
  )
}

const notInitialized = Exit.fail(
  ErrorResponse.make(ErrorCode.InvalidRequest, "Not initialized: send `initialize` first")
)

/** @internal */
export type Route = (call: LiveCall) => Answer

/** By method. The codec of a revision says which methods it has. @internal */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["tools/call", callTool],
  ["tools/list", listTools],
  ["resources/read", readResource],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/get", getPrompt],
  ["prompts/list", listPrompts],
  ["completion/complete", complete],
  ["subscriptions/listen", listen],
  ["server/discover", handshake.discover],
  ["logging/setLevel", handshake.setLevel],
  ["ping", handshake.ping]
])

/** Serves a call with what is offered for it by the server and by those that are mounted. */
const whole = (call: LiveCall, route: Route): Answer => {
  const { mounts, offer } = call.connection.server
  const found = mounts.offerFor(call, offer, Sought.of(call.method, call.params))
  if (!isSuccess(found)) {
    return Effect.flatMap(found, (offer) => {
      call.offer = offer
      return route(call)
    })
  }
  call.offer = found.value
  return route(call)
}

/** Whether the server has declared what a method belongs to. @internal */
export const offers = (server: ServerState, method: string): boolean => {
  const capabilities = kindsOf(server)
  if (method.startsWith("tools/")) return capabilities.tools !== undefined
  if (method.startsWith("resources/")) return capabilities.resources !== undefined
  if (method.startsWith("prompts/")) return capabilities.prompts !== undefined
  return method !== "completion/complete" || capabilities.completions !== undefined
}
