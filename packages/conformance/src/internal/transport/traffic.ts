/**
 * The texts that the laws of transports send, and how they read them.
 */
import type { Received, Transport, TransportError } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Verdict } from "../laws/Law.ts"

/** One side of a connection. */
export type Side = Transport

/** Ends a series of texts, so that a lost one shows as a difference and not as waiting for ever. */
export const last = "\"last\""

/** 64 KiB that say which one they are. */
export const blockOf = (index: number): string => `"${String(index).padEnd(65_534, ".")}"`

/** The problem of texts that should be the first `count` blocks. */
export const blocksIn = (got: ReadonlyArray<Received>, count: number): Verdict => {
  const wrong = got.findIndex((block, index) => block !== blockOf(index))
  if (wrong >= 0) return `text ${wrong} of ${count} is ${JSON.stringify(got[wrong]).slice(0, 60)}`
  return got.length === count ? undefined : `${got.length} of ${count} texts came`
}

/** Sends what belongs together in one go each, and the last text. */
export const sendAll = (side: Side, all: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<void, TransportError> =>
  Effect.forEach([...all, [last]], ([first = last, ...others]) => side.send([first, ...others]), { discard: true })

/** All texts up to the last one, and what comes together with it. */
export const untilLast = (side: Side): Effect.Effect<ReadonlyArray<Received>, TransportError> => {
  const got: Array<Received> = []
  const more: Effect.Effect<ReadonlyArray<Received>, TransportError> = Effect.flatMap(side.receive, (some) => {
    for (const each of some) got.push(each)
    return some.includes(last) ? Effect.succeed(got.filter((each) => each !== last)) : more
  })
  return more
}

/** All texts, and what the input ended with. Where it stays open, `enough` texts are the end. */
export const untilEnd = (side: Side, enough = Infinity) => {
  const got: Array<Received> = []
  const more: Effect.Effect<void, TransportError> = Effect.flatMap(side.receive, (some) => {
    for (const each of some) got.push(each)
    return got.length < enough ? more : Effect.void
  })
  return Effect.map(Effect.exit(more), (exit) => ({ texts: got, end: tagOf(exit) }))
}

/** The reason of a failure; what else it was, where it was none. */
export const tagOf = (exit: Exit.Exit<unknown, TransportError>): string => {
  if (Exit.isSuccess(exit)) return JSON.stringify(exit.value) ?? "success"
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return failure === undefined ? Cause.pretty(exit.cause) : failure.error.reason._tag
}

export const differ = (expected: ReadonlyArray<Received>, got: ReadonlyArray<Received>): Verdict => {
  const [one, other] = [JSON.stringify(expected), JSON.stringify(got)]
  return one === other ? undefined : `expected ${one.slice(0, 10_000)}\nbut got  ${other.slice(0, 10_000)}`
}

/** Turns of the scheduler after which what has not moved does not move any more. */
const quietTurns = 300

/** Waits until a number stands still for many turns of the event loop. */
export const standstill = (read: () => number): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let before = -1, quiet = 0; quiet < quietTurns;) {
      quiet = read() === before ? quiet + 1 : 0
      before = read()
      yield* Effect.yieldNow
    }
  })
