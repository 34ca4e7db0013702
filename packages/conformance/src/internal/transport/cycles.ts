/**
 * Connections that are opened and closed thousands of times, in every way to end one.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Body } from "../laws.ts"
import { differ, type Side, untilEnd } from "./traffic.ts"

/**
 * How often a pair is opened and closed, and what tells what is left of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Cycling {
  readonly count: number
  /** How many take their turns at once, for what takes long to open. The default is 1. */
  readonly concurrency?: number | undefined
  /** How many there are of each thing that a connection may hold: handles, listeners of events, timers. */
  readonly held: Effect.Effect<Readonly<Record<string, number>>>
  /** Bytes in use after garbage collection. */
  readonly memory: Effect.Effect<number>
  /** Bytes by which it may grow in all cycles together. */
  readonly allowed: number
}

type Open = Effect.Effect<readonly [Side, Side], unknown, Scope.Scope>

/** One text each way, so that the connection came about. */
const greet = Effect.fnUntraced(function*([left, right]: readonly [Side, Side]) {
  yield* left.send(["[1]"])
  const there = yield* right.receive
  yield* right.send(["[2]"])
  return differ(["[1]", "[2]"], [...there, ...yield* left.receive])
})

/** The ways a connection ends. */
const ways: ReadonlyArray<(open: Open) => Effect.Effect<string | undefined, unknown>> = [
  // With its Scope.
  (open) => Effect.scoped(Effect.flatMap(open, greet)),
  // By hand, and the other side reads to the end.
  (open) =>
    Effect.scoped(Effect.gen(function*() {
      const [left, right] = yield* open
      const verdict = yield* greet([left, right])
      yield* Effect.all([left.close, untilEnd(right)], { concurrency: 2 })
      yield* right.close
      return verdict
    })),
  // By an interruption, while a receive waits.
  (open) =>
    Effect.gen(function*() {
      const greeted = yield* Deferred.make<string | undefined, unknown>()
      const reading = Effect.scoped(Effect.gen(function*() {
        const [left, right] = yield* open
        yield* Deferred.succeed(greeted, yield* greet([left, right]))
        yield* left.receive
        return undefined
      }))
      const fiber = yield* Effect.forkChild(Effect.onExit(reading, (exit) => Deferred.done(greeted, exit)))
      const verdict = yield* Deferred.await(greeted)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      return verdict
    }),
  // By an interruption that may come before it is open.
  (open) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.flatMap(open, ([left]) => left.receive)), {
        startImmediately: true
      })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      return undefined
    })
]

/** Turns of the scheduler that what is released may take to be gone. */
const patience = 5_000

export const cycles = (open: Open, { allowed, concurrency = 1, count, held, memory }: Cycling): Body =>
  Effect.gen(function*() {
    const run = (times: number) =>
      Effect.gen(function*() {
        let next = 0
        let broken: string | undefined
        const series = Effect.gen(function*() {
          while (next < times && broken === undefined) {
            const cycle = next++
            const verdict = yield* ways[cycle % ways.length]?.(open) ?? Effect.succeed(undefined)
            if (verdict !== undefined) broken ??= `cycle ${cycle}: ${verdict}`
          }
        })
        yield* Effect.all(Array.from({ length: concurrency }, () => series), { concurrency, discard: true })
        return broken
      })
    const before = yield* held
    const settled = Effect.gen(function*() {
      for (let turn = 0;; turn++) {
        const more = Object.entries(yield* held).filter(([name, now]) => now > (before[name] ?? 0))
        if (more.length === 0) return undefined
        if (turn === patience) return more.map(([name, now]) => `${name}: ${before[name] ?? 0}, then ${now}`).join("; ")
        yield* Effect.yieldNow
      }
    })
    // A few cycles make everything that is made once and kept, by the runtime too, before the memory is measured.
    const warm = (yield* run(Math.ceil(count / 20))) ?? (yield* settled)
    if (warm !== undefined) return warm
    const least = yield* memory
    const verdict = (yield* run(count)) ?? (yield* settled)
    if (verdict !== undefined) return verdict
    const grown = (yield* memory) - least
    return grown <= allowed ? undefined : `the memory grew by ${grown} bytes in ${count} cycles`
  })
