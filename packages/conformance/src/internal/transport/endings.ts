/**
 * Laws of the end of a connection: in order, from both sides at once, and without a word.
 */
import type { TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { Verdict } from "../laws/Law.ts"
import { blockOf, blocksIn, type Side, tagOf, untilEnd } from "./traffic.ts"

export const endOfInput = (from: Side, to: Side, end: string) =>
  Effect.gen(function*() {
    const sent = Array.from({ length: 32 }, (_, index) => blockOf(index))
    const closing = Effect.forEach(sent, (text) => from.send([text])).pipe(Effect.andThen(from.close))
    const [, { end: first, texts: got }] = yield* Effect.all([closing, untilEnd(to)], { concurrency: 2 })
    const again = tagOf(yield* Effect.exit(to.receive))
    return blocksIn(got, sent.length)
      ?? (first === end ? undefined : `it ended with ${first}`)
      ?? (again === end ? undefined : `it ended with ${first}, then with ${again}`)
  })

export const closing = (from: Side) =>
  Effect.gen(function*() {
    const reader = yield* Effect.forkChild(from.receive, { startImmediately: true })
    yield* Effect.all([from.close, from.close], { concurrency: 2 })
    yield* from.close
    const waiting = tagOf(yield* Fiber.await(reader))
    const later = tagOf(yield* Effect.exit(from.receive))
    const sent = tagOf(yield* Effect.exit(from.send(["{}"])))
    return waiting === "Closed" && later === "Closed" && sent === "Closed"
      ? undefined
      : `the reader that waited ended with ${waiting}, a later one with ${later}, a later send with ${sent}`
  })

/** Texts of several senders: `[which, count]`. */
const senders = [0, 1, 2, 3]

/** Sends after closing has begun: far more than any wire takes before it has closed. */
const late = 100_000

/** The possible ends of a side when both close at any time. */
const typed = ["Closed", "EndOfInput", "Lost", "Exited", "CloseCode"]

export const closingAmidTraffic = (from: Side, to: Side) =>
  Effect.gen(function*() {
    let isClosing = false
    const sends = yield* Effect.forEach(senders, (which) =>
      Effect.forkChild(
        Effect.gen(function*() {
          for (let count = 0, left = late; left > 0; count++) {
            if (isClosing) left--
            yield* from.send([JSON.stringify([which, count])])
            yield* Effect.yieldNow
          }
        }),
        { startImmediately: true }
      ))
    const back = yield* Effect.forkChild(untilEnd(from), { startImmediately: true })
    // So that there is traffic when it closes.
    const got = [...yield* to.receive]
    const there = yield* Effect.forkChild(untilEnd(to), { startImmediately: true })
    isClosing = true
    yield* Effect.all([from.close, from.close, to.close], { concurrency: 3 })
    const ends = yield* Effect.forEach(sends, (fiber) => Effect.map(Fiber.await(fiber), tagOf))
    const { end: near } = yield* Fiber.join(back)
    const { end: far, texts } = yield* Fiber.join(there)
    got.push(...texts)
    const untyped = [...ends, near, far].find((end) => !typed.includes(end))
    if (untyped !== undefined) return `something ended with ${untyped}`
    const expected = senders.map(() => 0)
    for (const text of got) {
      const [which, count] = typeof text === "string" ? JSON.parse(text) : []
      if (expected[which] !== count) return `${JSON.stringify(text)} came where [${which},${expected[which]}] should`
      expected[which] = count + 1
    }
    return undefined
  })

/** The other side is gone, and did not close. */
export const losing = (
  side: Side,
  vanish: Effect.Effect<void>,
  end: TransportError["reason"]["_tag"]
): Effect.Effect<Verdict> =>
  Effect.gen(function*() {
    const reader = yield* Effect.forkChild(untilEnd(side), { startImmediately: true })
    yield* Effect.andThen(Effect.yieldNow, vanish)
    const { end: waiting } = yield* Fiber.join(reader)
    const later = tagOf(yield* Effect.exit(side.receive))
    const sent = yield* Effect.exit(side.send(["{}"]))
    if (waiting !== end || later !== end) return `it ended with ${waiting}, then with ${later}`
    if (Exit.isSuccess(sent)) return "what was sent after the loss went nowhere, and nobody said so"
    if (!typed.includes(tagOf(sent))) return `a send after the loss ended with ${tagOf(sent)}`
    yield* Effect.all([side.close, side.close], { concurrency: 2 })
    return undefined
  })
