/**
 * What answers requests, below all hosts: the port between a protocol over HTTP
 * and whatever owns the wire.
 *
 * A host shows the head of a request, brings its body, and writes what comes
 * back; `HttpRoute` and `NodeHttp` of `@parley/node` are such hosts. An endpoint
 * says what is taken, which it has from a `Desk` of `PostRules`, and answers. An
 * answer is one reply with a body that is whole, until the endpoint starts a
 * stream; it may do so late, when something is to be sent before the rest.
 *
 * Here is the endpoint of JSON-RPC as well: one POST is one text.
 *
 * @since 0.1.0
 */
import type { AnswerOptions } from "@parley/peer/Router"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as EventStream from "./EventStream.ts"
import * as MediaType from "./MediaType.ts"
import * as PostRules from "./PostRules.ts"

/** Names of headers, in lower case, and their values. @category models @since 0.1.0 */
export type Headers = Readonly<Record<string, string>>

/**
 * How a request is answered. Hosts add the length of the body.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The whole body; behind a stream that was started its last piece, and the rest of the reply is not looked at. */
  readonly body: string | undefined
}

/**
 * What a host lends to an answer, for as long as it runs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Responder {
  /** Starts a stream with this status and these headers. They reach the client before anything is written. Once. */
  readonly start: (status: number, headers: Headers) => Effect.Effect<void>
  /**
   * Writes a piece of the stream as it is, and waits while the client does not read. A client that reads nothing for
   * `Limits.writeStall` is given up by the hosts that can. Nothing is written for one that has gone.
   */
  readonly write: (text: string) => Effect.Effect<void>
  /**
   * Says that the answer goes on for as long as its client likes, before or after `start`. It then counts among the
   * streams at once, as many as `Limits.connections`, no longer among the requests, and a server that ends does not
   * wait for it: it ends the stream and interrupts the answer. A refusal, to be the reply, where there are too many.
   */
  readonly stay: () => PostRules.Refusal | undefined
}

/**
 * What answers the requests of one path.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpEndpoint extends PostRules.Desk {
  /**
   * Answers a request whose body has come; its text is empty where it has none. A client that goes away interrupts it,
   * so what should outlive that runs elsewhere. A refusal, or a failure, behind a stream that was started breaks the
   * connection off, so that nobody takes the stream for whole.
   */
  readonly answer: (
    head: PostRules.Head,
    text: string,
    responder: Responder
  ) => Effect.Effect<Reply | PostRules.Refusal>
  /**
   * Run by a host that ends, before it breaks off answers that stay: they may have a last word. It gets a second.
   * `NodeHttp` does so; Effect's server breaks off what stays without a word.
   */
  readonly closing?: Effect.Effect<void> | undefined
}

/**
 * The request that is being answered, for handlers: its headers, and who calls. Hosts provide it to `answer`; it is
 * `undefined` where a handler runs for no HTTP request.
 *
 * @category services
 * @since 0.1.0
 */
export const CurrentHead: Context.Reference<PostRules.Head | undefined> = Context.Reference<
  PostRules.Head | undefined
>("@parley/http/HttpEndpoint/CurrentHead", { defaultValue: () => undefined })

/**
 * Answers a text as `Router.answer` does, or refuses it with a status.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = (
  text: string,
  options?: AnswerOptions
) => Effect.Effect<Option.Option<string> | PostRules.Refusal>

/**
 * The endpoint of JSON-RPC: status 200 for whatever is answered, errors included, and 204 where there is nothing to
 * answer. Where the client accepts events and something is sent before the answer, both are events of a stream.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jsonRpc = (answer: Answer, desk: PostRules.Desk = PostRules.make()): HttpEndpoint => ({
  limits: desk.limits,
  admit: desk.admit,
  answer: (head, text, responder) =>
    MediaType.acceptsEvents(head.header("accept")) ? late(answer, text, responder) : Effect.map(answer(text), whole)
})

/** A stream from the first that is sent, if anything is. */
const late = (answer: Answer, text: string, responder: Responder): Effect.Effect<Reply | PostRules.Refusal> =>
  Effect.suspend(() => {
    let isStream = false
    const send = (text: string) => {
      const written = responder.write(EventStream.encode(text))
      if (isStream) return written
      isStream = true
      return Effect.andThen(responder.start(200, EventStream.headers), written)
    }
    return Effect.map(answer(text, { send }), (reply) => isStream ? last(reply) : whole(reply))
  })

const whole = (reply: Option.Option<string> | PostRules.Refusal): Reply | PostRules.Refusal => {
  if (reply instanceof PostRules.Refusal) return reply
  return Option.isNone(reply) ? nothing : { status: 200, headers: json, body: reply.value }
}

const last = (reply: Option.Option<string> | PostRules.Refusal): Reply | PostRules.Refusal => {
  if (reply instanceof PostRules.Refusal) return reply
  return Option.isNone(reply) ? nothing : { status: 200, headers: json, body: EventStream.encode(reply.value) }
}

const json: Headers = { "content-type": "application/json" }

const nothing: Reply = { status: 204, headers: {}, body: undefined }
