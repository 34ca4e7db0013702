/**
 * The modern era over HTTP: every POST stands alone, its headers say what its
 * body says, and a client that goes away has cancelled.
 */
import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Message from "@parley/protocol/Message"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as HeaderValue from "../../../http/HeaderValue.ts"
import type { McpServer } from "../../../McpServer.ts"
import type { Connection } from "../../../server/Connection.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as Network from "../../../wire/Network.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as Expiry from "../Expiry.ts"
import { headersOf } from "../headers.ts"
import type { Requester } from "../quota/Requester.ts"
import * as incoming from "./incoming.ts"
import * as LateStream from "./LateStream.ts"
import type { Posted } from "./Posted.ts"
import * as replies from "./replies.ts"

/** @internal */
export interface Modern extends LateStream.Shared {
  readonly server: McpServer
  /** Those whose clients listen to changes now. */
  readonly listening: Listeners
  /** The sender of the request. */
  readonly requester: Requester
}

/** Whether a request is a stream to its client rather than a call. @internal */
export const isListening = ({ method }: Message.Request | Message.Notification): boolean =>
  method === "subscriptions/listen"

/** Answers one request. @internal */
export const answer = (
  modern: Modern,
  head: RequestRules.Head,
  principal: string | undefined,
  request: Message.Request,
  posted: Posted,
  responder: Responder
): Effect.Effect<Reply | RequestRules.Refusal> => {
  const listens = isListening(request)
  const accept = listens ? incoming.acceptedByListen(head) : incoming.acceptedByPost(head)
  if (accept === "nothing") return Effect.succeed(replies.notAcceptable)
  const mismatch = mismatchOf(modern.server, head, request)
  if (mismatch !== undefined) {
    return Effect.succeed(replies.refused(400, McpError.headerMismatch(mismatch), request.id))
  }
  const { listening, requester, server } = modern
  const connect = () => connected(server, head, principal, requester.party)
  const whole = (reply: Option.Option<string>) => replies.whole(reply, accept, statusOf(reply, request))
  const answered = (connection: Connection) => LateStream.answer(modern, connection, posted, responder, accept, whole)
  if (!listens) return answered(connect())
  const stay = Effect.suspend((): Effect.Effect<Reply | RequestRules.Refusal> => {
    // A client that listens does so for as long as it likes.
    const refusal = listening.refusalOf(posted.weight) ?? responder.toStream()
    if (refusal !== undefined) return Effect.succeed(refusal)
    const connection = connect()
    return Expiry.during(
      listening.during(connection, posted.weight, answered(connection)),
      (end) => modern.keepAlive.fork(end),
      connection.close
    )
  })
  return requester.during("streams", request.id, stay)
}

const connected = (
  server: McpServer,
  head: RequestRules.Head,
  principal: string | undefined,
  party?: string
): Connection =>
  server.connect({
    era: "modern",
    network: Network.http,
    origin: () => ({ principal, party, header: (name) => head.header(name) })
  })

/**
 * Takes one notification. The specification says of no headers that it must have; those that it has cannot say else than
 * its body.
 *
 * @internal
 */
export const hear = (
  shared: LateStream.Shared & Pick<Modern, "server">,
  head: RequestRules.Head,
  principal: string | undefined,
  { method, params }: Message.Notification,
  posted: Posted,
  responder: Responder
): Effect.Effect<Reply | RequestRules.Refusal> => {
  const { server } = shared
  const refusal = contradicts(head, "MCP-Protocol-Version", revisionOf(params)) ??
    contradicts(head, "Mcp-Method", method) ??
    unreadable(server, Envelope.requireEnvelope(params))
  if (refusal !== undefined) return Effect.succeed(replies.refused(400, refusal))
  const connection = connected(server, head, principal)
  // Nothing can be sent before an empty answer.
  return LateStream.answer(shared, connection, posted, responder, "json", () => replies.accepted)
}

const contradicts = (head: RequestRules.Head, name: string, value: string | undefined): ErrorResponse | undefined => {
  const mismatch = head.header(name.toLowerCase()) === undefined ? undefined : differs(head, name, value)
  return mismatch === undefined ? undefined : McpError.headerMismatch(mismatch)
}

/** Why nobody can tell whom a notification comes from, if so. */
const unreadable = (
  { revisions }: McpServer,
  envelope: Envelope.Envelope | Envelope.Refused
): ErrorResponse | undefined => {
  switch (envelope._tag) {
    case "Envelope":
      return revisions.includes(envelope.revision) ? undefined : unsupported(envelope.revision, revisions)
    case "MissingKeys":
      return McpError.missingMeta(envelope.keys)
    case "Malformed":
      return McpError.invalidParams(envelope.issue)
    case "UnsupportedRevision":
      return unsupported(envelope.requested, revisions)
  }
}

const unsupported = (requested: string, supported: McpServer["revisions"]) =>
  McpError.unsupportedRevision(requested, Revision.ofEra("modern", supported))

const statusOf = (reply: Option.Option<string>, { params }: Message.Request): number => {
  const code = Option.isSome(reply) ? replies.codeOf(reply.value) : undefined
  if (code === undefined) return 200
  // Invalid params are the matter of a method, unless they are what every request must have.
  if (code === ErrorCode.InvalidParams) return Envelope.requireEnvelope(params)._tag === "Envelope" ? 200 : 400
  return replies.statuses.get(code) ?? 200
}

/** What the headers say else than the body. */
const mismatchOf = (
  server: McpServer,
  head: RequestRules.Head,
  { method, params }: Message.Request
): string | undefined => {
  // A client of the other era knows no such headers, and is told which revisions are spoken.
  if (method === "initialize" && Envelope.metaOf(params)?.[Envelope.protocolVersion] === undefined) return undefined
  return differs(head, "MCP-Protocol-Version", revisionOf(params)) ??
    differs(head, "Mcp-Method", method) ??
    differs(head, "Mcp-Name", HeaderValue.nameOf(method, params, server.namedParam(method))) ??
    (method === "tools/call" ? paramsMismatch(server, head, params) : undefined)
}

const revisionOf = (params: Schema.Json | undefined): string | undefined => {
  const revision = Envelope.metaOf(params)?.[Envelope.protocolVersion]
  return typeof revision === "string" ? revision : undefined
}

const differs = (head: RequestRules.Head, name: string, value: string | undefined): string | undefined => {
  // What the body lacks is refused as what it is.
  if (value === undefined) return undefined
  const header = head.header(name.toLowerCase())
  if (header === undefined) return `${name} is missing`
  return header === value || HeaderValue.matches(header, value) ? undefined : `${name} does not match the body`
}

const paramsMismatch = (
  server: McpServer,
  head: RequestRules.Head,
  params: Schema.Json | undefined
): string | undefined => {
  const name = HeaderValue.nameOf("tools/call", params)
  const tool = name === undefined ? undefined : server.tool(name)
  const headers = tool === undefined ? [] : headersOf(tool)
  if (headers.length === 0) return undefined
  // The name was there.
  const { arguments: args } = params as Schema.JsonObject
  return HeaderValue.mismatchOf(headers, args, (header) => head.header(header.toLowerCase()))
}

/** @internal */
export class Listeners {
  readonly #connections = new Set<Connection>()
  readonly #onEmpty = new Set<() => void>()
  readonly #most: number
  /** The weight of what they have asked for, which is kept as long as they listen. */
  #kept = 0

  /** The requests of all that listen hold no more than a part of the budget. */
  constructor(budget: number) {
    this.#most = budget / partForListeners
  }

  /** Why nobody can listen who asks for so much, if that is so. */
  refusalOf(weight: number): RequestRules.Refusal | undefined {
    return this.#kept + weight > this.#most ? full : undefined
  }

  /** Runs what answers a connection that listens. */
  during<A, E, R>(connection: Connection, weight: number, answered: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.#connections.add(connection)
        this.#kept += weight
      }),
      () => answered,
      () => Effect.sync(() => this.#left(connection, weight))
    )
  }

  #left(connection: Connection, weight: number) {
    this.#connections.delete(connection)
    this.#kept -= weight
    if (this.#connections.size > 0) return
    for (const wake of this.#onEmpty) wake()
    this.#onEmpty.clear()
  }

  /** Ends all, and waits until each has its result: a moment, for one may read nothing. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(
      Effect.forEach([...this.#connections], ({ close }) => close, { discard: true }),
      Effect.timeoutOption(this.#quiet, grace)
    )
  ).pipe(Effect.asVoid)

  readonly #quiet: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.#connections.size === 0) return resume(Effect.void)
    const wake = () => resume(Effect.void)
    this.#onEmpty.add(wake)
    return Effect.sync(() => this.#onEmpty.delete(wake))
  })
}

const partForListeners = 4

const full = new RequestRules.Refusal(503, "All that listen to changes have asked for as much as there is room for.", {
  "retry-after": "10"
})

/** Milliseconds that who listens has to take its result. */
const grace = 1_000
