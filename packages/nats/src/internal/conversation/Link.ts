/**
 * One side of a conversation: a stream of bytes each way, over a wire that carries packets and may lose some.
 *
 * It owns the numbers that find a loss, the credits, the beat and the end. It does no I/O: the wire takes its packets, and
 * `take` is given those that come. Promises:
 *
 * - Bytes arrive whole and in order, or the conversation ends with `Lost`: a packet whose number is not the next one ends
 *   it on both sides.
 * - A side that does not read holds up the other one: no more than a window and one packet lie unread.
 * - An orderly end comes after all bytes. A side that falls silent is found by its missing beat.
 */
import type { Bytes } from "@parley/transport/FramedTransport"
import { type Budget, Monotonic } from "@parley/transport/shared"
import * as Transport from "@parley/transport/Transport"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import { Inbox, window } from "./Inbox.ts"
import * as Packet from "./Packet.ts"

/** The link that carries packets to the other side. */
export interface Wire {
  /** Sends a packet. It may throw. If the packet has no receiver, `Link.lose` is called for data, and `Link.miss` for a beat. */
  readonly publish: (packet: Uint8Array, isBeat: boolean) => void
  /** Bytes that one packet may have. */
  readonly largest: () => number
  /** Whether a packet would leave now. Where not, data waits; `Link.resume` tells that it would. */
  readonly isUp: () => boolean
  /** The link needs the wire no more. */
  readonly release: () => void
}

/** When a side beats, and how long it bears silence. */
export interface Patience {
  /** Milliseconds. */
  readonly interval: number
  /** Milliseconds beyond the beat of the other side. */
  readonly timeout: number
}

/** Bytes of data in one packet, so that a few of them fit into a window. */
const piece = 64 * 1024

/** Milliseconds for the other side to reconnect after a beat without a receiver. */
const grace = 2_000

/** Milliseconds in which a closing side may make no progress, and those that it has in all. */
const linger = 1_000
const flush = 30_000

type Failure = Exit.Exit<never, Transport.TransportError>
type Resume = (exit: Exit.Exit<void, Transport.TransportError>) => void

const failure = (reason: Transport.TransportReason): Failure => Exit.fail(Transport.transportError(reason))

const lost = (message: string): Transport.TransportReason => ({ _tag: "Lost", cause: new Error(message) })

/** @see Link */
export interface Options {
  readonly wire: Wire
  /** The data that the other side has sent about itself. */
  readonly hello: Packet.Hello
  readonly patience: Patience
  readonly budget: Budget.Budget | undefined
  readonly clock: Clock.Clock
}

export class Link {
  /** The stream of bytes. */
  readonly bytes: Bytes

  readonly #wire: Wire
  readonly #hello: Packet.Hello
  readonly #patience: Patience
  readonly #clock: Clock.Clock

  /** Data that waits to be sent. */
  #out: Array<Uint8Array> = []
  #writers: Array<Resume> = []
  /** The number of the last packet sent, the weight of all that were, and how much of it the other side has read. */
  #sent = 0
  #spent = 0
  #granted = 0

  readonly #inbox: Inbox
  /** The number of the last packet that came. */
  #came = 0

  /** The failure of every later write. */
  #broken: Failure | undefined = undefined
  #isOver = false
  /** Opens when it is over. */
  readonly #left = Latch.makeUnsafe()
  #hasClosed = false
  #hasSent = false
  #hasHeard = true
  /** The time since which our beats have no receiver. */
  #missedSince: number | undefined = undefined
  /** Opens where the next beat has to come sooner. */
  readonly #hurry = Latch.makeUnsafe()

  constructor({ budget, clock, hello, patience, wire }: Options) {
    this.#clock = clock
    this.#wire = wire
    this.#hello = hello
    this.#patience = patience
    this.#inbox = new Inbox(budget, () => this.#beat())
    this.bytes = this.#bytesOf(this.#inbox)
  }

  /** Takes a packet of the other side. */
  take(bytes: Uint8Array): void {
    if (this.#isOver) return
    const packet = Packet.decode(bytes)
    if (packet === undefined || packet.read > this.#spent) {
      return this.#break("what came is no packet of a conversation")
    }
    this.#hasHeard = true
    this.#missedSince = undefined
    if (packet.read > this.#granted) this.#granted = packet.read
    this.#receive(packet)
    this.#pump()
  }

  /** The wire carries packets again: the link sends the other side its state at once. */
  resume(): void {
    if (this.#isOver) return
    this.#beat()
    this.#pump()
  }

  /** The wire has found that our data had no receiver. */
  lose(message: string): void {
    this.#fail(lost(message))
  }

  /** A beat had no receiver. The link of the other side may be cut for a moment, so it gets another one. */
  miss(message: string): void {
    const now = Monotonic.now(this.#clock)
    if (this.#missedSince === undefined) {
      this.#missedSince = now
      this.#hurry.openUnsafe()
    } else if (now - this.#missedSince >= this.#grace) this.lose(message)
  }

  get #grace(): number {
    return Math.min(grace, this.#patience.interval)
  }

  /** Beats until the end, and ends the conversation when the other side is silent. */
  readonly beating: Effect.Effect<void> = Effect.suspend(() => this.#watch(Monotonic.now(this.#clock)))

  /** The pause before a beat: a short one after a beat without a receiver. */
  get #pause(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#hurry.closeUnsafe()
      const hurried = Effect.andThen(this.#hurry.await, Effect.sleep(this.#grace))
      return Effect.raceFirst(Effect.sleep(this.#patience.interval), hurried)
    })
  }

  #watch(heard: number, before = heard): Effect.Effect<void> {
    const { interval, timeout } = this.#patience
    return Effect.flatMap(this.#pause, () => {
      if (this.#isOver) return Effect.void
      const now = Monotonic.now(this.#clock)
      // A process that was paused has not read yet what came meanwhile.
      const isAwake = now - before < 2 * interval
      const last = this.#hasHeard || !isAwake ? now : heard
      this.#hasHeard = false
      // It beats where it has sent nothing for a beat, so two of them may pass.
      const bound = 2 * this.#hello.beat + timeout
      if (now - last >= bound) {
        this.#fail({ _tag: "KeepAlive", milliseconds: bound }, "nothing was heard for too long")
        return Effect.void
      }
      if (!this.#hasSent || this.#missedSince !== undefined) this.#beat()
      this.#hasSent = false
      return this.#watch(last, now)
    })
  }

  #receive(packet: Packet.Packet): void {
    switch (packet.kind) {
      case "data":
        if (this.#isNext(packet)) this.#arrive(packet.bytes)
        return
      case "beat":
        if (packet.sequence !== this.#came) this.#gap()
        return
      case "close":
        if (!this.#isNext(packet)) return
        // First: the reader that this ends may write at once.
        this.#stopWriting(failure(lost("the other side has closed the conversation")))
        if (!this.#hasClosed) this.#post("close", ++this.#sent)
        this.#inbox.end(failure({ _tag: "EndOfInput" }))
        return this.#leave()
      case "abort":
        return this.#fail(lost(`the other side has ended the conversation: ${Packet.textOf(packet)}`))
      case "hello":
        return this.#break("a second hello came")
    }
  }

  #bytesOf(inbox: Inbox): Bytes {
    return {
      pull: inbox.pull,
      write: (bytes) =>
        Effect.suspend(() => {
          if (this.#broken !== undefined) return this.#broken
          this.#out.push(bytes)
          this.#pump()
          return this.#drained
        }),
      close: Effect.suspend(() => {
        inbox.end(failure({ _tag: "Closed" }))
        inbox.drop()
        return Effect.andThen(this.#written, this.#close)
      }),
      abort: Effect.sync(() => this.#fail({ _tag: "BudgetSpent" }, "the memory that it needs is gone"))
    }
  }

  #isNext({ sequence }: Packet.Packet): boolean {
    if (sequence !== this.#came + 1) {
      this.#gap()
      return false
    }
    this.#came = sequence
    return true
  }

  #arrive(bytes: Uint8Array): void {
    const reason = this.#inbox.take(bytes, this.#wire.largest())
    if (reason !== undefined) this.#fail(reason, Transport.describeReason(reason))
  }

  #beat(): void {
    this.#post("beat", this.#sent)
  }

  /** Sends what the window has room for, which no other side may widen: servers drop clients that are behind. */
  #pump(): void {
    const room = Math.min(this.#hello.window, window)
    const most = Math.min(piece, this.#wire.largest() - Packet.lineRoom)
    for (let first = this.#out[0]; first !== undefined; first = this.#out[0]) {
      if (this.#spent - this.#granted >= room || !this.#wire.isUp()) return
      const bytes = first.length <= most ? first : first.subarray(0, most)
      if (bytes === first) this.#out.shift()
      else this.#out[0] = first.subarray(most)
      this.#spent += Packet.weightOf(bytes.length)
      this.#post("data", ++this.#sent, bytes)
    }
    this.#wake(this.#broken ?? Exit.void)
  }

  #post(kind: Packet.Kind, sequence: number, bytes?: Uint8Array): void {
    if (this.#isOver || !this.#wire.isUp()) return
    this.#hasSent = true
    this.#publish(Packet.encode(kind, sequence, this.#inbox.tell(), bytes), kind === "beat")
  }

  #publish(packet: Uint8Array, isBeat = false): void {
    try {
      this.#wire.publish(packet, isBeat)
    } catch (cause) {
      this.#stop(failure({ _tag: "Lost", cause }))
    }
  }

  /** Ends when all data that waits has been sent. */
  readonly #drained: Effect.Effect<void, Transport.TransportError> = Effect.callback((resume) => {
    if (this.#out.length === 0) return resume(this.#broken ?? Exit.void)
    this.#writers.push(resume)
    return Effect.sync(() => {
      this.#writers = this.#writers.filter((other) => other !== resume)
    })
  })

  /** Waits until everything is sent, as long as that goes on. */
  get #written(): Effect.Effect<void> {
    const wait = (left: number): Effect.Effect<void> => {
      if (this.#out.length === 0 || this.#isOver || left <= 0) return Effect.void
      const before = this.#granted
      return Effect.flatMap(
        Effect.timeoutOption(Effect.ignore(this.#drained), linger),
        () => this.#granted === before ? Effect.void : wait(left - linger)
      )
    }
    return Effect.suspend(() => wait(flush))
  }

  /** Says that nothing more will come, and stays until the other side has said the same. */
  get #close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#isOver) return Effect.void
      if (this.#out.length > 0) {
        this.#fail({ _tag: "Closed" }, "it read no more while we closed")
        return Effect.void
      }
      this.#post("close", ++this.#sent)
      this.#hasClosed = true
      this.#stopWriting(failure({ _tag: "Closed" }))
      return Effect.andThen(Effect.timeoutOption(this.#left.await, linger), Effect.sync(() => this.#leave()))
    })
  }

  #gap(): void {
    this.#break("messages were lost on their way")
  }

  #break(message: string): void {
    this.#fail(lost(message), message)
  }

  /** Ends the conversation, and tells the other side why, where it may hear that. */
  #fail(reason: Transport.TransportReason, told?: string): void {
    if (this.#isOver) return
    if (told !== undefined && this.#wire.isUp()) this.#publish(Packet.abort(told))
    this.#stop(failure(reason))
  }

  #stop(exit: Failure): void {
    this.#stopWriting(exit)
    this.#inbox.end(exit)
    this.#leave()
  }

  #stopWriting(exit: Failure): void {
    this.#broken ??= exit
    this.#out = []
    this.#wake(this.#broken)
  }

  #wake(exit: Exit.Exit<void, Transport.TransportError>): void {
    const writers = this.#writers
    if (writers.length === 0) return
    this.#writers = []
    for (const resume of writers) resume(exit)
  }

  #leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#wire.release()
    this.#left.openUnsafe()
  }
}
