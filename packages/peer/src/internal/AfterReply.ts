/**
 * What handlers leave to run when their reply is on its way, such as what sends the items of a subscription that the
 * reply names. It keeps no connection open: a connection that has nothing else left to do interrupts it.
 */
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Log } from "./Reply.ts"

/** What one handler has left to run. @internal */
export interface Left {
  readonly effect: Effect.Effect<unknown>
  /** What runs instead where there is no reply to follow, or nobody to hear it. */
  readonly otherwise: Effect.Effect<unknown> | undefined
}

/** @internal */
export interface AfterReply {
  /** Runs what was left side by side, in its order. */
  readonly run: (all: ReadonlyArray<Left>) => void
  /** Does not run it. */
  readonly drop: (all: ReadonlyArray<Left> | undefined) => void
  /** Interrupts what runs, and runs nothing any more. */
  readonly interruptAll: () => void
  /** How many run. */
  readonly size: () => number
}

/** @internal */
export const make = (options: {
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly log: Log
  /** One has ended. */
  readonly onEnd: () => void
}): AfterReply => {
  const { fork, log, onEnd } = options
  const fibers = new Set<Fiber.Fiber<unknown>>()
  let over = false

  const start = (effect: Effect.Effect<unknown>) => {
    const fiber = fork(effect)
    fibers.add(fiber)
    // It may have ended the connection itself.
    if (over) fiber.interruptUnsafe()
    watch(fiber)
    fiber.addObserver(() => {
      fibers.delete(fiber)
      onEnd()
    })
  }

  const watch = (fiber: Fiber.Fiber<unknown>) =>
    fiber.addObserver((exit) => {
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) log("what ran after a reply failed", exit.cause)
    })

  const drop: AfterReply["drop"] = (all) =>
    all?.forEach(({ otherwise }) => otherwise === undefined ? undefined : watch(fork(otherwise)))

  return {
    run: (all) => {
      for (const left of all) {
        if (over) drop([left])
        else start(left.effect)
      }
    },
    drop,
    interruptAll: () => {
      over = true
      for (const fiber of [...fibers]) fiber.interruptUnsafe()
    },
    size: () => fibers.size
  }
}
