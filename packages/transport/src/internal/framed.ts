/**
 * Joins a framing with a duplex of bytes.
 *
 * Owns the splitter, the one-reader rule, the first failure (which stays) and
 * the time an unfinished frame may take. The duplex owns the bytes, the framing
 * their meaning. Promises: 6 (a foreign protocol yields no text), 14 (a lost
 * place is typed, after the frames before it) and 21 (the only timer exists
 * while a frame is unfinished, and one serves all frames of a connection).
 */
import type { Frame, Framing } from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Budget from "../Budget.ts"
import type { Received, Transport } from "../Transport.ts"
import * as TransportError from "../TransportError.ts"

/** @see FramedTransport, which publishes it */
export interface Bytes {
  readonly pull: Effect.Effect<NonEmptyReadonlyArray<Uint8Array>, TransportError.TransportError>
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, TransportError.TransportError>
  readonly close: Effect.Effect<void>
  readonly writeTexts?: Transport["Service"]["send"]
}

/** @see FramedTransport, which publishes it */
export interface Options {
  readonly framing: Framing
  readonly limits?: Partial<Limits.Limits> | undefined
}

type Failure = Exit.Exit<never, TransportError.TransportError>
type Texts = NonEmptyReadonlyArray<Received>

export const fromBytes = Effect.fnUntraced(function*(
  bytes: Bytes,
  options: Options
): Effect.fn.Return<Transport["Service"], never, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const framing = options.framing
  const splitter = framing.splitter(limits)
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const budget = yield* Budget.Budget

  /** What every later `receive` fails with. */
  let ended: Failure | undefined
  /** What every later `send` fails with: unlike `ended`, never the end of the input. */
  let broken: Failure | undefined
  /** Who waits in `receive`. An exit hook that forgets it would cost more than the rest; who has ended does not wait. */
  let reader: Fiber.Fiber<unknown, unknown> | undefined
  /** Bytes of the budget that an unfinished frame takes. */
  let held = 0
  /** Since when the reader waits for the rest of a frame that has begun. */
  let since: number | undefined
  let watcher: Fiber.Fiber<void> | undefined

  const isWaiting = () => reader !== undefined && reader.pollUnsafe() === undefined

  const closeBytes = yield* Effect.cached(Effect.uninterruptible(bytes.close))
  const close = Effect.suspend(() => {
    const failure = Exit.fail(TransportError.make({ _tag: "Closed" }))
    broken ??= failure
    ended ??= failure
    watcher?.interruptUnsafe()
    return closeBytes
  })
  yield* Effect.addFinalizer(() => close)
  yield* Effect.addFinalizer(() => Effect.sync(() => budget?.take(-held)))

  // It outlives the frame it was made for, and sleeps on for the one it finds then: no timer per frame.
  const watch: Effect.Effect<void> = Effect.suspend(() => {
    if (!isWaiting()) since = undefined
    const left = since === undefined ? undefined : since + limits.partialFrame - clock.currentTimeMillisUnsafe()
    if (left !== undefined && left > 0) return Effect.flatMap(Effect.sleep(left), () => watch)
    watcher = undefined
    if (left === undefined) return Effect.void
    ended = broken = Exit.fail(TransportError.make({ _tag: "FrameTimeout", milliseconds: limits.partialFrame }))
    // Closing the bytes is what makes the waiting pull fail.
    return closeBytes
  })
  const startWatcher = Effect.map(Effect.forkIn(watch, scope, { startImmediately: true }), (fiber) => {
    if (fiber.pollUnsafe() === undefined) watcher = fiber
  })

  /** Texts of these frames, if any. A lost place is the last of them, and what the next call fails with. */
  const textsOf = (frames: ReadonlyArray<Frame>): Texts | undefined => {
    const last = frames.at(-1)
    if (last === undefined) return undefined
    if (typeof last === "string" || last._tag === "BadFrame") {
      // The last frame is no lost place, so none is; and there is one.
      return frames as Texts
    }
    const { detail, excerpt, offset, reason } = last
    ended ??= Exit.fail(TransportError.make(
      reason === "ForeignProtocol"
        ? { _tag: "ForeignProtocol", excerpt }
        : { _tag: "LostPlace", detail, offset, excerpt }
    ))
    return textsOf(frames.slice(0, -1))
  }

  /** Counts what the splitter holds of a frame that has begun: at most what came since the last text. */
  const hold = (chunks: ReadonlyArray<Uint8Array>, texts: Texts | undefined, shared: Budget.Budget) => {
    const came = chunks.reduce((sum, chunk) => sum + chunk.length, texts === undefined ? held : 0)
    const now = splitter.partial() ? Math.min(came, limits.frame) : 0
    shared.take(now - held)
    held = now
    if (held > 0 && shared.isSpent()) ended ??= Exit.fail(TransportError.make({ _tag: "BudgetSpent" }))
  }

  const onBytes = (chunks: NonEmptyReadonlyArray<Uint8Array>) => {
    const texts = textsOf(chunks.length === 1 ? splitter.push(chunks[0]) : chunks.flatMap(splitter.push))
    if (budget !== undefined) hold(chunks, texts, budget)
    if (texts === undefined && ended === undefined) return wait()
    reader = undefined
    return texts === undefined ? ended ?? wait() : Exit.succeed(texts)
  }

  const onEnd = (error: TransportError.TransportError) => {
    reader = undefined
    // Closed from this side, or out of time: the pull failed because of that.
    if (ended !== undefined) return ended
    const reason = error.reason._tag
    const failure = Exit.fail(error)
    if (reason !== "EndOfInput") ended = broken = failure
    const texts = reason === "EndOfInput" || reason === "Exited" ? textsOf(splitter.end()) : undefined
    ended ??= failure
    return texts !== undefined ? Exit.succeed(texts) : ended
  }

  const pull: Effect.Effect<Texts, TransportError.TransportError> = Effect.matchEffect(bytes.pull, {
    onFailure: onEnd,
    onSuccess: onBytes
  })

  const wait = (): typeof pull => {
    if (!splitter.partial()) since = undefined
    else since ??= clock.currentTimeMillisUnsafe()
    return since !== undefined && watcher === undefined ? Effect.flatMap(startWatcher, () => pull) : pull
  }

  const write: Transport["Service"]["send"] = bytes.writeTexts ?? ((texts) => bytes.write(framing.join(texts)))

  return {
    receive: Effect.withFiber((fiber) => {
      if (fiber !== reader && isWaiting()) {
        return Effect.die(new Error("A transport has one reader: receive was called while it waits."))
      }
      if (ended !== undefined) return ended
      reader = fiber
      since = undefined
      return wait()
    }),
    send: (texts) => Effect.suspend(() => broken ?? write(texts)),
    close
  }
})
