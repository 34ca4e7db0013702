/**
 * What goes out by one lane: one text at a time, in the order it was written.
 *
 * Calls wait for their turn while a text is under way. What tells the other side
 * that a call is given up does not: there is at most one for each call that went
 * out.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Outbox } from "./Outbox.ts"
import type { Log } from "./Reply.ts"

/** @internal */
export interface LaneOutbox extends Pick<Outbox, "hasRoom" | "park" | "reply" | "withdraw" | "write"> {
  /** Lets go who waits for its turn. */
  readonly close: () => void
}

/** @internal */
export const make = (
  send: (text: string) => Effect.Effect<void>,
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>,
  log: Log
): LaneOutbox => {
  const texts: Array<string> = []
  const parked = new Map<object, () => void>()
  let isSending = false
  let isTurning = false

  const begin = (text: string) => {
    isSending = true
    fork(Effect.suspend(() => send(text))).addObserver((exit) => {
      isSending = false
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) log("a lane failed to send", exit.cause)
      turn()
    })
  }

  const admit = ([owner, enter]: readonly [object, () => void]) => {
    parked.delete(owner)
    enter()
  }

  /** Sends what is next. A text that is sent at once comes back here in the middle of it. */
  const turn = () => {
    if (isTurning) return
    isTurning = true
    while (!isSending) {
      const text = texts.shift()
      const next = parked.entries().next().value
      if (text !== undefined) begin(text)
      else if (next !== undefined) admit(next)
      else break
    }
    isTurning = false
  }

  const write = (text: string) => {
    texts.push(text)
    turn()
    return 0
  }

  return {
    write,
    reply: write,
    hasRoom: () => !isSending && texts.length === 0,
    park: (owner, enter) => void parked.set(owner, enter),
    withdraw: (owner) => void parked.delete(owner),
    close: () => {
      for (const entry of [...parked]) admit(entry)
    }
  }
}
