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
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Budget from "../shared/Budget.ts"
import * as Direct from "../shared/Direct.ts"
import * as Monotonic from "../shared/Monotonic.ts"
import * as Occupancy from "../shared/Occupancy.ts"
import type { FramedReceive, Received, Transport, TransportFraming } from "../Transport.ts"
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
  const closeBytes = yield* Effect.cached(Effect.uninterruptible(bytes.close))
  const context = yield* Effect.context<Scope.Scope>()
  const connection = new Connection(bytes, options, context, closeBytes)
  const close = connection.closing(closeBytes)
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(() => connection.leave()), close))
  const send = Direct.joining(Direct.send((texts) => connection.send(texts)), connection)
  const framing: TransportFraming = {
    get name() {
      return connection.framing.name
    },
    choose: (name) => connection.choose(name)
  }
  return {
    receive: Object.assign(
      connection.receive,
      { "~@parley/transport/Transport/framing": framing } satisfies FramedReceive
    ),
    send: bytes.unsent === undefined ? send : Direct.measured(send, bytes.unsent),
    close,
    abort: bytes.abort && connection.closing(bytes.abort),
    framing
  }
})

/** One object for all that a write looks at: where one text goes to many connections, each costs what must be fetched. */
class Connection implements Direct.Joined {
  framing: Framing.Framing
  /** The failure of every later `send`: unlike `#ended`, never the end of the input. */
  #broken: Failure | undefined = undefined
  /** Whether the framing is chosen. */
  #isChosen: boolean
  readonly #occupancy: Occupancy.Occupancy | undefined
  readonly #bytes: Bytes
  #splitter: Framing.Splitter
  readonly #pull: Effect.Effect<Texts, TransportError.TransportError>
  /** The failure of every later `receive`. */
  #ended: Failure | undefined = undefined
  /** The fiber that waits in `receive`. It is not forgotten when it ends, because an exit hook would cost more. */
  #reader: Fiber.Fiber<unknown, unknown> | undefined = undefined
  /** Bytes that an unfinished frame takes from the budget. */
  #held = 0
  /** Since when the reader waits for the rest of a frame that has begun. */
  #since: number | undefined = undefined
  #watcher: Fiber.Fiber<void> | undefined = undefined
  readonly #limits: Limits.Limits
  readonly #clock: Clock.Clock
  readonly #budget: Budget.Budget | undefined
  readonly #context: Context.Context<Scope.Scope>
  readonly #closeBytes: Effect.Effect<void>
  /** Stops hearing from the budget. */
  readonly #stop: (() => void) | undefined

  constructor(bytes: Bytes, options: Options, context: Context.Context<Scope.Scope>, closeBytes: Effect.Effect<void>) {
    this.framing = options.framing ?? Framing.line
    this.#isChosen = options.framing !== undefined
    this.#limits = Limits.make(options.limits)
    this.#splitter = this.framing.splitter(this.#limits)
    this.#bytes = bytes
    this.#closeBytes = closeBytes
    this.#pull = Effect.matchEffect(bytes.pull, { onFailure: this.#onEnd, onSuccess: this.#onBytes })
    this.#context = context
    this.#clock = Context.get(context, Clock.Clock)
    this.#occupancy = Context.get(context, Occupancy.Occupancy)
    this.#budget = Context.get(context, Budget.Budget)
    this.#stop = this.#budget?.onEvict(() => this.#evict())
  }

  choose(name: Framing.FramingName): Framing.FramingName {
    // A program without types may name one that there is not, and `none` is for wires that keep texts apart themselves.
    const framing: Framing.Framing | undefined = name === "none" ? undefined : Framing.byName(name)
    if (this.#isChosen || framing === undefined) return this.framing.name
    this.#isChosen = true
    this.framing = framing
    this.#splitter = this.framing.splitter(this.#limits)
    return name
  }

  send(texts: NonEmptyReadonlyArray<string>): ReturnType<Direct.Give> {
    return this.#broken ?? this.write(this.framing.join(texts))
  }

  write(joined: Uint8Array): ReturnType<Direct.Give> {
    if (this.#broken !== undefined) return this.#broken
    this.#isChosen = true
    this.#occupancy?.touch()
    return this.#bytes.write(joined)
  }

  /** Ends both directions in a way of the bytes. */
  closing(how: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#end({ _tag: "Closed" })
      this.#watcher?.interruptUnsafe()
      return how
    })
  }

  /** Nothing of it counts any more. */
  leave(): void {
    this.#stop?.()
    this.#budget?.take(-this.#held)
  }

  readonly receive: Transport["receive"] = Effect.withFiber((fiber) => {
    if (fiber !== this.#reader && this.#isWaiting) {
      return Effect.die(new Error("A transport has one reader: receive was called while it waits."))
    }
    if (this.#ended !== undefined) return this.#ended
    this.#isChosen = true
    this.#reader = fiber
    this.#since = undefined
    return this.#wait()
  })

  #end(reason: TransportError.TransportReason): void {
    const failure = Exit.fail(TransportError.transportError(reason))
    this.#broken ??= failure
    this.#ended ??= failure
  }

  /** Ends this connection because others need its memory. Unwritten bytes would go on taking it. */
  #evict(): void {
    this.#end({ _tag: "BudgetSpent" })
    Effect.runForkWith(this.#context)(this.#bytes.abort ?? this.#closeBytes)
  }

  get #isWaiting(): boolean {
    return this.#reader !== undefined && this.#reader.pollUnsafe() === undefined
  }

  // It outlives its frame, and then sleeps for the frame that is unfinished at that time: one timer for all frames.
  readonly #watch: Effect.Effect<void> = Effect.suspend(() => {
    if (!this.#isWaiting) this.#since = undefined
    const { partialFrame: milliseconds } = this.#limits
    const left = this.#since === undefined ? undefined : this.#since + milliseconds - Monotonic.now(this.#clock)
    if (left !== undefined && left > 0) return Effect.flatMap(Effect.sleep(left), () => this.#watch)
    this.#watcher = undefined
    if (left === undefined) return Effect.void
    this.#ended = this.#broken = Exit.fail(TransportError.transportError({ _tag: "FrameTimeout", milliseconds }))
    // Closing the bytes is what makes the waiting pull fail.
    return this.#closeBytes
  })

  /** The texts of these frames, if any. A lost place comes last, and is what the next call fails with. */
  #textsOf(frames: ReadonlyArray<Framing.Frame>): Texts | undefined {
    const last = frames.at(-1)
    if (last === undefined) return undefined
    if (typeof last === "string" || last._tag === "BadFrame") {
      // The last frame is no lost place, so none is; and there is one.
      return frames as Texts
    }
    const { detail, excerpt, offset, reason } = last
    this.#ended ??= Exit.fail(TransportError.transportError(
      reason === "ForeignProtocol"
        ? { _tag: "ForeignProtocol", excerpt }
        : { _tag: "LostPlace", detail, offset, excerpt }
    ))
    return this.#textsOf(frames.slice(0, -1))
  }

  /** Counts the bytes that the splitter holds of an unfinished frame: at most those that came since the last text. */
  #hold(chunks: ReadonlyArray<Uint8Array>, texts: Texts | undefined, shared: Budget.Budget): void {
    const came = chunks.reduce((sum, chunk) => sum + chunk.length, texts === undefined ? this.#held : 0)
    const now = this.#splitter.partial() ? Math.min(came, this.#limits.frame) : 0
    shared.take(now - this.#held)
    this.#held = now
    if (this.#held > 0 && shared.isSpent() && !shared.evict()) {
      this.#ended ??= Exit.fail(TransportError.transportError({ _tag: "BudgetSpent" }))
    }
  }

  readonly #onBytes = (chunks: NonEmptyReadonlyArray<Uint8Array>) => {
    const texts = this.#textsOf(
      chunks.length === 1 ? this.#splitter.push(chunks[0]) : chunks.flatMap((chunk) => this.#splitter.push(chunk))
    )
    if (this.#budget !== undefined) this.#hold(chunks, texts, this.#budget)
    if (texts === undefined) this.#occupancy?.touch()
    else this.#occupancy?.speak()
    if (texts === undefined && this.#ended === undefined) return this.#wait()
    this.#reader = undefined
    return texts === undefined ? this.#ended ?? this.#wait() : Exit.succeed(texts)
  }

  readonly #onEnd = (error: TransportError.TransportError) => {
    this.#reader = undefined
    // Closed by this side, timed out or evicted: the pull failed because of that.
    if (this.#ended !== undefined) return this.#ended
    const reason = error.reason._tag
    const failure = Exit.fail(error)
    if (reason !== "EndOfInput") this.#ended = this.#broken = failure
    const texts = reason === "EndOfInput" || reason === "Exited" ? this.#textsOf(this.#splitter.end()) : undefined
    this.#ended ??= failure
    return texts !== undefined ? Exit.succeed(texts) : this.#ended
  }

  #wait(): Effect.Effect<Texts, TransportError.TransportError> {
    if (!this.#splitter.partial()) this.#since = undefined
    else this.#since ??= Monotonic.now(this.#clock)
    return this.#since !== undefined && this.#watcher === undefined
      ? Effect.flatMap(this.#startWatcher, () => this.#pull)
      : this.#pull
  }

  get #startWatcher(): Effect.Effect<void> {
    const scope = Context.get(this.#context, Scope.Scope)
    return Effect.map(Effect.forkIn(this.#watch, scope, { startImmediately: true }), (fiber) => {
      if (fiber.pollUnsafe() === undefined) this.#watcher = fiber
    })
  }
}
