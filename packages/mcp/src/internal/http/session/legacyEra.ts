/**
 * The legacy era over HTTP: sessions, whose requests go on when their client
 * leaves, and whose streams a client can come back to.
 */
import type { Reply } from "@parley/http/HttpEndpoint"
import { EventStream, RequestRules } from "@parley/http/shared"
import type { Answer } from "@parley/peer/Session"
import * as Batch from "@parley/protocol/Batch"
import type * as Message from "@parley/protocol/Message"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { McpServer } from "../../../McpServer.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as Network from "../../../wire/Network.ts"
import * as Expiry from "../Expiry.ts"
import { sessionHeader } from "../headers.ts"
import type { Requester } from "../quota/Requester.ts"
import * as incoming from "../server/incoming.ts"
import { requestsOf } from "../server/incoming.ts"
import * as LateStream from "../server/LateStream.ts"
import type { HttpRequest, Post } from "../server/Posted.ts"
import { beatingBy } from "../server/Pulse.ts"
import * as replies from "../server/replies.ts"
import { isGeneral, placeOf, requestOf, type Rest } from "./Events.ts"
import type { Bringer, HttpSession } from "./HttpSession.ts"
import { SessionStream } from "./SessionStream.ts"
import type { NoRoom, SessionTable } from "./SessionTable.ts"

/** @internal */
export interface Legacy {
  readonly server: McpServer
  readonly sessions: SessionTable
  readonly challenge: replies.Challenge
}

const noSession = replies.invalidRequest("Mcp-Session-Id is missing: send `initialize` first")
const unknownSession = replies.invalidRequest("There is no such session")
// 404 would have the client begin a new session.
const notAsked = replies.error(
  409,
  replies.invalidRequest(
    "No request of this process has this id: another process has sent it, and only that one takes the answer"
  )
)
const full = new RequestRules.Refusal(503, "There are too many sessions; try again.", { "retry-after": "10" })
const noEvents = new RequestRules.Refusal(406, "What is answered here is text/event-stream.")
const gone = new RequestRules.Refusal(400, "The events behind this id are not kept any more.")

/** Answers a POST. @internal */
export const post = Effect.fnUntraced(function*(
  legacy: Legacy,
  post: Post
): Effect.fn.Return<Reply | RequestRules.Refusal> {
  const { head, posted } = post
  const { decoded } = posted
  const requests = requestsOf(decoded.batch)
  const { sessions } = legacy
  const [first] = requests
  const accept = first === undefined ? "json" : incoming.acceptedByPost(head)
  if (accept === "nothing") return replies.notAcceptable
  if (requests.some(({ method }) => method === "initialize")) {
    return Batch.isMembers(decoded.batch)
      ? replies.error(400, replies.invalidRequest("`initialize` comes alone"), first?.id)
      : yield* Effect.uninterruptibleMask((restore) => initialize(legacy, post, first?.id, accept, restore))
  }
  const session = yield* sessionOf(legacy, post, first)
  if (!("conversation" in session)) return session
  if (Batch.isMembers(decoded.batch) && session.connection.codec()?.features.batches !== true) {
    return replies.noBatches
  }
  if (first !== undefined) sessions.called(session)
  const reply = first === undefined
    ? take(sessions, session, post)
    : answer(legacy, session, requests, post, accept)
  return yield* Effect.tap(reply, () => sessions.keep(session))
})

const bringer = (handshake: Bringer["handshake"], stream?: SessionStream): Bringer => ({ handshake, stream })

/**
 * Takes notifications and responses. Those that this process has asked for reach it, whatever comes with them. They are
 * heard to their end, also where their client leaves.
 */
const take = (sessions: SessionTable, session: HttpSession, { handshake, posted }: Post): Effect.Effect<Reply> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const { decoded } = posted
    const answered = posted.answered(session.conversation.answer(decoded, undefined, bringer(handshake)))
    const taken = Effect.callback<void>((resume) => {
      const fiber = Effect.runForkWith(context)(answered)
      let onShut: (() => void) | undefined = undefined
      fiber.addObserver(() => {
        onShut?.()
        sessions.rest(session)
        resume(Effect.void)
      })
      return Effect.sync(() => {
        if (fiber.pollUnsafe() === undefined) onShut = sessions.leave(session, posted.weight)
      })
    })
    if (incoming.answeredBy(decoded.batch).every(sessions.hasAsked)) return Effect.as(taken, replies.accepted)
    sessions.tellOfMisrouting()
    return Effect.as(taken, notAsked)
  })

const initialize = Effect.fnUntraced(function*(
  { challenge, sessions }: Legacy,
  { handshake, posted, principal, requester }: Post,
  id: Message.Request["id"] | undefined,
  accept: incoming.Accepted,
  restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
) {
  const session = yield* sessions.make(principal, requester)
  if (session === "out of reach") return replies.unready
  if (typeof session === "string") return yield* refused(session, requester, id)
  const outcome = posted.answered(session.conversation.outcome(posted.decoded, undefined, bringer(handshake)))
  // Nobody else has the id of this session.
  const answer = yield* Effect.onInterrupt(restore(outcome), () => sessions.end(session))
  if (session.connection.codec() === undefined) {
    yield* sessions.end(session)
    return replies.answered(answer, accept, challenge, handshake)
  }
  yield* sessions.keep(session)
  // Its client has said more of itself than there is room for.
  if (session.isEnded) return full
  return replies.whole(answer.text, accept, 200, { [sessionHeader]: session.id })
})

const refused = (why: NoRoom, requester: Requester, id: Message.Request["id"] | undefined) =>
  why === "beyond quota"
    ? requester.refuse("sessions", id)
    : Effect.succeed(why === "full" ? full : replies.elsewhere)

/** The session that a request is of, or why there is none. */
const sessionOf = (
  { server, sessions }: Legacy,
  { head, principal, requester }: HttpRequest,
  request?: Message.Request
): Effect.Effect<HttpSession | Reply | RequestRules.Refusal> => {
  const id = head.header(sessionHeader)
  if (id === undefined) return Effect.succeed(replies.error(400, noSession, request?.id))
  const unspoken = incoming.unspoken(server, head)
  if (unspoken !== undefined) {
    return Effect.succeed(replies.error(400, replies.invalidRequest(unspoken), request?.id))
  }
  return Effect.flatMap(
    sessions.find(id, principal, requester),
    (session): Effect.Effect<HttpSession | Reply | RequestRules.Refusal> =>
      typeof session === "string"
        ? refused(session, requester, request?.id)
        : Effect.succeed(session ?? replies.error(404, unknownSession, request?.id))
  )
}

/**
 * Answers the requests of a POST. They run in fibers that nobody who waits for the answer can interrupt, with the
 * services of who asked: the session ends them.
 */
const answer = (
  { challenge, sessions }: Legacy,
  session: HttpSession,
  requests: ReadonlyArray<Message.Request>,
  { handshake, posted, responder }: Post,
  accept: incoming.Accepted
): Effect.Effect<Reply> =>
  Effect.suspend(() => {
    let left: () => void = () => {}
    // A session ends as a whole: each of its calls is answered that the server shuts down.
    const stop = responder.onDraining?.((step) => {
      // The first to hear of it ends all.
      if (step === "over" && !session.isEnded) session.keepAlive.fork(sessions.close)
    })
    const begun = Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<Reply | SessionStream>((resume) => {
        const stream: SessionStream | undefined = accept === "json"
          ? undefined
          : new SessionStream(session, requests, () => stream === undefined || resume(Effect.succeed(stream)))
        let onShut: (() => void) | undefined = undefined
        let isShut = false
        left = () => {
          stream?.abandon()
          if (!isShut) onShut = sessions.leave(session, posted.weight)
        }
        const shut = () => {
          isShut = true
          onShut?.()
          if (stream !== undefined) session.shut(stream)
          sessions.rest(session)
        }
        if (stream !== undefined) session.open(stream)
        const fork = Effect.runForkWith(context)
        const fiber = fork(
          posted.answered(session.conversation.outcome(posted.decoded, stream, bringer(handshake, stream)))
        )
        const waiting = stream === undefined || fiber.pollUnsafe() !== undefined ? undefined : beatingBy(stream.start)
        const pulse = session.priming === undefined ? session.keepAlive : session.host.patience
        if (waiting !== undefined) pulse.add(waiting)
        fiber.addObserver((exit) => {
          if (waiting !== undefined) pulse.remove(waiting)
          const answer = Exit.isSuccess(exit) ? exit.value : unanswered
          if (stream === undefined || !stream.isStarted) {
            stream?.end()
            shut()
            return resume(
              Effect.succeed(replies.answered(answer, accept, challenge, handshake))
            )
          }
          const finished = answer.text === undefined ? Effect.sync(() => stream.end()) : stream.finish(answer.text)
          fork(finished).addObserver(shut)
        })
      })
    )
    const answered = Effect.flatMap(begun, (stream) =>
      "status" in stream
        ? Effect.succeed(stream)
        : Effect.as(
          read(sessions, session, stream.read(responder, responder.start(200, EventStream.headers))),
          replies.streamed
        ))
    return Effect.ensuring(
      answered,
      Effect.sync(() => {
        stop?.()
        left()
      })
    )
  })

const unanswered: Answer = { text: undefined, error: undefined }

/** Reads a stream of changes until its client has no credentials any more. */
const untilOver = (
  { keepAlive }: HttpSession,
  handshake: HttpRequest["handshake"],
  reading: Effect.Effect<boolean>
): Effect.Effect<boolean> =>
  Effect.flatMap(Deferred.make<boolean>(), (over) =>
    Expiry.during(
      handshake,
      Effect.raceFirst(reading, Deferred.await(over)),
      (end) => keepAlive.fork(end),
      Effect.asVoid(Deferred.succeed(over, true))
    ))

/** A stream that is read is use of its session. */
const read = <A>(sessions: SessionTable, session: HttpSession, reading: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.sync(() => void session.streams++),
    () => reading,
    () =>
      Effect.sync(() => {
        session.streams--
        sessions.use(session)
      })
  )

/** Answers a GET: the stream of what belongs to no request, or the rest of a stream that broke. @internal */
export const get = Effect.fnUntraced(function*(
  legacy: Legacy,
  request: HttpRequest
): Effect.fn.Return<Reply | RequestRules.Refusal> {
  const { head, requester } = request
  if (!incoming.acceptsEvents(head)) return noEvents
  const session = yield* sessionOf(legacy, request)
  if (!("conversation" in session)) return session
  const id = head.header("last-event-id")
  // Only a client that may have a stream reads the journal.
  return yield* requester.during(
    "streams",
    undefined,
    Effect.suspend(() => streamOf(legacy.sessions, session, id, request))
  )
})

/** A stream of a session from behind an event, or from its beginning. */
const streamOf = Effect.fnUntraced(function*(
  sessions: SessionTable,
  session: HttpSession,
  id: string | undefined,
  { handshake, responder }: HttpRequest
): Effect.fn.Return<Reply | RequestRules.Refusal> {
  const begin = responder.start(200, EventStream.headers)
  const [name, after] = id === undefined ? [session.general.name] : placeOf(id)
  const stream = session.streamOf(name)
  const missed = stream === undefined && id !== undefined ? yield* session.events.after(session, id) : Option.none()
  const before = Option.isNone(missed) ? "" : missed.value.events.map(EventStream.encodeFields).join("")
  if (stream === undefined && !isGeneral(name)) return rest(name, missed, before + abandoned(session, name, missed))
  if (isGeneral(name)) yield* session.connection.restored(bringer(handshake))
  if (session.isEnded) return replies.error(404, unknownSession)
  // Of a stream of an earlier process nothing is known, though its client has read of it.
  if (stream === undefined && Option.isNone(missed) && after !== 0) return gone
  const refusal = responder.toStream()
  if (refusal !== undefined) return refusal
  const from: Parameters<SessionStream["resume"]>[2] = stream === undefined ? { before } : { after }
  const resumed = (stream ?? session.general).resume(responder, begin, from)
  // A call that was admitted is answered, however long that takes.
  const reading = isGeneral(name) ? untilOver(session, handshake, resumed) : resumed
  return (yield* read(sessions, session, reading)) ? replies.streamed : goneOf(name)
})

/** The answer to a request that a process has begun which had the session before, and did not end. */
const abandoned = ({ isAdopted }: HttpSession, name: string, missed: Option.Option<Rest>): string => {
  const id = isAdopted && Option.isSome(missed) && !missed.value.isOver ? requestOf(name) : undefined
  return id === undefined ? "" : EventStream.encode(replies.failureOf(id, McpError.ownerGone))
}

/** What is left of a stream on which nothing more happens. */
const rest = (name: string, missed: Option.Option<unknown>, events: string): Reply | RequestRules.Refusal =>
  Option.isNone(missed)
    ? goneOf(name)
    : { status: 200, headers: EventStream.headers, body: events === "" ? EventStream.keepAlive : events }

/**
 * The answer where events of a stream are gone. Clients do not tell a call that its stream was refused, and it would wait
 * for its own timeout: where the name of the stream tells the request, that one ends with an error.
 */
const goneOf = (name: string): Reply | RequestRules.Refusal => {
  const id = requestOf(name)
  return id === undefined ? gone : {
    status: 200,
    headers: EventStream.headers,
    body: EventStream.encode(replies.failureOf(id, McpError.eventsGone))
  }
}

/** Answers a DELETE: its session is over. @internal */
export const remove = (
  legacy: Legacy,
  request: HttpRequest
): Effect.Effect<Reply | RequestRules.Refusal> =>
  Effect.flatMap(
    sessionOf(legacy, request),
    (session) =>
      "conversation" in session
        ? Effect.map(legacy.sessions.end(session), (isGone) => isGone ? replies.ended : replies.elsewhere)
        : Effect.succeed(session)
  )

/** @internal */
export interface Alone extends LateStream.Shared {
  readonly server: McpServer
}

/**
 * Answers a POST. A client that goes away interrupts what runs: nobody could come back for it. `isHeard` tells whether it
 * has notifications that somebody hears.
 *
 * @internal
 */
export const postAlone = (
  alone: Alone,
  post: Post,
  isHeard: boolean
): Effect.Effect<Reply | RequestRules.Refusal> => {
  const { server } = alone
  const { handshake, head, posted: { decoded }, requester: { party } } = post
  const requests = requestsOf(decoded.batch)
  const [first] = requests
  if (first === undefined && !isHeard) return Effect.succeed(replies.accepted)
  // Nothing can be sent before an empty answer.
  const accept = first === undefined ? "json" : incoming.acceptedByPost(head)
  if (accept === "nothing") return Effect.succeed(replies.notAcceptable)
  const isHandshake = first?.method === "initialize"
  const unspoken = isHandshake ? undefined : incoming.unspoken(server, head)
  if (unspoken !== undefined) return Effect.succeed(replies.error(400, replies.invalidRequest(unspoken), first?.id))
  // What a handshake agrees on is forgotten: each request says the revision again.
  const revision = isHandshake ? undefined : incoming.revisionOf(server, head)
  const served = server.alone({
    envelope: undefined,
    network: Network.http,
    protocolVersion: revision,
    caller: { handshake, party }
  })
  return Batch.isMembers(decoded.batch) && served.dialect.batches !== "accept"
    ? Effect.succeed(replies.noBatches)
    : LateStream.answer(alone, served, post, accept)
}
