/**
 * One WebSocket as a connection of texts.
 *
 * Owns both flows, the closing and the keep-alive. The inbox owns the texts and
 * their ends, the platform module the differences between makers.
 *
 *   connecting ─ open ─→ open ─ close() ─→ closing ─ close event, or nothing moves for `linger` ─→ closed
 *       └ error, close ─→ closed   └ close event, error, a bound: ended, and `close()` does the rest
 *
 * The event listeners stay until the close event, because `ws` throws an error that
 * nobody listens to.
 */
import * as Framing from "@parley/protocol/Framing"
import type { Limits } from "@parley/protocol/Limits"
import { BadFrame } from "@parley/protocol/shared"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Direct from "../shared/Direct.ts"
import * as Monotonic from "../shared/Monotonic.ts"
import type { Received, Transport } from "../Transport.ts"
import { boundsOf, Inbox, weightOf } from "./messages.ts"
import * as TransportError from "./TransportError.ts"
import type { Options } from "./webSocketOptions.ts"
import { isTooLarge, listen, type Platform, states } from "./webSocketPlatform.ts"

type Failure = Exit.Exit<never, TransportError.TransportError>
type Texts = NonEmptyReadonlyArray<string>

/** Units that may lie unread before reading pauses: what one read of a socket brings. */
const highWater = 64 * 1024

/** Bytes that may wait to be written before a `send` waits. */
const sendMark = 64 * 1024

/** Milliseconds that a closing connection may make no progress. */
const linger = 1_000

/** Milliseconds between polls of a full send buffer: first, and at most. The standard interface has no event for it. */
const firstLook = 1
const lastLook = 64

/** Closes in order: done, going away (a page, a server that stops), and without a code. RFC 6455, 7.4.1. */
const cleanCodes: ReadonlySet<number> = new Set([1000, 1001, 1005])

/** The close code when too much lies unread: 1008, moved to the range that browsers let a program use. */
const unreadCode = 4008

const encoder = new TextEncoder()

const failure = (reason: TransportError.TransportReason): Failure => Exit.fail(TransportError.transportError(reason))

const lost = (cause: unknown): Failure => failure({ _tag: "Lost", cause })

export class Link {
  private readonly socket: Platform
  private readonly options: Options
  private readonly opened = Deferred.makeUnsafe<void, TransportError.TransportError>()
  private readonly closed = Deferred.makeUnsafe<void>()
  private readonly inbox: Inbox
  private readonly decode: (bytes: Uint8Array) => Received
  private readonly detach: () => void
  private readonly forget: (() => void) | undefined
  private readonly senders = new Set<(exit: Exit.Exit<void, TransportError.TransportError>) => void>()
  /** The messages of this read, or this turn. The reader gets them as one array. */
  private arrived: Array<Received> = []
  private paused: boolean
  private heard = false
  private asking: ((exit: Exit.Exit<void>) => void) | undefined
  private beating: Fiber.Fiber<unknown, unknown> | undefined

  constructor(socket: Platform, options: Options) {
    this.socket = socket
    this.options = options
    this.decode = decoderOf(options.limits)
    this.inbox = new Inbox({
      // A link that can pause never holds more than one read of the wire, or one message.
      bounds: this.pausable ? { budget: options.budget } : boundsOf(options.limits, options.budget, 0),
      onTaken: () => this.flow()
    })
    this.paused = socket.isPaused === true
    this.detach = listen(socket, {
      onOpen: () => Deferred.doneUnsafe(this.opened, Exit.void),
      onMessage: this.onMessage,
      onHeard: () => this.hear(),
      onError: (cause) =>
        this.end(isTooLarge(cause) ? { _tag: "TooLarge", frame: this.options.limits.frame } : { _tag: "Lost", cause }),
      onClose: this.onClose
    })
    options.unfinished?.listen(this.onRead)
    this.forget = options.budget?.onEvict(() => this.cutOff({ _tag: "BudgetSpent" }))
    this.receive = this.inbox.receive
    this.flow()
  }

  readonly receive: Transport["receive"]

  /** Waits until the connection is open, or fails with `Open`. */
  readonly ready: Effect.Effect<void, TransportError.TransportError> = Effect.suspend(() => {
    const { readyState } = this.socket
    if (readyState === states.connecting) return Deferred.await(this.opened)
    if (readyState === states.open) return Effect.void
    return failure({ _tag: "Open", cause: new Error("the WebSocket has closed already") })
  })

  readonly send = Direct.send((texts) => {
    const { socket } = this
    if (this.shut !== undefined) return this.shut
    if (this.pausable && this.buffered + lengthOf(texts) > sendMark) return this.putAndWait(texts)
    const failed = this.put(texts)
    if (failed !== undefined) return failed
    return socket.bufferedAmount !== undefined && socket.bufferedAmount > sendMark
      ? this.drained(firstLook)
      : Exit.void
  })

  /** Ends both directions: what was sent goes out, then the close handshake, both in bounded time. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    if (!this.inbox.close()) return Effect.void
    this.forget?.()
    this.arrived = []
    this.options.unfinished?.drop()
    this.ended(failure({ _tag: "Closed" }))
    // Reading goes on, because the answer to our closing lies behind what still comes. It is dropped.
    this.flow()
    const wasConnecting = this.socket.readyState === states.connecting
    this.shutDown(1000)
    if (wasConnecting || this.socket.readyState === states.closed) return Effect.sync(() => this.abandon())
    return this.closing(Monotonic.now(this.options.clock) + this.options.limits.writeStall)
  })

  /** Ends both directions without a handshake. */
  readonly abort: Effect.Effect<void> = Effect.sync(() => {
    this.end({ _tag: "Closed" })
    if (this.socket.terminate === undefined) this.shutDown(1000)
    this.abandon()
    Deferred.doneUnsafe(this.closed, Exit.void)
  })

  /** Pings during a silence. The end of the connection interrupts it. */
  keepAlive(interval: number, timeout: number): Effect.Effect<void> {
    const ask = Effect.suspend(() => {
      const before = this.buffered
      this.socket.ping?.()
      // A side that still reads what we sent before has not seen the ping yet.
      return Effect.flatMap(Effect.timeoutOption(this.answer, timeout), () => {
        if (this.heard || this.buffered < before) return beat
        // At once: the end interrupts this fiber.
        this.end({ _tag: "KeepAlive", milliseconds: timeout })
        this.terminate()
        return Effect.void
      })
    })
    const beat: Effect.Effect<void> = Effect.suspend(() => {
      this.heard = false
      // While we read nothing, we hear nothing.
      return Effect.flatMap(Effect.sleep(interval), () => this.heard || this.paused ? beat : ask)
    })
    return Effect.withFiber((fiber) => {
      this.beating = fiber
      return this.shut === undefined ? beat : Effect.void
    })
  }

  get canPing(): boolean {
    return this.socket.ping !== undefined
  }

  private get pausable(): boolean {
    return this.socket.pause !== undefined && this.socket.resume !== undefined
  }

  private get buffered(): number {
    return this.socket.bufferedAmount ?? 0
  }

  /** Why nothing can be sent. */
  private get shut(): Failure | undefined {
    if (this.inbox.broken !== undefined) return this.inbox.broken
    return this.socket.readyState === states.open ? undefined : lost(new Error("the WebSocket is closing"))
  }

  private put(texts: Texts, written?: (error?: unknown) => void): Failure | undefined {
    this.options.occupancy?.touch()
    try {
      if (texts.length === 1) this.putOne(texts[0], written)
      else {this.options.together(() =>
          texts.forEach((text, index) => this.putOne(text, index === texts.length - 1 ? written : undefined))
        )}
    } catch (cause) {
      return lost(cause)
    }
    return undefined
  }

  private putOne(text: string, written: ((error?: unknown) => void) | undefined): void {
    const data = this.options.format === "text" ? text : encoder.encode(text)
    if (written === undefined) this.socket.send(data)
    else this.socket.send(data, written)
  }

  /** For platforms that report when a message was written. They may report it at once, so everything is one step. */
  private putAndWait(texts: Texts): Effect.Effect<void, TransportError.TransportError> {
    return Effect.callback((resume) => {
      if (this.shut !== undefined) return resume(this.shut)
      const done = (exit: Exit.Exit<void, TransportError.TransportError>) => {
        this.senders.delete(done)
        resume(exit)
      }
      this.senders.add(done)
      const failed = this.put(texts, (error) => done(error === undefined || error === null ? Exit.void : lost(error)))
      if (failed !== undefined) done(failed)
      return Effect.sync(() => this.senders.delete(done))
    })
  }

  private drained(milliseconds: number): Effect.Effect<void, TransportError.TransportError> {
    return Effect.flatMap(Effect.sleep(milliseconds), () => {
      if (this.shut !== undefined) return this.shut
      return this.buffered > sendMark ? this.drained(Math.min(2 * milliseconds, lastLook)) : Exit.void
    })
  }

  private readonly onMessage = (data: unknown, bytes?: number): void => {
    this.hear()
    if (this.inbox.broken !== undefined) return
    this.arrived.push(
      typeof data === "string"
        ? this.checked(data, bytes)
        : data instanceof Uint8Array
        ? this.decode(data)
        : BadFrame.ofText("NotText", String(data))
    )
    if (this.arrived.length > 1) return
    this.options.occupancy?.speak()
    queueMicrotask(this.deliver)
  }

  private readonly onRead = (bytes: Uint8Array): void => {
    this.deliver()
    // A close frame does not begin a message, and bytes after it are dropped.
    if (this.shut !== undefined) return
    const reason = this.options.unfinished?.read(bytes)
    if (reason !== undefined) this.cutOff(reason)
  }

  /** Ends the connection at once: during a close handshake it would keep what it holds, and grow. */
  private cutOff(reason: TransportError.TransportReason): void {
    this.end(reason)
    if (this.socket.terminate === undefined) this.shutDown(unreadCode, "the server is out of memory")
    else this.terminate()
  }

  private hear(): void {
    this.heard = true
    const { asking } = this
    if (asking === undefined) return
    this.asking = undefined
    asking(Exit.void)
  }

  /** Waits until something is heard. */
  private readonly answer = Effect.callback<void>((resume) => {
    this.asking = resume
    return Effect.sync(() => {
      this.asking = undefined
    })
  })

  private checked(text: string, bytes?: number): Received {
    const { frame } = this.options.limits
    // A unit has three bytes at most.
    const isTooLarge = bytes !== undefined
      ? bytes > frame
      : 3 * text.length > frame && (text.length > frame || encoder.encode(text).length > frame)
    return isTooLarge ? BadFrame.ofText("TooLarge", text) : text
  }

  private readonly deliver = (): void => {
    const { arrived, inbox } = this
    if (arrived.length === 0) return
    this.arrived = []
    // Its length was looked at.
    if (inbox.hand(arrived as unknown as NonEmptyReadonlyArray<Received>)) return
    for (const received of arrived) {
      if (inbox.keep(received, weightOf(received))) continue
      // The reason is told by `receive`; here nothing more is taken.
      this.ended(inbox.broken)
      this.shutDown(unreadCode, "too much lies unread")
      return
    }
    this.flow()
  }

  /** Pauses reading while much lies unread. When the platform cannot pause, the inbox ends the connection. */
  private flow(): void {
    if (!this.pausable) return
    const { budget } = this.options
    const full = this.inbox.unread > highWater || this.inbox.unread > 0 && budget?.isSpent() === true
    if (full === this.paused) return
    this.paused = full
    // The answer to a ping lies behind what was not read, and so does the rest of a message.
    this.hear()
    this.options.unfinished?.wait()
    if (full) this.socket.pause?.()
    else this.socket.resume?.()
  }

  private readonly onClose = (code: number, text: string): void => {
    this.detach()
    if (cleanCodes.has(code)) {
      this.deliver()
      this.inbox.breakOff({ _tag: "Lost", cause: new Error("the other side has closed") })
      this.end({ _tag: "EndOfInput" })
    } else if (code === 1006) this.end({ _tag: "Lost", cause: new Error("the connection broke off") })
    else this.end({ _tag: "CloseCode", code, text })
    Deferred.doneUnsafe(this.closed, Exit.void)
  }

  /** Nothing more will come: the texts that came are received first. */
  private end(reason: TransportError.TransportReason): void {
    Deferred.doneUnsafe(
      this.opened,
      failure({ _tag: "Open", cause: reason._tag === "Lost" ? reason.cause : TransportError.transportError(reason) })
    )
    this.deliver()
    this.inbox.end(reason)
    this.ended(this.inbox.broken)
  }

  private ended(failed: Failure | undefined): void {
    this.beating?.interruptUnsafe()
    if (failed === undefined) return
    for (const sender of [...this.senders]) sender(failed)
  }

  private closing(deadline: number): Effect.Effect<void> {
    const before = this.buffered
    return Effect.flatMap(Effect.timeoutOption(Deferred.await(this.closed), linger), (done) => {
      if (Option.isSome(done)) return Effect.void
      if (this.buffered < before && Monotonic.now(this.options.clock) < deadline) {
        return this.closing(deadline)
      }
      return Effect.sync(() => this.abandon())
    })
  }

  private shutDown(code: number, text?: string): void {
    try {
      this.socket.close(code, text)
    } catch {
      this.terminate()
    }
  }

  /** The close event of `ws` follows, and takes the listeners away. */
  private terminate(): void {
    this.socket.terminate?.()
  }

  private abandon(): void {
    if (this.socket.terminate === undefined) this.detach()
    else this.terminate()
  }
}

const lengthOf = (texts: Texts): number => {
  let sum = 0
  for (const text of texts) sum += text.length
  return sum
}

/** The framing `none` checks the size and the encoding of bytes. */
const decoderOf = (limits: Limits): (bytes: Uint8Array) => Received => {
  const splitter = Framing.none.splitter(limits)
  return (bytes) => {
    // One message is one frame, which has no place to lose.
    return splitter.push(bytes)[0] as string | Framing.BadFrame
  }
}
