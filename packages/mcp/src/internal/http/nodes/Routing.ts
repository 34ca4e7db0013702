/**
 * Brings the requests of a session to the node that holds it, whichever node they reach.
 *
 * Where nobody holds it, this node takes it up. Where its holder has died, that may take as long as a lease, for which
 * the request waits. A request that its holder may have begun is never sent again.
 */
import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import { EventStream, RequestRules } from "@parley/http/shared"
import type { Claimed, Mesh, Overloaded, SendError } from "@parley/mesh/Mesh"
import type * as Message from "@parley/protocol/Message"
import { Weight } from "@parley/protocol/shared"
import type { Budget } from "@parley/transport/shared"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Shares from "../../../shared/Shares.ts"
import * as McpError from "../../../wire/McpError.ts"
import { sessionHeader } from "../headers.ts"
import * as replies from "../server/replies.ts"
import { isSessionId } from "../session/HttpSession.ts"
import type { Answer } from "./Answer.ts"
import { keyOf } from "./Claims.ts"
import { forward, type Progress } from "./Forwarding.ts"
import { KeptAnswers } from "./KeptAnswers.ts"
import type { Travel } from "./Travel.ts"

/** @internal */
export interface Options {
  readonly mesh: Mesh
  readonly travel: Travel
  /** The name of the sessions. */
  readonly name: string
  readonly clock: Clock.Clock
  /** Whether this node holds a session. */
  readonly holds: (id: string) => boolean
  /** Takes up a session that nobody holds, if it is known. */
  readonly adopt: (
    id: string,
    head: RequestRules.Head,
    principal: string | undefined
  ) => Effect.Effect<void, Claimed | Overloaded>
  /** The budget that texts count on while they are forwarded. */
  readonly budgetOf: (responder: Responder) => Budget.Budget
  /** The requests of a text. */
  readonly requestsOf: (text: string) => ReadonlyArray<Message.Request>
  /** Whether a request has no session, whatever its headers say. */
  readonly standsAlone: (head: RequestRules.Head, text: string) => boolean
  /** Whether a text has answers to questions of ours, and no request. */
  readonly isAnswer: (text: string) => boolean
  /** The text that fails these questions, in place of an answer that is not kept. */
  readonly lostAnswer: (text: string) => string
  /** Answers here. */
  readonly answer: Answer
  /** Answers to questions are kept until it closes. */
  readonly scope: Scope.Scope
}

/** Answers a request, here or where its session is. @internal */
export const make = (options: Options): Answer => {
  const { adopt, answer, budgetOf, clock, holds, isAnswer, lostAnswer, mesh, name, requestsOf, scope, standsAlone } =
    options
  const kept = new KeptAnswers()
  /** One attempt. Where it fails with `undefined`, nothing has happened, and another may do better. */
  const attempt = (
    id: string,
    head: RequestRules.Head,
    text: string,
    responder: Responder,
    principal: string | undefined
  ): Effect.Effect<Reply | RequestRules.Refusal, undefined> => {
    const progress: Progress = { isStarted: false }
    return Effect.matchEffect(mesh.owner(keyOf(name, id)), {
      onFailure: () => Effect.succeed(replies.unknownHere),
      onSuccess: (owner): Effect.Effect<Reply | RequestRules.Refusal, undefined> =>
        owner === undefined || owner === mesh.node
          ? Effect.matchEffect(adopt(id, head, principal), {
            onFailure: (error) =>
              error._tag === "Claimed" ? Effect.fail(undefined) : Effect.succeed(replies.unknownHere),
            onSuccess: () => answer(head, text, responder, principal)
          })
          : Effect.catch(
            counted(
              budgetOf(responder),
              text,
              // The engine has just said which node holds it: by its key, it would be asked again.
              forward(options, { name, node: owner }, head, text, responder, progress)
            ),
            (error) => isUntaken(error) ? Effect.fail(undefined) : Effect.succeed(lost(error, text, progress))
          )
    })
  }

  const lost = (error: SendError, text: string, { isStarted }: Progress): Reply | RequestRules.Refusal => {
    if (error._tag !== "OwnerGone") return replies.elsewhere
    const errors = (text === "" ? [] : requestsOf(text)).map(({ id }) => replies.refused(503, McpError.ownerGone, id))
    const [first] = errors
    if (isStarted) {
      return { ...replies.streamed, body: errors.map(({ body = "" }) => EventStream.encode(body)).join("") }
    }
    return first === undefined || errors.length > 1 ? gone : first
  }

  /** Answers where the session is, or comes to be within the patience of its client. */
  const routed = (
    id: string,
    head: RequestRules.Head,
    text: string,
    responder: Responder,
    principal: string | undefined
  ): Effect.Effect<Reply | RequestRules.Refusal> => {
    const until = clock.currentTimeMillisUnsafe() + patience
    const look: Effect.Effect<Reply | RequestRules.Refusal> = Effect.catch(
      attempt(id, head, text, responder, principal),
      () =>
        clock.currentTimeMillisUnsafe() < until
          ? Effect.andThen(clock.sleep(pause), go)
          : Effect.succeed(replies.elsewhere)
    )
    const here = Effect.suspend(() => answer(head, text, responder, principal))
    // One that stood still learns only now that another has it.
    const held = Effect.flatMap(here, (reply) => reply === replies.elsewhere ? look : Effect.succeed(reply))
    // Another request may bring the session here while this one waits.
    const go = Effect.suspend(() => holds(id) ? held : look)
    return go
  }

  /** Tries again and again, until so long from now. */
  const repeated = (
    go: Effect.Effect<Reply | RequestRules.Refusal>,
    milliseconds: number,
    gap: Duration.Duration
  ): Effect.Effect<Reply | RequestRules.Refusal> => {
    const until = clock.currentTimeMillisUnsafe() + milliseconds
    const again: Effect.Effect<Reply | RequestRules.Refusal> = clock.sleep(gap).pipe(
      Effect.andThen(go),
      Effect.flatMap((reply) =>
        isUnreached(reply) && clock.currentTimeMillisUnsafe() < until ? again : Effect.succeed(reply)
      )
    )
    return again
  }

  /** Keeps an answer after its client was told that nobody takes it. */
  const keep = (
    id: string,
    head: RequestRules.Head,
    text: string,
    responder: Responder,
    principal: string | undefined
  ): Effect.Effect<unknown> =>
    kept.keep({
      party: principal === undefined ? id : Shares.ofPrincipal(principal),
      text,
      lost: () => lostAnswer(text),
      deliver: (text, kind) =>
        counted(
          budgetOf(responder),
          text,
          // A client that sends its answer again comes before the error.
          repeated(
            routed(id, head, text, responder, principal),
            answersKept,
            kind === "answer" ? longPause : Duration.millis(answersHeld)
          )
        )
    })

  return (head, text, responder, principal) => {
    const id = head.header(sessionHeader)
    if (id === undefined || !isSessionId(id) || standsAlone(head, text)) {
      return Effect.suspend(() => answer(head, text, responder, principal))
    }
    const go = routed(id, head, text, responder, principal)
    return Effect.flatMap(go, (reply) => {
      if (!isUnreached(reply) || head.method !== "POST" || !isAnswer(text)) return Effect.succeed(reply)
      const held = counted(budgetOf(responder), text, repeated(go, answersHeld, pause))
      const delivered = Effect.tap(held, (reply) =>
        // In a fiber of its own, which has no more of the answer than what is kept.
        isUnreached(reply)
          ? Effect.forkIn(keep(id, head, text, responder, principal), scope)
          : Effect.void)
      return Effect.flatMap(
        Effect.forkIn(delivered, scope),
        (fiber) =>
          Effect.raceFirst(
            // One that ends with the endpoint was not delivered.
            Effect.flatMap(Fiber.await(fiber), (exit) => Exit.hasInterrupts(exit) ? Effect.succeed(reply) : exit),
            Effect.as(clock.sleep(Duration.millis(answersHeld)), reply)
          )
      )
    })
  }
}

/** Counts a text for as long as it is forwarded: the text, and what is said of it to the other node. */
const counted = <E>(
  budget: Budget.Budget,
  text: string,
  forwarded: Effect.Effect<Reply | RequestRules.Refusal, E>
): Effect.Effect<Reply | RequestRules.Refusal, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => budget.share()),
    (share) => {
      const weight = 2 * Weight.ofWaiting(text)
      if (!share.fits(weight)) return Effect.succeed(RequestRules.tooMany)
      share.take(weight)
      return forwarded
    },
    (share) => Effect.sync(() => share.close())
  )

const isUntaken = (error: SendError): boolean => error._tag === "NoOwner" || (error._tag === "OwnerGone" && !error.sent)

const gone = new RequestRules.Refusal(
  503,
  "The process that had this session is gone; what it was sent may have run.",
  {
    "retry-after": "1"
  }
)

const isUnreached = (reply: Reply | RequestRules.Refusal): boolean =>
  reply === replies.unknownHere || reply === replies.elsewhere || reply === gone

/**
 * How long a client that answers a question waits for the process that has asked, in milliseconds: then it is told 503. Only
 * the first of two answers counts, so that it may send it again.
 */
const answersHeld = 30_000

/** How long the answer itself is kept, in milliseconds: as long as a question waits by default. */
const answersKept = 600_000

/** How long a request waits for a session whose holder has died, in milliseconds: a second longer than a lease. */
const patience = 4_000

/** Between two looks for who holds it. */
const pause = Duration.millis(250)

/** The same for an answer whose client does not wait any more. */
const longPause = Duration.seconds(2)
