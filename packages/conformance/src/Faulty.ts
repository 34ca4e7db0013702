/**
 * A bad line: a Transport that delays, takes apart, reorders, garbles and cuts what passes.
 *
 * Only the seed, the direction, and the place of a text in that direction decide what happens to the text.
 * So the same seed does the same to the same texts, and `faults` says what that was.
 *
 * A garbled text is never JSON: it may cost a call its answer, but it cannot become another one's.
 *
 * ```ts run
 * import { Faulty } from "@parley/conformance"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const { faults, transport } = yield* Faulty.make(near, { seed: 1, garble: 1 })
 *   yield* transport.send(["{}"])
 *   const [text = ""] = yield* far.receive
 *   console.log(text === "{}", (yield* faults).map(({ _tag }) => _tag)) // => false [ 'Garbled' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import {
  type Received,
  type Transport,
  type TransportError,
  transportError,
  type Wrapping
} from "@parley/transport/Transport"
import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"

/**
 * The likelihood of each fault, from 0 (never, the default) to 1 (always).
 *
 * @category models
 * @since 0.1.0
 */
export interface FaultyOptions {
  /** Chooses the texts that each fault happens to. */
  readonly seed: string | number
  /** The text waits for a few turns of the scheduler, and everything behind it as well. */
  readonly delay?: number | undefined
  /** The text comes by itself, apart from the texts that were written before it. */
  readonly split?: number | undefined
  /**
   * The text comes after the next received text, or at the end if there is none. A Transport promises the order of
   * texts, so use this for promises that hold in any order, such as that each response finds its call.
   */
  readonly reorder?: number | undefined
  /** The text becomes one that is no JSON. */
  readonly garble?: number | undefined
  /** The connection is lost instead of the text being delivered. */
  readonly cut?: number | undefined
}

/** The direction of a text, seen from the side that is wrapped. @category models @since 0.1.0 */
export type Direction = "sent" | "received"

/**
 * A fault that happened to a text, the `index`th in its direction.
 *
 * @category models
 * @since 0.1.0
 */
export type Fault =
  & { readonly direction: Direction; readonly index: number }
  & (
    | { readonly _tag: "Delayed"; readonly turns: number }
    | { readonly _tag: "Split" }
    | { readonly _tag: "Reordered" }
    | { readonly _tag: "Garbled"; readonly text: string; readonly into: string }
    | { readonly _tag: "Cut" }
  )

/**
 * A bad line, and the faults that have happened so far, in their order.
 *
 * @category models
 * @since 0.1.0
 */
export interface Faulty {
  /** The transport with its faults. */
  readonly transport: Transport
  /** The faults so far. */
  readonly faults: Effect.Effect<ReadonlyArray<Fault>>
}

/**
 * Puts faults on a transport. It keeps the promises of a Transport except for reordered texts, garbled texts and the
 * cut.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (inner: Transport, options: FaultyOptions): Effect.Effect<Faulty> =>
  Effect.gen(function*() {
    const sending = yield* scheduleOf(options, "sent")
    const receiving = yield* scheduleOf(options, "received")
    return lineOf(inner, options.seed, sending, receiving)
  })

/**
 * A bad line as a wrapping, for `Transport.wrap`.
 *
 * @category wrapping
 * @since 0.1.0
 */
export const wrapping = (options: FaultyOptions): Wrapping => (inner) =>
  Effect.map(make(inner, options), ({ transport }) => transport)

/** The faults that are to happen to a text. */
interface Plan {
  readonly index: number
  readonly isCut: boolean
  readonly isAlone: boolean
  readonly isLate: boolean
  /** Turns that it waits for. */
  readonly turns: number
  readonly garble: ((text: string) => string) | undefined
}

/** The longest delay, in turns of the scheduler. */
const longest = 8

const scheduleOf = (
  { cut = 0, delay = 0, garble = 0, reorder = 0, seed, split = 0 }: FaultyOptions,
  direction: Direction
): Effect.Effect<() => Plan> =>
  Effect.map(Random.withSeed(Random.Random, `${seed} ${direction}`), (random) => {
    let count = 0
    const draw = () => random.nextDoubleUnsafe()
    return () => {
      // Each text draws the same numbers in the same order, so that one likelihood does not change the others' results.
      const [isCut, isAlone, waits, isGarbled] = [draw() < cut, draw() < split, draw() < delay, draw() < garble]
      const [turns, place, keepsTail] = [1 + Math.floor(draw() * longest), draw(), draw() < 0.5]
      const isLate = draw() < reorder
      return {
        index: count++,
        isCut,
        isAlone,
        isLate,
        turns: waits ? turns : 0,
        garble: isGarbled ? (text) => garbled(text, Math.floor(place * text.length), keepsTail) : undefined
      }
    }
  })

/** No JSON has a NUL, neither within a string nor without. */
const garbled = (text: string, at: number, keepsTail: boolean): string =>
  `${text.slice(0, at)}\0${keepsTail ? text.slice(at) : ""}`

/** A text on its way. */
interface Step<A> extends Plan {
  readonly text: A
  waited: number
  isReordered: boolean
}

const stepOf = <A extends Received>(plan: Plan, text: A): Step<A> => ({ ...plan, text, waited: 0, isReordered: false })

const lineOf = (
  inner: Transport,
  seed: string | number,
  planSent: () => Plan,
  planReceived: () => Plan
): Faulty => {
  const faults: Array<Fault> = []
  let lost: Exit.Exit<never, TransportError> | undefined
  let waiting: Array<Step<Received>> = []
  /** A text that is put off until the next one has been received. */
  let late: Step<Received> | undefined
  let isReading = false
  /** A text that waits makes those behind it wait, so that texts that are sent together stay together. */
  const turn = Semaphore.makeUnsafe(1)

  const failed = (error: TransportError) => lost ?? Exit.fail(error)

  const cut = (direction: Direction, index: number) =>
    Effect.suspend(() => {
      faults.push({ _tag: "Cut", direction, index })
      lost = Exit.fail(transportError({ _tag: "Lost", cause: new Error(`cut by the faults of seed ${seed}`) }))
      waiting = []
      late = undefined
      return Effect.andThen(inner.close, lost)
    })

  /** Waits as long as a text has to. An interruption in between does not make it wait again. */
  const delayed = (direction: Direction, step: Step<unknown>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (step.waited < step.turns) {
        step.waited++
        return Effect.andThen(Effect.yieldNow, delayed(direction, step))
      }
      if (step.turns > 0) faults.push({ _tag: "Delayed", direction, index: step.index, turns: step.turns })
      return Effect.void
    })

  /** The texts that pass together, and the rest. The first is due. */
  const together = <A extends Received>(direction: Direction, steps: ReadonlyArray<Step<A>>) => {
    const end = steps.findIndex(({ isAlone, isCut, turns }, place) => place > 0 && (isAlone || isCut || turns > 0))
    const next = steps[end]
    if (next?.isAlone === true) faults.push({ _tag: "Split", direction, index: next.index })
    const passing = end < 0 ? steps : steps.slice(0, end)
    return [passing.map((step) => passed(direction, step)), end < 0 ? [] : steps.slice(end)] as const
  }

  const passed = <A extends Received>(
    direction: Direction,
    { garble, index, isReordered, text }: Step<A>
  ): A | string => {
    if (isReordered) faults.push({ _tag: "Reordered", direction, index })
    if (garble === undefined || typeof text !== "string") return text
    const into = garble(text)
    faults.push({ _tag: "Garbled", direction, index, text, into })
    return into
  }

  const handOver: Transport["receive"] = Effect.suspend(() => {
    if (lost !== undefined) return lost
    const [first] = waiting
    if (first === undefined) return Effect.andThen(read, handOver)
    if (first.isCut) return cut("received", first.index)
    if (first.waited < first.turns) return Effect.andThen(delayed("received", first), handOver)
    const [texts, rest] = together("received", waiting)
    waiting = [...rest]
    return isReadonlyArrayNonEmpty(texts) ? Effect.succeed(texts) : handOver
  })

  const take = (step: Step<Received>) => {
    if (late !== undefined) {
      late.isReordered = true
      waiting.push(step, late)
      late = undefined
    } else if (step.isLate && !step.isCut) late = step
    else waiting.push(step)
  }

  /** No text comes that the late one could wait for. The next `receive` meets the end again. */
  const readEnd = (error: TransportError) => {
    if (late === undefined) return failed(error)
    waiting.push(late)
    late = undefined
    return Exit.void
  }

  /** Received texts are kept, even if the reader is interrupted. */
  const read = Effect.uninterruptibleMask((restore) =>
    Effect.matchEffect(restore(inner.receive), {
      onFailure: readEnd,
      onSuccess: (texts) => Effect.sync(() => texts.forEach((text) => take(stepOf(planReceived(), text))))
    })
  )

  const pass = (steps: ReadonlyArray<Step<string>>): Effect.Effect<void, TransportError> =>
    Effect.suspend(() => {
      const [first] = steps
      if (lost !== undefined || first === undefined) return lost ?? Effect.void
      if (first.isCut) return cut("sent", first.index)
      if (first.waited < first.turns) return Effect.andThen(delayed("sent", first), pass(steps))
      const [texts, rest] = together("sent", steps)
      if (!isReadonlyArrayNonEmpty(texts)) return Effect.void
      return Effect.andThen(Effect.catch(inner.send(texts), failed), pass(rest))
    })

  const dropping = (end: Effect.Effect<void>) =>
    Effect.suspend(() => {
      waiting = []
      late = undefined
      return end
    })

  return {
    faults: Effect.sync(() => [...faults]),
    transport: {
      receive: Effect.suspend(() => {
        if (isReading) return Effect.die(new Error("a transport has one reader: receive was called while it waits"))
        isReading = true
        return Effect.ensuring(handOver, Effect.sync(() => void (isReading = false)))
      }),
      send: (texts: NonEmptyReadonlyArray<string>) =>
        turn.withPermit(Effect.suspend(() => pass(texts.map((text) => stepOf(planSent(), text))))),
      close: dropping(inner.close),
      abort: inner.abort && dropping(inner.abort),
      framing: inner.framing
    }
  }
}
