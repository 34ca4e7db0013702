/** Serves a recording over HTTP: each request is looked for in its conversation, which a session names where it has one. */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { MediaType, RequestRules } from "@parley/http/shared"
import type { Head } from "@parley/transport/Handshake"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { hasSession, isOverHttp, sessionHeader } from "../../recording/Script.ts"
import type * as Connection from "../connection.ts"
import * as Pace from "../Pace.ts"
import type { Emission, Outcome, Play } from "../Play.ts"
import { refusalOf } from "../refusal.ts"
import { Exchange, noSession } from "./Exchange.ts"
import { Posts } from "./posts.ts"
import { Sessions } from "./Sessions.ts"

/** A conversation with one client. */
interface Conversation {
  readonly number: number
  readonly play: Play<Exchange>
  readonly session: string | undefined
  /** Where it was recorded on another wire. */
  readonly posts: Posts | undefined
  /** The emissions that are to be sent, in the order of the recording, whichever answer it belongs to. */
  readonly outbox: Array<Emission<Exchange>>
  /** The answers that are not over. */
  readonly open: Set<Exchange>
  /** Grows with each text of the client. */
  turn: number
  /** Whether what is in the outbox is being sent. */
  isSending: boolean
}

/** Sessions that are open. */
const mostSessions = 1_000

/** How long a session may be idle: as long as those of our servers. */
const longestIdle = Duration.toMillis(Duration.minutes(30))

/** The endpoint, until the Scope closes. */
export const make = Effect.fnUntraced(function*(
  { faults, pace, patience, source, unmatched }: Connection.Options,
  next: () => number
): Effect.fn.Return<HttpEndpoint.HttpEndpoint, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const sessions = new Sessions<Conversation>({
    most: mostSessions,
    idle: longestIdle,
    isBusy: ({ open }) => open.size > 0,
    end: ({ open, outbox }) => {
      outbox.length = 0
      for (const exchange of open) exchange.end()
    }
  })
  let plain: Conversation | undefined

  const begin = Effect.fnUntraced(function*(text: string, now: number): Effect.fn.Return<Conversation> {
    const { play, script } = source.begin<Exchange>(text, now)
    const isRecorded = script !== undefined && isOverHttp(script)
    const isSession = isRecorded ? hasSession(script) : text.includes("protocolVersion")
    const session = isSession ? globalThis.crypto.randomUUID() : undefined
    const posts = isRecorded ? undefined : new Posts()
    const conversation: Conversation = {
      number: next(),
      play,
      session,
      posts,
      outbox: [],
      open: new Set(),
      turn: 0,
      isSending: false
    }
    if (session === undefined) plain = conversation
    else sessions.add(session, conversation, now)
    yield* give(conversation, play.start())
    return conversation
  })

  /** The conversation that a request belongs to. */
  const conversationOf = (head: Head, text: string, now: number): Effect.Effect<Conversation | undefined> => {
    const session = head.header(sessionHeader)
    if (session !== undefined) return Effect.succeed(sessions.use(session, now))
    const isNew = head.method === "POST" && (plain === undefined || source.isSession(text))
    return isNew ? begin(text, now) : Effect.succeed(plain)
  }

  /** Sends what is in the outbox. It is what was recorded, so there is no more than of that. */
  const send = Effect.fnUntraced(function*(conversation: Conversation) {
    const { outbox, posts } = conversation
    for (let emission = outbox.shift(); emission !== undefined; emission = outbox.shift()) {
      yield* Pace.pause(emission.pause, pace)
      if (posts !== undefined) posts.add(emission)
      else emission.exchange?.add(emission)
    }
    conversation.isSending = false
  })

  /** A conversation has a fiber only while something is to be sent. */
  const give = (conversation: Conversation, emissions: ReadonlyArray<Emission<Exchange>>): Effect.Effect<void> =>
    Effect.suspend(() => {
      conversation.outbox.push(...emissions)
      if (conversation.isSending || conversation.outbox.length === 0) return Effect.void
      conversation.isSending = true
      return Effect.asVoid(Effect.forkIn(send(conversation), scope))
    })

  /** Gives what is held when the client has done nothing for a while. */
  const watch = (conversation: Conversation): Effect.Effect<void> => {
    const { play } = conversation
    const turn = ++conversation.turn
    if (!play.isHeld) return Effect.void
    const late = Effect.suspend(() => conversation.turn === turn ? give(conversation, play.alarm()) : Effect.void)
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
      yield* give(conversation, outcome.emissions)
      yield* watch(conversation)
      // An answer to a request that was asked again has no exchange in the recording.
      const isAlone = conversation.posts === undefined && refusalOf(text) === undefined
        && !outcome.emissions.some((emission) => emission.exchange === exchange)
        && !conversation.play.expects(exchange)
      if (isAlone && head.method === "POST") return { status: 202, headers: {}, body: undefined }
      conversation.open.add(exchange)
      return yield* Effect.ensuring(
        exchange.answer(responder, { faults, session: conversation.session }),
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (conversation.session !== undefined) sessions.use(conversation.session, now)
          conversation.open.delete(exchange)
          conversation.posts?.leave(exchange)
        })
      )
    })

  const unknown = ({ session }: Conversation, { method }: Head): HttpEndpoint.Reply | RequestRules.Refusal => {
    if (method !== "DELETE" || session === undefined) return notAllowed
    sessions.end(session)
    return { status: 200, headers: {}, body: undefined }
  }

  return { ...HttpEndpoint.gate({ methods: ["POST", "GET", "DELETE"] }), answer }
})

const noBeginning = new RequestRules.Refusal(400, "The mock has no conversation that begins like this.")
const notAllowed = new RequestRules.Refusal(405, "The recording has no request of this method.", { allow: "POST" })
