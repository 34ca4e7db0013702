/**
 * Answers the requests of one path: the port between a protocol over HTTP and
 * the host that owns the wire.
 *
 * A host shows the head of a request, brings its body, and writes the answer;
 * `HttpRoute` and `NodeHttp` of `@parley/node` are hosts. An endpoint decides which
 * requests it admits, with a `gate`, and answers them; what
 * runs for one finds its head and its principal as `Handshake.Current`. An
 * answer is one reply with a whole body, unless the endpoint starts a stream. It may
 * start one late, when something has to be sent before the rest.
 *
 * `jsonRpc` is the endpoint of JSON-RPC: one POST carries one text.
 *
 * ```ts run
 * import { HttpEndpoint, HttpRoute } from "@parley/http"
 * import { Router } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("ping", () => Effect.succeed("pong"))
 *   const endpoint = HttpEndpoint.jsonRpcWith(router.answer, { cors: { origins: ["https://app.example.org"] } })
 *   const serve = HttpRoute.webHandler(endpoint)
 *
 *   const response = yield* Effect.promise(() => serve(new Request("http://localhost/rpc")))
 *   console.log(response.status, yield* Effect.promise(() => response.text()))
 *   // => 405 The allowed methods are POST.
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Lookup } from "@parley/peer/Handler"
import type { AnswerOptions, OnDraining } from "@parley/peer/Router"
import { Alone } from "@parley/peer/shared"
import * as Dialect from "@parley/protocol/Dialect"
import type { Budget } from "@parley/transport/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as EventStream from "./shared/EventStream.ts"
import * as MediaType from "./shared/MediaType.ts"
import * as RequestRules from "./shared/RequestRules.ts"

export { type ClientAddress, clientAddress, type Proxies } from "./internal/ClientAddress.ts"

/** Names of headers, in lower case, and their values. @category models @since 0.1.0 */
export type Headers = Readonly<Record<string, string>>

/**
 * The part of an endpoint that decides which requests it admits, for protocols with rules of their own: methods, media
 * types, hosts, origins, who may call, and how much at once.
 *
 * @category constructors
 * @since 0.1.0
 */
export const gate: (options?: RequestRules.RequestRulesOptions) => RequestRules.RequestGate = RequestRules.make

/**
 * How a request is answered. Hosts add the length of the body, and `text/plain` where the headers name no `content-type`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reply {
  /** The status, such as 200. */
  readonly status: number
  /** The headers, with the `content-type` of the body. */
  readonly headers: Headers
  /** The whole body. After a stream was started it is the last piece, and the rest of the reply is ignored. */
  readonly body: string | undefined
}

/**
 * The facts that a host of your own knows of a request before it hands the request over.
 *
 * @category models
 * @since 0.1.0
 */
export interface HostContext {
  /**
   * The principal that the host has found: services of your own, and `Handshake.Name`. It counts in place of that of
   * `authorize`, which is not asked. Where it is `undefined`, `authorize` is asked. A value that is no `Context` is answered
   * with 500 and logged.
   */
  readonly principal?: Context.Context<never> | undefined
  /**
   * The body, where the host has read it already: its bytes, its text, or what a parser has made of that, which is written
   * as JSON again. `undefined` where the host has not read it.
   */
  readonly body?: unknown
}

/**
 * The means of a host to send a stream, for an answer as long as it runs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Responder {
  /**
   * Starts a stream. Status and headers reach the client before anything is written. At most once per answer. `cookies` are
   * the values of its `set-cookie` headers, which cannot be joined.
   */
  readonly start: (status: number, headers: Headers, cookies?: ReadonlyArray<string>) => Effect.Effect<void>
  /**
   * Writes a piece of the stream, a text or bytes as they are, and waits while the client does not read. Hosts that can do so disconnect a client
   * that reads nothing for `Limits.writeStall`. When the client has gone, it writes nothing and returns.
   */
  readonly write: (piece: string | Uint8Array) => Effect.Effect<void>
  /**
   * Says, before or after `start`, that the answer lasts as long as its client likes. It then counts among the
   * streams at once, as many as `Limits.connections`, and no longer among the requests. A server that shuts down does
   * not wait for it: it ends the stream and interrupts the answer. Gives a refusal, to be used as the reply, when there
   * are too many streams.
   */
  readonly toStream: () => RequestRules.Refusal | undefined
  /** The budget that the answers of all requests count on, if the host has one. */
  readonly budget?: Budget.Budget | undefined
  /**
   * Calls a function at each step of a host that shuts down, at once for those that it has taken, and gives how to stop
   * that. When its time to drain is `over`, the answer may still say so: it has a second, and then it is refused or cut off.
   * `NodeHttp` has it.
   */
  readonly onDraining?: OnDraining | undefined
}

/**
 * Admits and answers the requests of one path.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpEndpoint extends RequestRules.RequestGate {
  /**
   * Answers a request whose body has arrived; without a body the text is empty. The answer is interrupted when the
   * client disconnects. A refusal or a defect after a stream was started cuts the connection, so that nobody takes the
   * stream for complete. A defect before that is answered with 500 and logged.
   */
  readonly answer: (
    head: RequestRules.Head,
    text: string,
    responder: Responder
  ) => Effect.Effect<Reply | RequestRules.Refusal>
  /**
   * Answers a request whose head or body came when the host had begun to shut down: that nothing of it has started. It
   * stands for the refusal with 503 in words that the client of the endpoint reads. `NodeHttp` asks for it. What it keeps
   * counts on the budget of the responder.
   */
  readonly refusing?:
    | ((text: string, responder: Pick<Responder, "budget">) => Effect.Effect<Reply | RequestRules.Refusal>)
    | undefined
  /**
   * Runs when the host shuts down, before it ends the streams, so that they may send something last. It has a second.
   * `NodeHttp` runs it; Effect's server ends the streams without it.
   */
  readonly closing?: Effect.Effect<void> | undefined
  /**
   * Runs when the host shuts down, after `closing`, and ends when the endpoint does nothing any more that it was asked for
   * in another way than by requests of this host, such as by other processes. `NodeHttp` waits for it as for its own
   * answers, for `Limits.drain` at most.
   */
  readonly drained?: Effect.Effect<void> | undefined
  /**
   * Endpoints at other paths of the same origin that belong to this one, by their paths: metadata below `/.well-known`.
   * Hosts serve them, too; where something else chooses by the path, it has to send these paths here.
   */
  readonly wellKnown?: ReadonlyMap<string, HttpEndpoint> | undefined
}

/**
 * Answers a text as `Router.answer` does, or refuses the request with a status.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = (
  text: string,
  options?: AnswerOptions
) => Effect.Effect<Option.Option<string> | RequestRules.Refusal>

/**
 * The rules for requests to JSON-RPC, and its dialect.
 *
 * @category models
 * @since 0.1.0
 */
export interface JsonRpcEndpointOptions extends RequestRules.RequestRulesOptions {
  /** Its `emptyStatus` is that of answers without a response. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
  /** Endpoints at other paths of the same origin that belong to this one, such as the metadata of its authorization. */
  readonly wellKnown?: ReadonlyMap<string, HttpEndpoint> | undefined
}

/**
 * The endpoint of JSON-RPC: status 200 for every response, errors included, and 204 when there is none, unless the
 * dialect says otherwise. When the client accepts events and something is sent before the response, both are events of
 * a stream. Requests that come when the host has begun to shut down are answered with 503, and each call with the error of
 * one that has not started. Those that run when the time to drain is over are answered with the error of one that has
 * started: it is their answer, with status 200, or the last event of their stream.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jsonRpc = (
  answer: Answer,
  gate: RequestRules.RequestGate = RequestRules.make(),
  dialect: Dialect.Dialect = Dialect.jsonRpc
): HttpEndpoint => {
  const nothing: Reply = { status: dialect.emptyStatus, headers: {}, body: undefined }
  const whole = (reply: Option.Option<string> | RequestRules.Refusal) => replyOf(reply, nothing)
  const rules = { router: unstarted, dialect, limits: gate.limits }
  return {
    ...gate,
    refusing: (text, { budget }) =>
      Effect.map(
        Alone.answer(text, { ...rules, budget: budget?.share() }),
        ({ text }) =>
          text === undefined ? RequestRules.shuttingDown : { status, headers: { ...json, ...headers }, body: text }
      ),
    answer: (head, text, responder) =>
      MediaType.acceptsEvents(head.header("accept"))
        ? late(answer, text, responder, whole)
        : Effect.map(answer(text, hostOf(responder)), whole)
  }
}

/**
 * The endpoint of JSON-RPC with these rules.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jsonRpcWith = (answer: Answer, options: JsonRpcEndpointOptions = {}): HttpEndpoint => ({
  ...jsonRpc(answer, RequestRules.make(options), options.dialect),
  wellKnown: options.wellKnown
})

const { headers, status } = RequestRules.shuttingDown

/** Starts no call. A notification has no answer, and its failure would be a line of our log. */
const unstarted: Lookup = {
  handlerOf: () => ({ id }) => id === undefined ? Effect.void : Effect.fail(ErrorResponse.notStarted()),
  isConcurrent: () => true
}

/** Becomes a stream with the first message that is sent before the response. */
const late = (
  answer: Answer,
  text: string,
  responder: Responder,
  whole: (reply: Option.Option<string> | RequestRules.Refusal) => Reply | RequestRules.Refusal
): Effect.Effect<Reply | RequestRules.Refusal> =>
  Effect.suspend(() => {
    let isStream = false
    const send = (text: string) => {
      const written = responder.write(EventStream.encode(text))
      if (isStream) return written
      isStream = true
      return Effect.andThen(responder.start(200, EventStream.headers), written)
    }
    return Effect.map(
      answer(text, { send, ...hostOf(responder) }),
      (reply) => isStream ? last(reply) : whole(reply)
    )
  })

/** The part of a host that an answer hears of. */
const hostOf = ({ budget, onDraining }: Responder): AnswerOptions => ({ budget, onDraining })

const replyOf = (
  reply: Option.Option<string> | RequestRules.Refusal,
  nothing: Reply
): Reply | RequestRules.Refusal => {
  if (reply instanceof RequestRules.Refusal) return reply
  return Option.isNone(reply) ? nothing : { status: 200, headers: json, body: reply.value }
}

const last = (reply: Option.Option<string> | RequestRules.Refusal): Reply | RequestRules.Refusal => {
  if (reply instanceof RequestRules.Refusal) return reply
  // The status of a stream is sent already.
  return { status: 200, headers: json, body: Option.isNone(reply) ? undefined : EventStream.encode(reply.value) }
}

const json: Headers = { "content-type": "application/json" }
