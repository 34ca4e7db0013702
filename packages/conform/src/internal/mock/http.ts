/** Serves a recording over HTTP: each request is looked for in its conversation, which a session names where it has one. */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { MediaType, RequestRules } from "@parley/http/shared"
import type { Head } from "@parley/transport/Handshake"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { hasSession, isOverHttp, sessionHeader } from "../recording/Script.ts"
import type * as Connection from "./connection.ts"
import { Exchange } from "./Exchange.ts"
import * as Pace from "./Pace.ts"
import type { Emission, Outcome, Play } from "./Play.ts"
import { Posts } from "./posts.ts"
import { refusalOf } from "./refusal.ts"

/** A conversation with one client. */
interface Conversation {
  readonly number: number
  readonly play: Play<Exchange>
  readonly session: string | undefined
  /** Where it was recorded on another wire. */
  readonly posts: Posts | undefined
  /** What is to be sent, in the order of the recording, whichever answer it belongs to. */
  readonly outbox: Queue.Queue<Emission<Exchange>>
  /** Grows with each text of the client. */
  turn: number
}

/** Sessions that are open. Beyond that, the oldest is forgotten. */
const mostSessions = 1_000

/** The endpoint, until the Scope closes. */
export const make = Effect.fnUntraced(function*(
  { faults, pace, patience, source, unmatched }: Connection.Options,
  next: () => number
): Effect.fn.Return<HttpEndpoint.HttpEndpoint, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const sessions = new Map<string, Conversation>()
  let plain: Conversation | undefined

  const begin = Effect.fnUntraced(function*(text: string, now: number): Effect.fn.Return<Conversation> {
    const { play, script } = source.begin<Exchange>(text, now)
    const isRecorded = script !== undefined && isOverHttp(script)
    const isSession = isRecorded ? hasSession(script) : text.includes("protocolVersion")
    const session = isSession ? globalThis.crypto.randomUUID() : undefined
    const posts = isRecorded ? undefined : new Posts()
    const outbox = yield* Queue.unbounded<Emission<Exchange>>()
    const deliver = (emission: Emission<Exchange>) =>
      Effect.map(Pace.pause(emission.pause, pace), () => {
        if (posts !== undefined) posts.add(emission)
        else emission.exchange?.add(emission)
      })
    yield* Effect.forkIn(Effect.forever(Effect.flatMap(Queue.take(outbox), deliver), { disableYield: true }), scope)
    const conversation: Conversation = { number: next(), play, session, posts, outbox, turn: 0 }
    if (session === undefined) plain = conversation
    else {
      sessions.set(session, conversation)
      const [oldest] = sessions.keys()
      if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest)
    }
    give(conversation, play.start())
    return conversation
  })

  /** The conversation that a request belongs to. */
  const conversationOf = (head: Head, text: string, now: number): Effect.Effect<Conversation | undefined> => {
    const session = head.header(sessionHeader)
    if (session !== undefined) return Effect.succeed(sessions.get(session))
    const isNew = head.method === "POST" && (plain === undefined || source.isSession(text))
    return isNew ? begin(text, now) : Effect.succeed(plain)
  }

  /** It is what was recorded, so there is no more than of that. */
  const give = ({ outbox }: Conversation, emissions: ReadonlyArray<Emission<Exchange>>): void => {
    Queue.offerAllUnsafe(outbox, emissions)
  }

  /** Gives what is held when the client has done nothing for a while. */
  const watch = (conversation: Conversation): Effect.Effect<void> => {
    const { play } = conversation
    const turn = ++conversation.turn
    if (!play.isHeld) return Effect.void
    const late = Effect.suspend(() => {
      if (conversation.turn === turn) give(conversation, play.alarm())
      return Effect.void
    })
    return Effect.asVoid(Effect.forkIn(Effect.andThen(Effect.sleep(patience), late), scope))
  }

  const received = (
    conversation: Conversation,
    head: Head,
    text: string,
    exchange: Exchange,
    now: number
  ): Outcome<Exchange> | undefined => {
    const { play, posts } = conversation
    if (head.method === "POST") {
      posts?.post(text, exchange, MediaType.acceptsEvents(head.header("accept")))
      return play.receive(text, now, exchange)
    }
    if (posts === undefined) return play.request(head.method, exchange)
    if (head.method !== "GET" || conversation.session === undefined) return undefined
    posts.stream(exchange)
    return { match: { kind: "same", nearest: undefined }, emissions: [] }
  }

  const answer = (
    head: Head,
    text: string,
    responder: HttpEndpoint.Responder
  ): Effect.Effect<HttpEndpoint.Reply | RequestRules.Refusal> =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const conversation = yield* conversationOf(head, text, now)
      if (conversation === undefined) return head.header(sessionHeader) === undefined ? noBeginning : noSession
      const exchange = yield* Exchange.make(head.method === "GET")
      const outcome = received(conversation, head, text, exchange, now)
      if (outcome === undefined) return unknown(conversation, head)
      unmatched.add(conversation.number, text, outcome.match)
      if (outcome.match.kind === "none") {
        conversation.posts?.leave(exchange)
        const refusal = refusalOf(text)
        return refusal === undefined
          ? { status: 202, headers: {}, body: undefined }
          : { status: 200, headers: { "content-type": "application/json" }, body: refusal }
      }
      give(conversation, outcome.emissions)
      yield* watch(conversation)
      // An answer to a request that was asked again has no exchange in the recording.
      const isAlone = conversation.posts === undefined && refusalOf(text) === undefined
        && !outcome.emissions.some((emission) => emission.exchange === exchange)
        && !conversation.play.expects(exchange)
      if (isAlone && head.method === "POST") return { status: 202, headers: {}, body: undefined }
      return yield* Effect.ensuring(
        exchange.answer(responder, { faults, session: conversation.session }),
        Effect.sync(() => conversation.posts?.leave(exchange))
      )
    })

  const unknown = ({ session }: Conversation, { method }: Head): HttpEndpoint.Reply | RequestRules.Refusal => {
    if (method !== "DELETE" || session === undefined) return notAllowed
    sessions.delete(session)
    return { status: 200, headers: {}, body: undefined }
  }

  return { ...HttpEndpoint.gate({ methods: ["POST", "GET", "DELETE"] }), answer }
})

const noSession = new RequestRules.Refusal(404, "The mock has no such session.")
const noBeginning = new RequestRules.Refusal(400, "The mock has no conversation that begins like this.")
const notAllowed = new RequestRules.Refusal(405, "The recording has no request of this method.", { allow: "POST" })
