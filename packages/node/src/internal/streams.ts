/**
 * The two directions of Node's streams as a pull and a write.
 *
 * They listen from the moment they are made, because an error event without a
 * listener ends the process, and they remember the first end. Both directions have
 * back-pressure: the readable is paused when nobody pulls, and a write waits for
 * `drain`.
 *
 * Node reads a socket again and again while it is full, up to 2 MiB in one turn of
 * the event loop. So a readable rests after each 128 KiB: those that flood let the
 * others have their turn.
 */
import * as Transport from "@parley/transport/Transport"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Readable, Writable } from "node:stream"

type Failure = Exit.Exit<never, Transport.TransportError>
type Chunks = NonEmptyReadonlyArray<Uint8Array>
type Resume<A> = (exit: Exit.Exit<A, Transport.TransportError>) => void

const failure = (reason: Transport.TransportReason): Failure => Exit.fail(Transport.transportError(reason))

const lost = (cause: unknown): Failure => failure({ _tag: "Lost", cause })

/** Bytes that may wait for a pull before the readable is paused: what one read of a socket brings. */
const highWater = 64 * 1024

/** Bytes that a readable brings before it rests. */
const mostPerTurn = 128 * 1024

/** Bytes that each chunk takes beside its own, so that single bytes do not fill the memory. */
const chunkOverhead = 256

/** Reads a readable of Node. */
export class Source {
  private readonly readable: Readable
  private chunks: Array<Uint8Array> = []
  private size = 0
  private flow: "fresh" | "flowing" | "resting" | "paused" = "fresh"
  /** Bytes that came since it rested last. */
  private came = 0
  private ended: Failure | undefined
  private waiter: Resume<Chunks> | undefined

  constructor(readable: Readable) {
    this.readable = readable
    readable.on("end", this.onEnd)
    readable.on("error", this.onError)
    readable.on("close", this.onClose)
    // A stream that has ended already has no more events.
    if (readable.readableEnded) this.onEnd()
    else if (readable.destroyed) this.onClose()
  }

  readonly pull: Effect.Effect<Chunks, Transport.TransportError> = Effect.callback((resume) => {
    if (this.chunks.length > 0) {
      // Its length was looked at.
      const chunks = this.chunks as unknown as Chunks
      this.chunks = []
      this.size = 0
      return resume(Exit.succeed(chunks))
    }
    if (this.ended !== undefined) return resume(this.ended)
    this.waiter = resume
    this.start()
    return this.forget
  })

  /** One fiber pulls at a time, so it is the one that stops waiting. */
  private readonly forget = Effect.sync(() => {
    this.waiter = undefined
  })

  /** Ends reading from this side: drops the chunks that are kept, and fails a waiting pull. */
  stop(error = Transport.transportError({ _tag: "Closed" })): void {
    this.readable.off("data", this.onData)
    this.readable.pause()
    this.chunks = []
    this.end(Exit.fail(error))
  }

  /** Forgets the stream, for one that outlives its transport. */
  release(): void {
    this.readable.off("end", this.onEnd)
    this.readable.off("error", this.onError)
    this.readable.off("close", this.onClose)
  }

  /** Reads ahead, up to the high water mark. */
  start(): void {
    if (this.flow === "flowing" || this.flow === "resting") return
    if (this.flow === "fresh") this.readable.on("data", this.onData)
    this.flow = "flowing"
    this.readable.resume()
  }

  private readonly onEnd = (): void => this.end(failure({ _tag: "EndOfInput" }))
  private readonly onError = (cause: unknown): void => this.end(lost(cause))
  private readonly onClose = (): void => this.end(lost(new Error("closed before its end")))

  private rest(): void {
    this.came = 0
    this.flow = "resting"
    this.readable.pause()
    Effect.runFork(this.goOn)
  }

  private readonly goOn = Effect.map(Effect.yieldNow, () => {
    if (this.flow !== "resting" || this.ended !== undefined) return
    this.flow = "paused"
    if (this.size < highWater) this.start()
  })

  private readonly onData = (chunk: Uint8Array): void => {
    this.came += chunk.length
    if (this.came >= mostPerTurn) this.rest()
    const waiter = this.waiter
    if (waiter !== undefined) {
      this.waiter = undefined
      // Runs the reader at once; in most cases it waits again when this returns.
      waiter(Exit.succeed([chunk]))
      return
    }
    this.chunks.push(chunk)
    this.size += chunk.length + chunkOverhead
    if (this.size < highWater) return
    this.flow = "paused"
    this.readable.pause()
  }

  private end(exit: Failure): void {
    this.ended ??= exit
    const waiter = this.waiter
    this.waiter = undefined
    waiter?.(this.ended)
  }
}

/** The part of a socket of Node that knows how much of a write the system has taken. A socket asks it for its timeouts. */
interface Handled {
  readonly _handle?: { readonly writeQueueSize?: unknown } | null
}

/** Bytes that are kept until others are written. */
const mostKept = 65_536

let lastBytes: Uint8Array = Buffer.alloc(0)
let lastBuffer: Uint8Array = lastBytes

/** Node makes a Buffer of what is none. Where the same bytes go to many connections, this makes one for all. */
const bufferOf = (bytes: Uint8Array): Uint8Array => {
  if (bytes === lastBytes) return lastBuffer
  if (bytes.length > mostKept) return bytes
  lastBytes = bytes
  return lastBuffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Writes to a writable of Node. */
export class Target {
  private readonly writable: Writable
  private readonly put: ((bytes: Uint8Array) => boolean) | undefined
  private broken: Failure | undefined
  private waiting: Array<Resume<void>> = []

  constructor(writable: Writable, put?: (bytes: Uint8Array) => boolean) {
    this.writable = writable
    this.put = put
    writable.on("drain", this.onDrain)
    writable.on("error", this.onError)
    writable.on("close", this.onClose)
  }

  /** Writes now, and gives the exit, or what waits for room: most writes have room, and need no fiber. */
  write(bytes: Uint8Array): Effect.Effect<void, Transport.TransportError> {
    if (this.broken !== undefined) return this.broken
    // Node would neither take the bytes nor emit `drain`.
    if (!this.writable.writable) return lost(new Error("the stream takes no more"))
    const hasRoom = this.put === undefined ? this.writable.write(bufferOf(bytes)) : this.put(bytes)
    return hasRoom ? Exit.void : this.room
  }

  /** Bytes of the writes so far that the system has not taken: of whole writes, where the stream does not know more. */
  readonly unsent = (): number => {
    // The handle is in no type. It is the one source for the progress of a single long write.
    const size = (this.writable as Handled)._handle?.writeQueueSize
    return typeof size === "number" ? size : this.writable.writableLength
  }

  /** Ends writing from this side: writes that wait for room, and later ones, fail. */
  stop(): void {
    this.fail(failure({ _tag: "Closed" }))
  }

  /** Forgets the stream, for one that outlives its transport. */
  release(): void {
    this.writable.off("drain", this.onDrain)
    this.writable.off("error", this.onError)
    this.writable.off("close", this.onClose)
  }

  private readonly room = Effect.callback<void, Transport.TransportError>((resume) => {
    this.waiting.push(resume)
    return Effect.sync(() => {
      this.waiting = this.waiting.filter((other) => other !== resume)
    })
  })

  private readonly onDrain = (): void => this.settle(Exit.void)
  private readonly onError = (cause: unknown): void => this.fail(lost(cause))
  private readonly onClose = (): void => this.fail(lost(new Error("the stream has closed")))

  private fail(exit: Failure): void {
    this.broken ??= exit
    this.settle(this.broken)
  }

  private settle(exit: Exit.Exit<void, Transport.TransportError>): void {
    const waiting = this.waiting
    if (waiting.length === 0) return
    this.waiting = []
    for (const resume of waiting) resume(exit)
  }
}
