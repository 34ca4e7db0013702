/**
 * Laws of a reader that does not read.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { Verdict } from "../laws/Law.ts"
import { blockOf, blocksIn, last, type Side, standstill, untilEnd, untilLast } from "./traffic.ts"

const MiB = 1024 * 1024

/** Far more than sockets and pipes of any system hold by themselves. */
const stalledBytes = 32 * MiB

/** Memory that a process takes for other things meanwhile. */
const slack = 8 * MiB

const blocks = stalledBytes / blockOf(0).length

/** How the memory has grown since this was made; nothing without a probe. */
const growthOf = (memory: Effect.Effect<number> | undefined) =>
  memory === undefined
    ? Effect.succeed(Effect.succeed(0))
    : Effect.map(memory, (before) => Effect.map(memory, (now) => now - before))

const tooMuch = (grown: number, taken: number): Verdict =>
  grown <= 2 * taken * blockOf(0).length + slack
    ? undefined
    : `${taken} blocks of 64 KiB were taken, and the memory grew by ${grown} bytes`

export const backPressure = (memory: Effect.Effect<number> | undefined) => (from: Side, to: Side) =>
  Effect.gen(function*() {
    const growth = yield* growthOf(memory)
    let taken = 0
    const sender = yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: blocks }),
        (_, index) => Effect.map(from.send([blockOf(index)]), () => taken++),
        { discard: true }
      ),
      { startImmediately: true }
    )
    yield* standstill(() => taken)
    if (taken === blocks) return `${blocks} blocks of 64 KiB were taken, and nobody read them`
    const verdict = tooMuch(yield* growth, taken)
    if (verdict !== undefined) return verdict
    const [got] = yield* Effect.all([
      untilLast(to),
      Effect.andThen(Fiber.join(sender), from.send([last]))
    ], { concurrency: 2 })
    return blocksIn(got, blocks)
  })

/** Nothing makes the sender wait, so it is the connection that must end. */
export const unread = (memory: Effect.Effect<number> | undefined) => (from: Side, to: Side) =>
  Effect.gen(function*() {
    const growth = yield* growthOf(memory)
    let taken = 0
    const sent = yield* Effect.exit(Effect.forEach(
      Array.from({ length: blocks }),
      (_, index) => Effect.andThen(Effect.map(from.send([blockOf(index)]), () => taken++), Effect.yieldNow),
      { discard: true }
    ))
    if (Exit.isFailure(sent) && !sent.cause.reasons.every(Cause.isFailReason)) return Cause.pretty(sent.cause)
    yield* standstill(() => taken)
    const verdict = tooMuch(yield* growth, taken)
    if (verdict !== undefined) return verdict
    const { end, texts } = yield* untilEnd(to, blocks)
    if (texts.length === blocks) return `${blocks} blocks of 64 KiB were kept, and nobody read them`
    return blocksIn(texts, texts.length) ?? (end === "Unread" ? undefined : `it ended with ${end}`)
  })
