/**
 * What a transport promises, for any implementation of `Transport`.
 *
 * `pairs` needs two transports that are each other's other side. `streams` needs
 * a transport whose other side is a stream of bytes in the hands of the test, for
 * what no transport does by itself: cutting texts anywhere, ending one direction.
 * No law looks at a clock.
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import type { Received, Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Arbitrary from "effect/Arbitrary"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Cuts from "./Cuts.ts"
import { json } from "./Generators.ts"
import { forAll, type Law, LawBroken, type Verdict } from "./Law.ts"

type Side = Transport["Service"]

/**
 * How two connected transports are made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Pair {
  /** What the laws are called by. */
  readonly name: string
  readonly open: Effect.Effect<readonly [Side, Side], unknown, Scope.Scope>
  /** What the first one ends with when the second is closed: `EndOfInput`, unless it is a process that exits. */
  readonly end?: TransportError["reason"]["_tag"] | undefined
}

/**
 * The other side of a transport, as bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wire {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Ends this direction; the other goes on. */
  readonly end: Effect.Effect<void>
  /** All that the transport has written, when it has closed. */
  readonly received: Effect.Effect<Uint8Array>
}

/**
 * How a transport is made whose other side is a stream of bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface OnWire {
  /** What the laws are called by. */
  readonly name: string
  readonly framing: Framing
  readonly open: Effect.Effect<readonly [Side, Wire], unknown, Scope.Scope>
}

/**
 * The laws of any transport.
 *
 * @category laws
 * @since 0.1.0
 */
export const pairs = (pair: Pair, options: Arbitrary.CheckOptions = { runs: 30 }): ReadonlyArray<Law> => {
  const end = pair.end ?? "EndOfInput"
  /** A law of each direction of the same pair. */
  const open = (name: string, check: (from: Side, to: Side) => Effect.Effect<Verdict, unknown>) =>
    law(
      `${pair.name}: ${name}`,
      () => Effect.scoped(Effect.flatMap(pair.open, ([left, right]) => eachWay(check(left, right), check(right, left))))
    )
  /** A law of each direction that uses a pair up. */
  const closed = (name: string, check: (from: Side, to: Side, end: string) => Effect.Effect<Verdict, unknown>) =>
    law(`${pair.name}: ${name}`, () =>
      eachWay(
        Effect.scoped(Effect.flatMap(pair.open, ([left, right]) => check(left, right, "EndOfInput"))),
        Effect.scoped(Effect.flatMap(pair.open, ([left, right]) => check(right, left, end)))
      ))
  return [
    inOrder(pair, options),
    open("texts of any size arrive whole", wholeTexts),
    open("two floods at once do not block each other", floods),
    open("a second reader at the same time is a defect", oneReader),
    open("a reader that is interrupted takes nothing with it", interrupted),
    open("a reader that stalls makes the sender wait", backPressure),
    closed("closing ends the input of the other side, after what was sent", endOfInput),
    closed("closing ends this side, and may be repeated", closing)
  ]
}

/**
 * The laws of a transport over a stream of bytes that can end in one direction alone.
 *
 * @category laws
 * @since 0.1.0
 */
export const streams = (wire: OnWire, options: Arbitrary.CheckOptions = { runs: 30 }): ReadonlyArray<Law> => [
  opened(
    `${wire.name}: texts arrive whole at any cut of the bytes`,
    wire.open,
    ([transport, { write }], name) =>
      forAll(name, Arbitrary.all({ cut: Cuts.cut, texts }), ({ cut, texts }) => {
        const chunks = Cuts.apply(wire.framing.join([...texts, last]), cut)
        // One macrotask per chunk is what keeps the chunks apart on their way.
        const writing = Effect.forEach(chunks, (chunk) => Effect.andThen(write(chunk), Effect.yieldNow), {
          discard: true
        })
        return Effect.map(
          Effect.all([writing, untilLast(transport)], { concurrency: 2 }),
          ([, got]) => differ(texts, got)
        )
      }, options).check
  ),
  law(`${wire.name}: it can be written to after the end of its input`, () =>
    Effect.scoped(Effect.gen(function*() {
      const [transport, other] = yield* wire.open
      yield* other.write(wire.framing.join(["{\"question\":1}"]))
      yield* other.end
      const question = yield* transport.receive
      const end = tagOf(yield* Effect.exit(transport.receive))
      if (end !== "EndOfInput") return `after ${JSON.stringify(question)} it ended with ${end}`
      const answers = ["{\"answer\":1}", "{\"answer\":2}"] as const
      yield* transport.send([answers[0]])
      yield* transport.send([answers[1]])
      const [, received] = yield* Effect.all([transport.close, other.received], { concurrency: 2 })
      const expected = new TextDecoder().decode(wire.framing.join(answers))
      const got = new TextDecoder().decode(received)
      return got === expected ? undefined : `the other side got ${JSON.stringify(got)}`
    })))
]

const inOrder = (pair: Pair, options: Arbitrary.CheckOptions): Law =>
  opened(
    `${pair.name}: texts arrive in order, each once`,
    pair.open,
    ([left, right], name) =>
      forAll(name, Arbitrary.all({ there: batches, back: batches }), ({ back, there }) =>
        Effect.map(
          Effect.all([
            sendAll(left, there),
            untilLast(right),
            sendAll(right, back),
            untilLast(left)
          ], { concurrency: "unbounded" }),
          ([, gotThere, , gotBack]) => differ(there.flat(), gotThere) ?? differ(back.flat(), gotBack)
        ), options).check
  )

const wholeTexts = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const sizes = [1, 100, 4_095, 4_096, 8_193, 65_535, 65_536, 65_537, 1_000_000]
    const large = sizes.map((size) => JSON.stringify("añ✓𝄞".repeat(size / 4 + 1).slice(0, size)))
    const [, got] = yield* Effect.all([sendAll(from, [large]), untilLast(to)], { concurrency: 2 })
    const wrong = sizes.find((_, index) => got[index] !== large[index])
    return wrong === undefined && got.length === large.length
      ? undefined
      : `${got.length} texts came, and the one of ${wrong} characters is wrong`
  })

const floods = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const flood = Array.from({ length: 64 }, (_, index) => [blockOf(index)])
    const [, there, , back] = yield* Effect.all([
      sendAll(from, flood),
      untilLast(to),
      sendAll(to, flood),
      untilLast(from)
    ], { concurrency: "unbounded" })
    return blocksIn(there, flood.length) ?? blocksIn(back, flood.length)
  })

const endOfInput = (from: Side, to: Side, end: string) =>
  Effect.gen(function*() {
    const sent = Array.from({ length: 32 }, (_, index) => blockOf(index))
    const closing = Effect.forEach(sent, (text) => from.send([text])).pipe(Effect.andThen(from.close))
    const [, { end: first, texts: got }] = yield* Effect.all([closing, untilEnd(to)], { concurrency: 2 })
    const again = tagOf(yield* Effect.exit(to.receive))
    return blocksIn(got, sent.length)
      ?? (first === end ? undefined : `it ended with ${first}`)
      ?? (again === end ? undefined : `it ended with ${first}, then with ${again}`)
  })

const closing = (from: Side) =>
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

const oneReader = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const reader = yield* Effect.forkChild(to.receive, { startImmediately: true })
    const second = yield* Effect.exit(to.receive)
    yield* from.send(["{}"])
    const first = yield* Fiber.join(reader)
    if (Exit.isSuccess(second) || !Cause.hasDies(second.cause)) return "the second reader was served"
    return differ(["{}"], first)
  })

const interrupted = (from: Side, to: Side) =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const got: Array<Received> = []
    for (let index = 0; index < 20; index++) {
      const reader = yield* Effect.forkChild(to.receive, { startImmediately: true })
      yield* Fiber.interrupt(reader)
      sent.push(`[${index}]`)
      // At once: a transport without room sends when it is read.
      const [, more] = yield* Effect.all([from.send([`[${index}]`]), to.receive], { concurrency: 2 })
      got.push(...more)
    }
    return differ(sent, got)
  })

/** Far more than sockets and pipes of any system hold by themselves. */
const flooded = 512

const backPressure = (from: Side, to: Side) =>
  Effect.gen(function*() {
    let taken = 0
    const sender = yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: flooded }),
        (_, index) => Effect.map(from.send([blockOf(index)]), () => taken++),
        { discard: true }
      ),
      { startImmediately: true }
    )
    // A sender that takes nothing for many turns of the event loop waits for the reader.
    for (let before = -1, quiet = 0; quiet < 300; quiet = taken === before ? quiet + 1 : 0, before = taken) {
      yield* Effect.yieldNow
    }
    if (taken === flooded) return `${flooded} blocks of 64 KiB were taken, and nobody read them`
    const [got] = yield* Effect.all([
      untilLast(to),
      Effect.andThen(Fiber.join(sender), from.send([last]))
    ], { concurrency: 2 })
    return blocksIn(got, flooded)
  })

/** Ends a series of texts, so that a lost one shows as a difference and not as waiting for ever. */
const last = "\"last\""

const text = Arbitrary.map(json, (value) => JSON.stringify({ value }))
const texts = Arbitrary.array(text, { maxLength: 6 })
const batches = Arbitrary.array(
  Arbitrary.map(Arbitrary.all({ first: text, others: texts }), ({ first, others }) => [first, ...others] as const),
  { maxLength: 4 }
)

/** 64 KiB that say which one they are. */
const blockOf = (index: number): string => `"${String(index).padEnd(65_534, ".")}"`

const blocksIn = (got: ReadonlyArray<Received>, count: number): Verdict => {
  const wrong = got.findIndex((block, index) => block !== blockOf(index))
  if (wrong >= 0) return `text ${wrong} of ${count} is ${JSON.stringify(got[wrong]).slice(0, 60)}`
  return got.length === count ? undefined : `${got.length} of ${count} texts came`
}

const sendAll = (side: Side, all: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<void, TransportError> =>
  Effect.forEach([...all, [last]], ([first = last, ...others]) => side.send([first, ...others]), { discard: true })

const untilLast = (side: Side): Effect.Effect<ReadonlyArray<Received>, TransportError> => {
  const got: Array<Received> = []
  const more: Effect.Effect<ReadonlyArray<Received>, TransportError> = Effect.flatMap(side.receive, (some) => {
    got.push(...some)
    return got.at(-1) === last ? Effect.succeed(got.slice(0, -1)) : more
  })
  return more
}

const untilEnd = (side: Side) => {
  const got: Array<Received> = []
  const more: Effect.Effect<never, TransportError> = Effect.flatMap(side.receive, (some) => {
    got.push(...some)
    return more
  })
  return Effect.map(Effect.exit(more), (exit) => ({ texts: got, end: tagOf(exit) }))
}

const tagOf = (exit: Exit.Exit<NonEmptyReadonlyArray<Received> | void, TransportError>): string => {
  if (Exit.isSuccess(exit)) return JSON.stringify(exit.value) ?? "success"
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return failure === undefined ? Cause.pretty(exit.cause) : failure.error.reason._tag
}

const differ = (expected: ReadonlyArray<Received>, got: ReadonlyArray<Received>): Verdict =>
  JSON.stringify(expected) === JSON.stringify(got)
    ? undefined
    : `expected ${JSON.stringify(expected)}\nbut got  ${JSON.stringify(got)}`

const eachWay = (
  there: Effect.Effect<Verdict, unknown>,
  back: Effect.Effect<Verdict, unknown>
): Effect.Effect<Verdict, unknown> =>
  Effect.gen(function*() {
    const first = yield* there
    if (first !== undefined) return `from the first to the second: ${first}`
    const second = yield* back
    return second === undefined ? undefined : `from the second to the first: ${second}`
  })

const law = (name: string, verdict: () => Effect.Effect<Verdict, unknown>): Law => ({
  name,
  check: Effect.suspend(verdict).pipe(
    Effect.catchCause((cause) => Effect.succeed<Verdict>(Cause.pretty(cause))),
    Effect.flatMap((reason) => reason === undefined ? Effect.void : Effect.fail(new LawBroken({ law: name, reason })))
  )
})

/** A law over many values that opens its subject once. */
const opened = <A>(
  name: string,
  open: Effect.Effect<A, unknown, Scope.Scope>,
  check: (subject: A, name: string) => Law["check"]
): Law => ({
  name,
  check: Effect.scoped(Effect.flatMap(
    Effect.mapError(open, (cause) => new LawBroken({ law: name, reason: String(cause) })),
    (subject) => check(subject, name)
  ))
})
