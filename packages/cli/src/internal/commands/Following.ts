/**
 * The notifications of the other side, which `parley call --follow` shows as they come. At most a few of them wait: the
 * other side is read no faster than what shows them.
 */
import type { DisconnectReason } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"

/** A notification. */
export type Notification = Pick<Call, "method" | "params">

export interface Following {
  /** Serves every method that nothing else serves: takes notifications, and refuses requests. */
  readonly fallback: Handler
  /** Shows what comes while an effect runs, and all that has come before its end, also where it fails. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Shows what comes until nothing has come for a time, or until the peer is closed, which gives the reason of that end.
   * A peer that is closed has run all of its handlers; one that is disconnected may still have notifications to take.
   */
  readonly after: (
    closed: Effect.Effect<DisconnectReason>,
    idle: Duration.Duration | undefined
  ) => Effect.Effect<DisconnectReason | undefined>
  /** Shows nothing more, and keeps no notification waiting: the peer would wait for its handlers. */
  readonly end: Effect.Effect<void>
}

/** How many notifications wait. */
const mostWaiting = 16

/** Milliseconds in which those are shown that have come before the end: the other side may go on sending without one. */
const longestRest = 5_000

/** Turns of the peer in which it hands on the next of those that it holds. */
const turns = 16

export const make = (show: (notification: Notification) => Effect.Effect<void>): Effect.Effect<Following> =>
  Effect.map(Queue.bounded<Notification>(mostWaiting), (queue) => {
    /** Shows the one that has waited longest, and tells whether there was one. None is taken that is not shown. */
    const showNext = Effect.uninterruptible(Effect.flatMap(
      Queue.poll(queue),
      Option.match({ onNone: () => Effect.succeed(false), onSome: (one) => Effect.as(show(one), true) })
    ))
    /** Shows those that wait, here and in the peer, which hands them on as they are shown. */
    const rest = Effect.suspend(() => {
      let idle = 0
      const next = Effect.map(Effect.andThen(Effect.yieldNow, showNext), (isShown) => {
        idle = isShown ? 0 : idle + 1
      })
      return Effect.timeoutOption(Effect.repeat(next, { while: () => idle < turns }), longestRest)
    })
    /** Shows those that wait here now. */
    const waiting = Effect.suspend(() =>
      Effect.forEach(Array.from({ length: Queue.sizeUnsafe(queue) }), () => showNext, { discard: true })
    )
    const each = Effect.forever(Effect.andThen(Queue.peek(queue), showNext))
    const untilIdle = (idle: Duration.Duration): Effect.Effect<undefined> =>
      Effect.as(
        Effect.repeat(Effect.andThen(Effect.timeoutOption(Queue.peek(queue), idle), showNext), {
          while: (isShown) => isShown
        }),
        undefined
      )
    return {
      fallback: ({ id, method, params }) =>
        id === undefined
          ? Effect.asVoid(Queue.offer(queue, { method, params }))
          : Effect.fail(ErrorResponse.methodNotFound(method)),
      during: (effect) =>
        Effect.flatten(Effect.tap(
          Effect.raceFirst(Effect.exit(effect), each),
          // What comes with a result is shown after it, and with a failure there is no after.
          (exit) => Exit.isSuccess(exit) ? waiting : rest
        )),
      after: (closed, idle) =>
        Effect.tap(Effect.raceFirst(idle === undefined ? each : untilIdle(idle), closed), () => rest),
      end: Effect.asVoid(Queue.shutdown(queue))
    }
  })
