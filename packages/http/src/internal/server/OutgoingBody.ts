/**
 * The body of one answer, in pieces that its host takes when it has room for more.
 *
 * A large text counts on the budget until the host has taken all of it, and the host
 * gets it cut: hosts keep what they have taken, and take the next when that is
 * written. A small text is one piece and does not count. So a body knows how its
 * client reads from what its host takes, and tells the budget. It breaks off when the
 * budget asks for that, or when the host takes nothing for `Limits.writeStall`.
 */
import type * as Limits from "@parley/protocol/Limits"
import { type Budget, Reader } from "@parley/transport/shared"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/** Bytes of a piece. A text that fits into one does not count. */
export const piece = 65_536

/** The parts of a request that the body of its answer needs. */
export interface Owner {
  readonly budget: Budget.Budget | undefined
  readonly limits: Limits.Limits
  readonly context: Context.Context<never>
  /** Ends the answer, and closes the body. */
  readonly interrupt: Effect.Effect<void>
}

/** Makes the body of an answer. */
export const make = (owner: Owner): Effect.Effect<OutgoingBody> =>
  Effect.map(Queue.bounded<Uint8Array, Cause.Done>(1), (pieces) => new OutgoingBody(owner, pieces))

export class OutgoingBody {
  readonly #owner: Owner
  readonly #pieces: Queue.Queue<Uint8Array, Cause.Done>
  /** The large texts that the host has not taken to their ends. */
  readonly #held = new Set<Uint8Array>()
  /** Their share of the budget, while there are some. */
  #share: Budget.Share | undefined
  #watch: Fiber.Fiber<void> | undefined
  #reader: Reader.Reader | undefined
  /** The large text that the host takes now, and how many bytes of it are taken. */
  #current: Uint8Array | undefined
  #taken = 0
  /** Takes the pieces, and waits until they are written. */
  #host: Fiber.Fiber<unknown, unknown> | undefined

  constructor(owner: Owner, pieces: Queue.Queue<Uint8Array, Cause.Done>) {
    this.#owner = owner
    this.#pieces = pieces
  }

  /** The pieces that the host takes. */
  readonly stream: Stream.Stream<Uint8Array> = Stream.fromPull(Effect.succeed(
    Effect.withFiber((host) => {
      this.#host = host
      return this.#next()
    })
  ))

  /** Adds an empty piece, because some hosts send the head with the first piece. */
  begin(): void {
    Queue.offerUnsafe(this.#pieces, nothing)
  }

  /** Adds a piece, and waits until the host has room for it. */
  write(bytes: Uint8Array): Effect.Effect<void> {
    return Effect.suspend(() => {
      const written = Queue.offer(this.#pieces, bytes)
      if (bytes.length <= piece || this.#pieces.state._tag !== "Open") return written
      this.#hold(bytes)
      return Effect.onExit(written, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) || !exit.value) this.#release(bytes)
        }))
    })
  }

  /** Ends the body after what was written. */
  get end(): Effect.Effect<void> {
    return Queue.end(this.#pieces)
  }

  /** Breaks the body off after what was written. */
  fail(cause: Cause.Cause<never>): void {
    Queue.failCauseUnsafe(this.#pieces, cause)
  }

  /** Drops what the host has not taken. */
  close(): void {
    Queue.shutdownUnsafe(this.#pieces)
    this.#current = undefined
    this.#held.clear()
    this.#giveBack()
  }

  #next(): Pull.Pull<NonEmptyReadonlyArray<Uint8Array>> {
    // The host takes more, because its client has read what it took before.
    this.#reader?.moves()
    const bytes = this.#current
    if (bytes !== undefined) {
      if (this.#taken < bytes.length) return Effect.succeed([this.#cut(bytes)])
      this.#current = undefined
      this.#release(bytes)
    }
    return Effect.map(Queue.take(this.#pieces), (bytes) => [this.#begin(bytes)])
  }

  #begin(bytes: Uint8Array): Uint8Array {
    if (bytes.length <= piece) return bytes
    this.#current = bytes
    this.#taken = 0
    return this.#cut(bytes)
  }

  #cut(bytes: Uint8Array): Uint8Array {
    const from = this.#taken
    this.#taken += piece
    return bytes.subarray(from, this.#taken)
  }

  #hold(bytes: Uint8Array): void {
    const { budget, context, limits } = this.#owner
    if (budget === undefined) return
    this.#held.add(bytes)
    const share = this.#share ??= budget.share()
    share.take(bytes.length)
    if (this.#reader !== undefined) return this.#reader.gains()
    share.onEvict(this.#breakOff)
    const reader = this.#reader = new Reader.Reader(share, limits.writeStall)
    this.#watch = Effect.runForkWith(context)(Effect.andThen(reader.stall, Effect.sync(this.#breakOff)))
  }

  #release(bytes: Uint8Array): void {
    if (!this.#held.delete(bytes)) return
    this.#share?.take(-bytes.length)
    if (this.#held.size === 0) this.#giveBack()
  }

  #giveBack(): void {
    this.#watch?.interruptUnsafe()
    this.#share?.close()
    this.#share = undefined
    this.#reader = undefined
  }

  /** Ends the answer, also where its host waits for the client. The host then ends the connection. */
  readonly #breakOff = (): void => {
    this.close()
    this.#host?.interruptUnsafe()
    Effect.runForkWith(this.#owner.context)(this.#owner.interrupt)
  }
}

const nothing = new Uint8Array()
