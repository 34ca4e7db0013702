/**
 * The modern era over HTTP: every POST stands alone, its headers say what its
 * body says, and a client that goes away has cancelled.
 */
import type { Reply } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as HeaderValue from "../../../http/HeaderValue.ts"
import type { McpServer } from "../../../McpServer.ts"
import type { Alone } from "../../../server/Connection.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as Network from "../../../wire/Network.ts"
import { refusalOf } from "../../server/dispatch/serve.ts"
import * as Expiry from "../Expiry.ts"
import { mismatchOf as argumentsMismatch } from "../headers.ts"
import * as incoming from "./incoming.ts"
import * as LateStream from "./LateStream.ts"
import type { Post } from "./Posted.ts"
import * as replies from "./replies.ts"

/** @internal */
export interface Modern extends LateStream.Shared {
  readonly server: McpServer
  /** Those whose clients listen to changes now. */
  readonly listening: Listeners
}

/** Whether a request is a stream to its client rather than a call. @internal */
export const isListening = ({ method }: Message.Request | Message.Notification): boolean =>
  method === "subscriptions/listen"

/** Answers one request. @internal */
export const answer = (
  modern: Modern,
  post: Post,
  request: Message.Request
): Effect.Effect<Reply | RequestRules.Refusal> => {
  const { envelope = Envelope.absent, head, posted, requester, responder } = post
  const listens = isListening(request)
  const accept = listens ? incoming.acceptedByListen(head) : incoming.acceptedByPost(head)
  if (accept === "nothing") return Effect.succeed(replies.notAcceptable)
  const { listening, server } = modern
  const mismatch = mismatchOf(server, head, request, envelope)
  if (mismatch !== undefined) {
    return Effect.succeed(replies.refused(400, McpError.headerMismatch(mismatch), request.id))
  }
  const statuses = envelope._tag === "Envelope" ? replies.modernStatuses : replies.envelopeStatuses
  const answered = (served: Alone) => LateStream.answer(modern, served, post, accept, statuses)
  if (!listens) return answered(servedBy(server, post, envelope))
  const stay = Effect.suspend((): Effect.Effect<Reply | RequestRules.Refusal> => {
    // A client that listens does so for as long as it likes.
    const refusal = listening.refusalOf(posted.weight) ?? responder.toStream()
    if (refusal !== undefined) return Effect.succeed(refusal)
    const served = servedBy(server, post, envelope)
    return Expiry.during(
      post.handshake,
      listening.during(served, posted.weight, answered(served)),
      (end) => modern.keepAlive.fork(end),
      served.close
    )
  })
  return requester.during("streams", request.id, stay)
}

const servedBy = (
  server: McpServer,
  { handshake, requester: { party } }: Post,
  envelope: Envelope.Envelope | Envelope.Refused
): Alone => server.alone({ envelope, network: Network.http, caller: { handshake, party } })

/**
 * Takes one notification. The specification says of no headers that it must have; those that it has cannot say else than
 * its body.
 *
 * @internal
 */
export const hear = (
  modern: Modern,
  post: Post,
  { method }: Message.Notification
): Effect.Effect<Reply | RequestRules.Refusal> => {
  const { server } = modern
  const { envelope = Envelope.absent, head } = post
  const isSpoken = envelope._tag === "Envelope" && server.protocolVersions.includes(envelope.protocolVersion)
  const refusal = contradicts(head, "MCP-Protocol-Version", Envelope.requestedVersion(envelope)) ??
    contradicts(head, "Mcp-Method", method) ??
    (isSpoken ? undefined : refusalOf(envelope, server.protocolVersions))
  if (refusal !== undefined) return Effect.succeed(replies.refused(400, refusal))
  // Nothing can be sent before an empty answer.
  return LateStream.answer(modern, servedBy(server, post, envelope), post, "json")
}

const contradicts = (head: RequestRules.Head, name: string, value: string | undefined): ErrorResponse | undefined => {
  const mismatch = head.header(name.toLowerCase()) === undefined ? undefined : differs(head, name, value)
  return mismatch === undefined ? undefined : McpError.headerMismatch(mismatch)
}

/** What the headers say else than the body. */
const mismatchOf = (
  server: McpServer,
  head: RequestRules.Head,
  { method, params }: Message.Request,
  envelope: Envelope.Envelope | Envelope.Refused
): string | undefined => {
  const version = Envelope.requestedVersion(envelope)
  // A client of the other era knows no such headers, and is told which revisions are spoken.
  if (method === "initialize" && version === undefined) return undefined
  return differs(head, "MCP-Protocol-Version", version) ??
    differs(head, "Mcp-Method", method) ??
    differs(head, "Mcp-Name", HeaderValue.nameOf(method, params, server.namedParam(method))) ??
    (method === "tools/call" ? paramsMismatch(server, head, params) : undefined)
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
  // Of a tool that only some callers have, the headers are compared when it is called. The name was in the params.
  return tool && argumentsMismatch(tool, (params as Schema.JsonObject)["arguments"], (name) => head.header(name))
}

/** @internal */
export class Listeners {
  readonly #listening = new Set<Alone>()
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

  /** Runs what answers a client that listens. */
  during<A, E, R>(listener: Alone, weight: number, answered: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.#listening.add(listener)
        this.#kept += weight
      }),
      () => answered,
      () => Effect.sync(() => this.#left(listener, weight))
    )
  }

  #left(listener: Alone, weight: number) {
    this.#listening.delete(listener)
    this.#kept -= weight
    if (this.#listening.size > 0) return
    for (const wake of this.#onEmpty) wake()
    this.#onEmpty.clear()
  }

  /** Ends all, and waits until each has its result: a moment, for one may read nothing. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(
      Effect.forEach([...this.#listening], ({ close }) => close, { discard: true }),
      Effect.timeoutOption(this.#quiet, grace)
    )
  ).pipe(Effect.asVoid)

  readonly #quiet: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.#listening.size === 0) return resume(Effect.void)
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
