/**
 * The laws of a transport, for any implementation of `Transport`.
 *
 * `pairs` needs two transports that are each other's other side. `streams` needs
 * a transport whose other side is a stream of bytes in the hands of the test, for
 * what no transport does by itself: cutting texts anywhere, ending one direction.
 * `cycles` opens and closes pairs, thousands of times, and counts what is left.
 * A law uses the clock only to give up on transports that do nothing any more.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const laws = Laws.ofTransport({ name: "mine", open: MemoryTransport.makePair() }, { runs: 3 })
 *
 * // A test runner has a test for each law.
 * for (const law of laws.slice(0, 1)) {
 *   await Effect.runPromise(law.check)
 *   console.log(law.name) // => mine: texts arrive in order, each once
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import type { Transport, TransportError, Wrapping } from "@parley/transport/Transport"
import * as Arbitrary from "effect/Arbitrary"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Cuts from "../../shared/Cuts.ts"
import { law } from "../laws.ts"
import * as Cycles from "../transport/cycles.ts"
import * as Delivery from "../transport/delivery.ts"
import * as Endings from "../transport/endings.ts"
import { Patience } from "../transport/patience.ts"
import * as Stalls from "../transport/stalls.ts"
import { differ, last, tagOf, untilLast } from "../transport/traffic.ts"
import { forAll, type Law, LawBroken, type Verdict } from "./Law.ts"

type Side = Transport

/**
 * How two connected transports are made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Pair {
  /** The beginning of each law's name. */
  readonly name: string
  /** Two transports that are each other's other side. */
  readonly open: Effect.Effect<readonly [Side, Side], unknown, Scope.Scope>
  /** The reason of the first one's end when the second is closed: `EndOfInput`, unless it is a process that exits. */
  readonly end?: TransportError["reason"]["_tag"] | undefined
  /**
   * `"none"` where the wire cannot make a sender wait, as between workers. Then a reader that stalls does not stop the
   * sender, but loses its connection: it ends with `Unread` before 32 MiB lie there.
   */
  readonly backPressure?: "none" | undefined
  /** Where the other side can vanish without closing. */
  readonly loss?: Loss | undefined
}

/**
 * How a connection is lost.
 *
 * @category models
 * @since 0.1.0
 */
export interface Loss {
  /** A transport, and what makes its other side vanish: a reset, a kill. */
  readonly open: Effect.Effect<readonly [Side, Effect.Effect<void>], unknown, Scope.Scope>
  /** The reason with which the transport ends: `Lost`, unless it is a process that exits. */
  readonly end?: TransportError["reason"]["_tag"] | undefined
}

/**
 * How often values are tried, and when a law gives up.
 *
 * @category models
 * @since 0.1.0
 */
export interface Patient extends Arbitrary.CheckOptions {
  /** How long a law waits while nothing is sent, received or closed: 3 seconds by default. */
  readonly patience?: Duration.Input | undefined
}

/**
 * How often values are tried, when a law gives up, and what tells how much memory the process uses.
 *
 * @category models
 * @since 0.1.0
 */
export interface TransportLawsOptions extends Patient {
  /** Bytes in use, after collecting what is garbage. With it, the memory that a reader who stalls costs is bounded. */
  readonly memory?: Effect.Effect<number> | undefined
}

/**
 * The other side of a transport, as bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wire {
  /** Sends bytes to the transport. */
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
  /** The beginning of each law's name. */
  readonly name: string
  /** The framing that the transport has. */
  readonly framing: Framing
  /** A transport, and its other side as bytes. */
  readonly open: Effect.Effect<readonly [Side, Wire], unknown, Scope.Scope>
}

export type { Cycling } from "../transport/cycles.ts"

/**
 * The laws of any transport.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofTransport = (given: Pair, options: TransportLawsOptions = { runs: 30 }): ReadonlyArray<Law> => {
  const patience = new Patience(options.patience)
  const pair = watched(given, patience)
  const { end = "EndOfInput", loss } = pair
  /** A law of each direction of the same pair. */
  const open = (name: string, check: (from: Side, to: Side) => Effect.Effect<Verdict, unknown>) =>
    law(
      `${pair.name}: ${name}`,
      Effect.flatMap(pair.open, ([left, right]) => Delivery.eachWay(check(left, right), check(right, left)))
    )
  /** A law of each direction that uses a pair up. */
  const closed = (name: string, check: (from: Side, to: Side, end: string) => Effect.Effect<Verdict, unknown>) =>
    law(
      `${pair.name}: ${name}`,
      Delivery.eachWay(
        Effect.scoped(Effect.flatMap(pair.open, ([left, right]) => check(left, right, "EndOfInput"))),
        Effect.scoped(Effect.flatMap(pair.open, ([left, right]) => check(right, left, end)))
      )
    )
  return [
    opened(
      `${pair.name}: texts arrive in order, each once`,
      pair.open,
      ([left, right], name) =>
        forAll(name, Delivery.bothWays, (texts) => Delivery.inOrder(left, right, texts), options).check
    ),
    open("texts of any size arrive whole", Delivery.wholeTexts),
    open("texts of any content arrive as they are", Delivery.oddTexts),
    open("ten thousand texts in one send arrive in order", Delivery.manyAtOnce),
    open("what fibers send at once stays together, and in the order of each", Delivery.togetherFromFibers),
    open("two floods at once do not block each other", Delivery.floods),
    open("a second reader at the same time is a defect", Delivery.oneReader),
    open("a reader that is interrupted takes nothing with it", Delivery.interrupted),
    open("a reader that is interrupted at any moment takes nothing with it", Delivery.interruptedAnywhere),
    pair.backPressure === "none"
      ? closed("a reader that stalls ends with a typed error, within bounds", Stalls.unread(options.memory))
      : open("a reader that stalls makes the sender wait, within bounds", Stalls.backPressure(options.memory)),
    closed("closing ends the input of the other side, after what was sent", Endings.endOfInput),
    closed("closing ends this side, and may be repeated", Endings.closing),
    closed("closing both sides amid traffic ends every send and receive, typed", Endings.closingAmidTraffic),
    ...(loss === undefined ? [] : [
      law(
        `${pair.name}: losing the other side is typed, for who waits and for who comes later`,
        Effect.flatMap(loss.open, ([side, vanish]) => Endings.losing(side, vanish, loss.end ?? "Lost"))
      )
    ])
  ].map(patience.limit)
}

/**
 * The laws of a transport over a stream of bytes that can end in one direction alone.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofByteTransport = (given: OnWire, options: Patient = { runs: 30 }): ReadonlyArray<Law> => {
  const patience = new Patience(options.patience)
  const open = Effect.map(patience.opening(given.open), ([side, other]) => [patience.watch(side), other] as const)
  return onWire({ ...given, open }, options).map(patience.limit)
}

const onWire = (wire: OnWire, options: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  opened(
    `${wire.name}: texts arrive whole at any cut of the bytes`,
    wire.open,
    ([transport, { write }], name) =>
      forAll(name, Arbitrary.all({ cut: Cuts.cut, texts: Delivery.texts }), ({ cut, texts }) => {
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
  law(
    `${wire.name}: it can be written to after the end of its input`,
    Effect.gen(function*() {
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
    })
  )
]

/**
 * The law that pairs which were opened and ended, in order and by interruption, leave nothing behind. It never gives
 * up: a timer would be something that is left.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofCycles = (pair: Pair, cycling: Cycles.Cycling): Law =>
  law(`${pair.name}: ${cycling.count} connections leave nothing behind`, Cycles.cycles(pair.open, cycling))

/**
 * The law of what a wrapping hands on beside the three operations: the `framing`, which a peer behind it chooses, and
 * `abort` where there is one.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofWrapping = (name: string, wrapping: Wrapping<Scope.Scope>): Law =>
  law(
    `${name}: hands on the framing, and an end at once where there is one`,
    Effect.gen(function*() {
      const framing: Transport["framing"] = { name: "line", choose: () => "line" }
      const bare = { receive: Effect.never, send: () => Effect.void, close: Effect.void }
      const whole = yield* wrapping({ ...bare, abort: Effect.void, framing })
      if (whole.framing !== framing) return "it hides the framing"
      return whole.abort === undefined ? "it hides `abort`" : undefined
    })
  )

/**
 * The same pair with a wrapping around each side, which must keep every law that the pair keeps.
 *
 * @category constructors
 * @since 0.1.0
 */
export const wrapped = (pair: Pair, name: string, wrapping: Wrapping<Scope.Scope>): Pair => ({
  ...wrappedBy(pair, wrapping),
  name: `${pair.name}, ${name}`
})

const watched = (pair: Pair, patience: Patience): Pair =>
  wrappedBy({
    ...pair,
    open: patience.opening(pair.open),
    loss: pair.loss === undefined ? undefined : { ...pair.loss, open: patience.opening(pair.loss.open) }
  }, (side) => Effect.succeed(patience.watch(side)))

const wrappedBy = (pair: Pair, wrapping: Wrapping<Scope.Scope>): Pair => ({
  ...pair,
  open: Effect.flatMap(pair.open, ([left, right]) => Effect.all([wrapping(left), wrapping(right)])),
  loss: pair.loss === undefined ? undefined : {
    ...pair.loss,
    open: Effect.flatMap(pair.loss.open, ([side, vanish]) => Effect.all([wrapping(side), Effect.succeed(vanish)]))
  }
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
