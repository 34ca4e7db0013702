/**
 * Joins a framing with a duplex of bytes.
 *
 * Owns the splitter, the one-reader rule, the first failure (which stays) and
 * the time an unfinished frame may take. The duplex owns the bytes, the framing
 * their meaning. Promises: 6 (a foreign protocol yields no text), 14 (a lost
 * place is typed, after the frames before it) and 21 (the only timer exists
 * while a frame is unfinished, and one serves all frames of a connection).
 */
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Budget from "../shared/Budget.ts"
import * as Direct from "../shared/Direct.ts"
import * as Monotonic from "../shared/Monotonic.ts"
import * as Occupancy from "../shared/Occupancy.ts"
import type { Received, Transport } from "../Transport.ts"
import * as TransportError from "./TransportError.ts"

/** @see FramedTransport, which publishes it */
export interface Bytes {
  /**
   * Waits for the next bytes. The end of the input fails with `EndOfInput`; `close` makes a waiting pull fail.
   * Called by one fiber at a time, which may be interrupted: bytes that were not handed over stay for the next call.
   * The bytes belong to the caller afterwards.
   */
  readonly pull: Effect.Effect<NonEmptyReadonlyArray<Uint8Array>, TransportError.TransportError>
  /** Takes the bytes and returns when there is room for more. After a loss of the connection it must fail. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, TransportError.TransportError>
  /** Writes all bytes that were taken, then ends both directions. It runs once, and must take bounded time. */
  readonly close: Effect.Effect<void>
  /**
   * Ends both directions at once and drops what is not written, for a connection whose memory is needed by others.
   * `close` stands in where it is missing.
   */
  readonly abort?: Effect.Effect<void>
  /** How many bytes of the writes so far the system has not taken yet, so that a long text shows progress. */
  readonly unsent?: (() => number) | undefined
}

/** @see FramedTransport, which publishes it */
export interface Options {
  /** How the texts are separated. The default is that of the dialect of the peer, and `line` without a peer. */
  readonly framing?: Framing.Framing | undefined
  /** `frame`, `header`, `depth` and `partialFrame` bound the texts. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

type Failure = Exit.Exit<never, TransportError.TransportError>
type Texts = NonEmptyReadonlyArray<Received>

export const fromBytes = Effect.fnUntraced(function*(
  bytes: Bytes,
  options: Options
): Effect.fn.Return<Transport, never, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const budget = yield* Budget.Budget
  const occupancy = yield* Occupancy.Occupancy
  const fork = Effect.runForkWith(yield* Effect.context())

  /** Whether the framing is chosen. */
  let isChosen = options.framing !== undefined
  /** The failure of every later `receive`. */
  let ended: Failure | undefined
  /** The failure of every later `send`: unlike `ended`, never the end of the input. */
  let broken: Failure | undefined
  /** The fiber that waits in `receive`. It is not forgotten when it ends, because an exit hook would cost more. */
  let reader: Fiber.Fiber<unknown, unknown> | undefined
  /** Bytes that an unfinished frame takes from the budget. */
  let held = 0
  /** Since when the reader waits for the rest of a frame that has begun. */
  let since: number | undefined
  let watcher: Fiber.Fiber<void> | undefined

  const splitBy = (it: Framing.Framing) => ({ name: it.name, join: it.join, splitter: it.splitter(limits) })
  const by = {
    ...splitBy(options.framing ?? Framing.line),
    write: (joined: Uint8Array) => {
      if (broken !== undefined) return broken
      isChosen = true
      occupancy?.touch()
      return bytes.write(joined)
    }
  }

  const isWaiting = () => reader !== undefined && reader.pollUnsafe() === undefined

  const closeBytes = yield* Effect.cached(Effect.uninterruptible(bytes.close))
  const closing = (how: Effect.Effect<void>) =>
    Effect.suspend(() => {
      const failure = Exit.fail(TransportError.transportError({ _tag: "Closed" }))
      broken ??= failure
      ended ??= failure
      watcher?.interruptUnsafe()
      return how
    })
  const close = closing(closeBytes)
  const abort = bytes.abort === undefined ? undefined : closing(bytes.abort)
  yield* Effect.addFinalizer(() => close)

  /** Ends this connection because others need its memory. Unwritten bytes would go on taking it. */
  const evicted = () => {
    const failure = Exit.fail(TransportError.transportError({ _tag: "BudgetSpent" }))
    broken ??= failure
    ended ??= failure
    fork(bytes.abort ?? closeBytes)
  }
  if (budget !== undefined) {
    const stop = budget.onEvict(evicted)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        stop()
        budget.take(-held)
      })
    )
  }

  // It outlives its frame, and then sleeps for the frame that is unfinished at that time: one timer for all frames.
  const watch: Effect.Effect<void> = Effect.suspend(() => {
    if (!isWaiting()) since = undefined
    const left = since === undefined ? undefined : since + limits.partialFrame - Monotonic.now(clock)
    if (left !== undefined && left > 0) return Effect.flatMap(Effect.sleep(left), () => watch)
    watcher = undefined
    if (left === undefined) return Effect.void
    ended = broken = Exit.fail(
      TransportError.transportError({ _tag: "FrameTimeout", milliseconds: limits.partialFrame })
    )
    // Closing the bytes is what makes the waiting pull fail.
    return closeBytes
  })
  const startWatcher = Effect.map(Effect.forkIn(watch, scope, { startImmediately: true }), (fiber) => {
    if (fiber.pollUnsafe() === undefined) watcher = fiber
  })

  /** The texts of these frames, if any. A lost place comes last, and is what the next call fails with. */
  const textsOf = (frames: ReadonlyArray<Framing.Frame>): Texts | undefined => {
    const last = frames.at(-1)
    if (last === undefined) return undefined
    if (typeof last === "string" || last._tag === "BadFrame") {
      // The last frame is no lost place, so none is; and there is one.
      return frames as Texts
    }
    const { detail, excerpt, offset, reason } = last
    ended ??= Exit.fail(TransportError.transportError(
      reason === "ForeignProtocol"
        ? { _tag: "ForeignProtocol", excerpt }
        : { _tag: "LostPlace", detail, offset, excerpt }
    ))
    return textsOf(frames.slice(0, -1))
  }

  /** Counts the bytes that the splitter holds of an unfinished frame: at most those that came since the last text. */
  const hold = (chunks: ReadonlyArray<Uint8Array>, texts: Texts | undefined, shared: Budget.Budget) => {
    const came = chunks.reduce((sum, chunk) => sum + chunk.length, texts === undefined ? held : 0)
    const now = by.splitter.partial() ? Math.min(came, limits.frame) : 0
    shared.take(now - held)
    held = now
    if (held > 0 && shared.isSpent() && !shared.evict()) {
      ended ??= Exit.fail(TransportError.transportError({ _tag: "BudgetSpent" }))
    }
  }

  const onBytes = (chunks: NonEmptyReadonlyArray<Uint8Array>) => {
    const texts = textsOf(
      chunks.length === 1 ? by.splitter.push(chunks[0]) : chunks.flatMap((chunk) => by.splitter.push(chunk))
    )
    if (budget !== undefined) hold(chunks, texts, budget)
    if (texts === undefined) occupancy?.touch()
    else occupancy?.speak()
    if (texts === undefined && ended === undefined) return wait()
    reader = undefined
    return texts === undefined ? ended ?? wait() : Exit.succeed(texts)
  }

  const onEnd = (error: TransportError.TransportError) => {
    reader = undefined
    // Closed by this side, timed out or evicted: the pull failed because of that.
    if (ended !== undefined) return ended
    const reason = error.reason._tag
    const failure = Exit.fail(error)
    if (reason !== "EndOfInput") ended = broken = failure
    const texts = reason === "EndOfInput" || reason === "Exited" ? textsOf(by.splitter.end()) : undefined
    ended ??= failure
    return texts !== undefined ? Exit.succeed(texts) : ended
  }

  const pull: Effect.Effect<Texts, TransportError.TransportError> = Effect.matchEffect(bytes.pull, {
    onFailure: onEnd,
    onSuccess: onBytes
  })

  const wait = (): typeof pull => {
    if (!by.splitter.partial()) since = undefined
    else since ??= Monotonic.now(clock)
    return since !== undefined && watcher === undefined ? Effect.flatMap(startWatcher, () => pull) : pull
  }

  const receive: Transport["receive"] = Effect.withFiber((fiber) => {
    if (fiber !== reader && isWaiting()) {
      return Effect.die(new Error("A transport has one reader: receive was called while it waits."))
    }
    if (ended !== undefined) return ended
    isChosen = true
    reader = fiber
    since = undefined
    return wait()
  })
  const send = Direct.joining(Direct.send((texts) => broken ?? by.write(by.join(texts))), by)
  return {
    receive,
    send: bytes.unsent === undefined ? send : Direct.measured(send, bytes.unsent),
    close,
    abort,
    framing: {
      get name() {
        return by.name
      },
      choose: (name) => {
        if (!isChosen) Object.assign(by, splitBy(Framing.byName(name)))
        isChosen = true
        return by.name
      }
    }
  }
})
