/**
 * Laws of texts on their way: whole, in order, each once, whoever else sends or stops reading.
 */
import type { Received } from "@parley/transport/Transport"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { json } from "../../shared/Generators.ts"
import type { Verdict } from "../laws/Law.ts"
import { blockOf, blocksIn, differ, last, sendAll, type Side, untilLast } from "./traffic.ts"

const text = Arbitrary.map(json, (value) => JSON.stringify({ value }))

export const texts = Arbitrary.array(text, { maxLength: 6 })

const batches = Arbitrary.array(
  Arbitrary.map(Arbitrary.all({ first: text, others: texts }), ({ first, others }) => [first, ...others] as const),
  { maxLength: 4 }
)

export const bothWays = Arbitrary.all({ there: batches, back: batches })

type Sends = ReadonlyArray<ReadonlyArray<string>>

/** Sends each way at once, and reads meanwhile. */
const exchange = (left: Side, right: Side, there: Sends, back: Sends) =>
  Effect.map(
    Effect.all([sendAll(left, there), untilLast(right), sendAll(right, back), untilLast(left)], {
      concurrency: "unbounded"
    }),
    ([, gotThere, , gotBack]) => ({ gotThere, gotBack })
  )

export const inOrder = (left: Side, right: Side, { back, there }: { readonly there: Sends; readonly back: Sends }) =>
  Effect.map(
    exchange(left, right, there, back),
    ({ gotBack, gotThere }) => differ(there.flat(), gotThere) ?? differ(back.flat(), gotBack)
  )

export const wholeTexts = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const sizes = [1, 100, 4_095, 4_096, 8_193, 65_535, 65_536, 65_537, 1_000_000]
    const large = sizes.map((size) => JSON.stringify("añ✓𝄞".repeat(size / 4 + 1).slice(0, size)))
    const [, got] = yield* Effect.all([sendAll(from, [large]), untilLast(to)], { concurrency: 2 })
    const wrong = sizes.find((_, index) => got[index] !== large[index])
    return wrong === undefined && got.length === large.length
      ? undefined
      : `${got.length} texts came, and the one of ${wrong} characters is wrong`
  })

/** JSON that a transport might take for something of its own, or for nothing. */
const odd: ReadonlyArray<string> = [
  "0",
  "{}",
  "[]",
  "\"\"",
  "null",
  "\"\\u0000\"",
  "\"\\ud800\"",
  "\"\\udc00\\ud800\"",
  "\"\\n\\r\\r\\n\"",
  "\"\u2028\u2029\u0085\"",
  "\"\ufeff\"",
  "{\"\ufeff\":\"\u007f\"}",
  "\"\ufffd\uffff\u{10ffff}\"",
  "[ {} ,\t[ ] ]",
  "\"Content-Length: 2\\r\\n\\r\\n{}\"",
  "\"{[\\\"\\\\\""
]

/** Together, so that one could run into the next, and one by one. */
export const oddTexts = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const [, got] = yield* Effect.all([sendAll(from, [odd, ...odd.map((text) => [text])]), untilLast(to)], {
      concurrency: 2
    })
    return differ([...odd, ...odd], got)
  })

export const manyAtOnce = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const many = Array.from({ length: 10_000 }, (_, index) => `[${index}]`)
    const [, got] = yield* Effect.all([sendAll(from, [many]), untilLast(to)], { concurrency: 2 })
    const wrong = many.findIndex((text, index) => got[index] !== text)
    if (wrong >= 0) return `text ${wrong} of ${many.length} is ${JSON.stringify(got[wrong])}`
    return got.length === many.length ? undefined : `${got.length} of ${many.length} texts came`
  })

/** Each of `[fiber, send, part]`, from several fibers at once. */
export const togetherFromFibers = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const [fibers, sends, parts] = [8, 25, 4]
    const sending = Effect.forEach(Array.from({ length: fibers }), (_, fiber) =>
      Effect.forEach(Array.from({ length: sends }), (_, send) =>
        Effect.andThen(
          from.send([
            `[${fiber},${send},0]`,
            ...Array.from({ length: parts - 1 }, (_, part) =>
              `[${fiber},${send},${part + 1}]`)
          ]),
          Effect.yieldNow
        )), { concurrency: "unbounded" })
    const [, got] = yield* Effect.all([
      Effect.andThen(sending, from.send([last])),
      untilLast(to)
    ], { concurrency: 2 })
    const next = Array.from({ length: fibers }, () =>
      0)
    for (let place = 0; place < fibers * sends * parts; place++) {
      const [fiber, send, part] = JSON.parse(String(got[place] ?? "[]"))
      if (part !== place % parts || send !== next[fiber]) {
        return `text ${place} is ${JSON.stringify(got[place])}`
      }
      if (part === parts - 1) {
        next[fiber] = send + 1
      }
    }
    return got.length === fibers * sends * parts ? undefined : `${got.length} texts came`
  })

export const floods = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const flood = Array.from({ length: 64 }, (_, index) => [blockOf(index)])
    const { gotBack, gotThere } = yield* exchange(from, to, flood, flood)
    return blocksIn(gotThere, flood.length) ?? blocksIn(gotBack, flood.length)
  })

export const oneReader = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const reader = yield* Effect.forkChild(to.receive, { startImmediately: true })
    const second = yield* Effect.exit(to.receive)
    yield* from.send(["{}"])
    const first = yield* Fiber.join(reader)
    if (Exit.isSuccess(second) || !Cause.hasDies(second.cause)) return "the second reader was served"
    return differ(["{}"], first)
  })

export const interrupted = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const got: Array<Received> = []
    for (let index = 0; index < 20; index++) {
      const reader = yield* Effect.forkChild(to.receive, { startImmediately: true })
      yield* Fiber.interrupt(reader)
      sent.push(`[${index}]`)
      // At once: a transport without room sends when it is read.
      const [, more] = yield* Effect.all([sendAll(from, [[`[${index}]`]]), untilLast(to)], { concurrency: 2 })
      got.push(...more)
    }
    return differ(sent, got)
  })

/** Interrupts a reader after a few turns, whatever it does by then, and goes on with the next one. */
export const interruptedAnywhere = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const sent = Array.from({ length: 200 }, (_, index) => `[${index}]`)
    const sender = yield* Effect.forkChild(
      Effect.forEach(sent, (text) => Effect.andThen(from.send([text]), Effect.yieldNow), { discard: true })
    )
    const got: Array<Received> = []
    for (let turns = 0; sender.pollUnsafe() === undefined; turns = (turns + 1) % 7) {
      // It notes what it was handed in the same turn.
      const reader = yield* Effect.forkChild(Effect.map(to.receive, (some) => void got.push(...some)), {
        startImmediately: true
      })
      for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
      yield* Fiber.interrupt(reader)
    }
    const [, more] = yield* Effect.all([sendAll(from, []), untilLast(to)], { concurrency: 2 })
    return differ(sent, [...got, ...more])
  })

/** A verdict for each direction of a pair. */
export const eachWay = (
  there: Effect.Effect<Verdict, unknown>,
  back: Effect.Effect<Verdict, unknown>
): Effect.Effect<Verdict, unknown> =>
  Effect.gen(function*() {
    const first = yield* there
    if (first !== undefined) return `from the first to the second: ${first}`
    const second = yield* back
    return second === undefined ? undefined : `from the second to the first: ${second}`
  })
