/**
 * A transport over an exchange: what is sent is posted, text by text, and what
 * comes back for it is received.
 *
 * Requests run at once, up to `Limits.inFlight`. What holds a notification or a
 * response keeps its place: the next text is posted when it was answered, or after
 * `Limits.notification`. Each request gets an answer, if only that there is none.
 * Texts that came back and are not received yet count on the budget.
 */
import { Exchange } from "@parley/peer/shared"
import { Weight } from "@parley/protocol/shared"
import { Budget } from "@parley/transport/shared"
import { type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Asked, type Rules } from "./Asked.ts"
import * as failures from "./failures.ts"

/** Texts that lie unread before what comes back is read no further. One of them may have the size of a frame. */
const unread = 16

export interface Options {
  readonly rules: Rules
  /** Receives the reason why a text without a due response could not be passed on. */
  readonly complain: (sentence: string) => Effect.Effect<void>
}

/** The transport, until the Scope closes; then what still runs is given up. */
export const make = Effect.fnUntraced(function*(
  exchange: Exchange.Exchange,
  { complain, rules }: Options
): Effect.fn.Return<Transport, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const budget = (yield* Budget.Budget) ?? Budget.make(rules.budget)
  const posts = yield* Scope.fork(scope, "parallel")
  const texts = yield* Queue.bounded<string, TransportError>(unread)
  const permits = Semaphore.makeUnsafe(rules.inFlight)
  const closed = transportError({ _tag: "Closed" })
  let isClosed = false
  /** The weight of the texts that are here. */
  let held = 0

  const hold = (weight: number): void => {
    if (isClosed) return
    held += weight
    Budget.grow(budget, weight)
  }

  /** The text has already arrived. So if there is no room for it, the heaviest connection ends. */
  const give = (text: string) => {
    hold(Weight.ofWaiting(text))
    return Queue.offerUnsafe(texts, text) ? undefined : Effect.asVoid(Queue.offer(texts, text))
  }

  const post = (text: string, asked: Asked): Effect.Effect<void> =>
    exchange.post(text, (answer) => asked.settle(answer) === "general" ? undefined : give(answer)).pipe(
      // A text without requests may be what those under way wait for.
      Effect.provideService(Exchange.Share, asked.isSettled ? "reply" : "call"),
      Effect.as(failures.unanswered),
      Effect.catch((error) =>
        asked.isSettled
          ? Effect.as(complain(`a text was not passed on: ${failures.sentenceOf(error)}`), failures.ofExchange(error))
          : Effect.succeed(failures.ofExchange(error))
      ),
      Effect.flatMap((error) => {
        const rest = asked.rest(error)
        return rest === undefined ? Effect.void : give(rest) ?? Effect.void
      })
    )

  /** Between taking a permit and forking what gives it back, nothing may interrupt. */
  const begin = (text: string, asked: Asked) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        restore(permits.take(1)),
        () => Effect.forkIn(Effect.ensuring(restore(post(text, asked)), permits.release(1)), posts)
      )
    )

  const sendOne = (text: string) =>
    Effect.suspend(() => {
      if (isClosed) return Effect.fail(closed)
      const asked = new Asked(text, rules)
      const begun = begin(text, asked)
      return asked.isOrdered
        ? Effect.asVoid(Effect.flatMap(begun, (fiber) => Effect.timeoutOption(Fiber.await(fiber), rules.notification)))
        : Effect.asVoid(begun)
    })

  return {
    receive: Effect.tap(
      Queue.takeAll(texts),
      (taken) => Effect.sync(() => taken.forEach((text) => hold(-Weight.ofWaiting(text))))
    ),
    send: (sent) => Effect.forEach(sent, sendOne, { discard: true }),
    close: Effect.suspend(() => {
      if (isClosed) return Effect.void
      hold(-held)
      isClosed = true
      return Effect.andThen(Queue.fail(texts, closed), Scope.close(posts, Exit.void))
    })
  }
})
