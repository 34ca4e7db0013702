/**
 * Shows what passes through a transport, without changing it.
 *
 * Owns the order in which frames are shown. A receive that is interrupted while it
 * waits for the observer leaves its frames to the next receive. It buffers nothing
 * else, so a slow observer slows the traffic down; texts that wait for it count on
 * the budget. `Recorder` is an observer.
 *
 * ```ts run
 * import { Tap } from "@parley/traffic"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const tap = Tap.make((frame) => Effect.sync(() => console.log(frame._tag, "text" in frame ? frame.text : "")))
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const tapped = yield* tap(near)
 *   yield* tapped.send(["ping"]) // => Sent ping
 *   yield* far.send(["pong"])
 *   yield* tapped.receive // => Received pong
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { BadFrame } from "@parley/protocol/Framing"
import { Budget } from "@parley/transport/shared"
import type { Received, Transport, TransportError, Wrapping } from "@parley/transport/Transport"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import { weightOf } from "./internal/weight.ts"

export { foreign, type Hear } from "./internal/Foreign.ts"

/**
 * One frame that passed.
 *
 * - `Sent`: a text on its way to the transport.
 * - `Received`: a text, before the reader gets it.
 * - `Bad`: a frame that could not become a text, likewise.
 * - `Unsent`: a send failed. Its `count` texts are the last that were `Sent`; some of them may have been written.
 * - `Ended`: the end of what is received, shown once.
 *
 * @category models
 * @since 0.1.0
 */
export type Frame =
  & {
    /** Milliseconds since 1970. */
    readonly time: number
    /** Counts from 1, in the order in which connections were made. */
    readonly connection: number
  }
  & Passed

/**
 * Our side has closed a connection whose input had not ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Closed {
  readonly _tag: "Closed"
  /** Milliseconds since 1970. */
  readonly time: number
  /** As that of a `Frame`. */
  readonly connection: number
}

type Passed =
  | { readonly _tag: "Sent"; readonly text: string }
  | { readonly _tag: "Received"; readonly text: string }
  | { readonly _tag: "Bad"; readonly frame: BadFrame }
  | { readonly _tag: "Unsent"; readonly count: number; readonly error: TransportError }
  | { readonly _tag: "Ended"; readonly error: TransportError }

/**
 * A wrapping that shows every frame to `see`, in the order of the wire. The frame is passed on when `see` has ended.
 *
 * One wrapping numbers its connections: use the same wrapping for all connections that should be told apart. The frames
 * of each direction are shown one after the other. A receive or send may be interrupted while it waits for `see`. Then
 * `see` is interrupted, too: the next receive shows the same frame again, and the send sends nothing. `see` must not
 * use the transport that it watches.
 *
 * @category wrapping
 * @since 0.1.0
 */
export const make = (see: (frame: Frame) => Effect.Effect<void>): Wrapping => wrapping(see, () => Effect.void)

/**
 * As `make`, and shows also that our side closes a connection, before it does: so a record tells which side has ended
 * first.
 *
 * @category wrapping
 * @since 0.1.0
 */
export const makeWithClose = (see: (frame: Frame | Closed) => Effect.Effect<void>): Wrapping => wrapping(see, see)

const wrapping = (
  see: (frame: Frame) => Effect.Effect<void>,
  seeClose: (closed: Closed) => Effect.Effect<void>
): Wrapping => {
  let connections = 0
  return (inner) =>
    Effect.zipWith(Clock.Clock, Budget.Budget, (clock, budget) => {
      const connection = ++connections
      const here = () => ({ time: clock.currentTimeMillisUnsafe(), connection })
      return tapped(
        inner,
        (passed) => see({ ...here(), ...passed }),
        Effect.suspend(() => seeClose({ ...here(), _tag: "Closed" })),
        budget
      )
    })
}

const tapped = (
  inner: Transport,
  see: (passed: Passed) => Effect.Effect<void>,
  seeClose: Effect.Effect<void>,
  budget: Budget.Budget | undefined
): Transport => {
  /** Frames that were received and not handed over. The first `seen` of them have been shown. */
  let waiting: ReadonlyArray<Received> = []
  let seen = 0
  let isReading = false
  let isEndSeen = false
  let isClosed = false
  /** One sender at a time shows and sends its texts, so the order of the frames is the order of the wire. */
  const turn = Semaphore.makeUnsafe(1)

  /** Shows frames one by one. An observer that ends at once costs no step of the fiber. */
  const showFrom = (next: () => Passed | undefined, done: () => void): Effect.Effect<void> =>
    Effect.suspend(() => {
      for (let passed = next(); passed !== undefined; passed = next()) {
        const shown = see(passed)
        if (!Exit.isExit(shown) || Exit.isFailure(shown)) {
          return Effect.flatMap(shown, () => {
            done()
            return showFrom(next, done)
          })
        }
        done()
      }
      return Exit.void
    })

  const hold = (received: ReadonlyArray<Received>): void => {
    budget?.take(weightOf(received) - weightOf(waiting))
    waiting = received
    seen = 0
  }

  const read = Effect.uninterruptibleMask((restore) => Effect.map(restore(inner.receive), hold))

  const showReceived = showFrom(() => {
    const next = waiting[seen]
    if (next === undefined) return undefined
    return typeof next === "string" ? { _tag: "Received", text: next } : { _tag: "Bad", frame: next }
  }, () => void seen++)

  const handOver: Transport["receive"] = Effect.suspend(() =>
    waiting.length === 0 ? Effect.andThen(read, takeSeen) : takeSeen
  )

  // A close in the meantime has emptied `waiting`; then the transport says how it ended.
  const takeSeen = Effect.flatMap(showReceived, () => {
    const texts = waiting
    hold([])
    return isReadonlyArrayNonEmpty(texts) ? Exit.succeed(texts) : handOver
  })

  const showClose = Effect.suspend(() => {
    if (isEndSeen || isClosed) return Exit.void
    isClosed = true
    return seeClose
  })

  const showEnd = (error: TransportError) =>
    Effect.suspend(() =>
      isEndSeen ? Exit.void : Effect.map(see({ _tag: "Ended", error }), () => void (isEndSeen = true))
    )

  return {
    receive: Effect.suspend(() => {
      if (isReading) {
        return Effect.die(new Error("A transport has one reader: receive was called while it waits."))
      }
      isReading = true
      return Effect.ensuring(
        Effect.tapError(handOver, showEnd),
        Effect.sync(() => void (isReading = false))
      )
    }),
    send: (texts) =>
      turn.withPermit(Effect.suspend(() => {
        let shown = 0
        const showSent = showFrom(() => {
          const text = texts[shown]
          return text === undefined ? undefined : { _tag: "Sent", text }
        }, () => void shown++)
        return Effect.andThen(
          showSent,
          Effect.tapError(inner.send(texts), (error) => see({ _tag: "Unsent", count: texts.length, error }))
        )
      })),
    close: Effect.suspend(() => {
      hold([])
      return Effect.andThen(showClose, inner.close)
    }),
    abort: inner.abort && Effect.suspend(() => {
      hold([])
      return Effect.andThen(showClose, inner.abort ?? inner.close)
    }),
    framing: inner.framing
  }
}
