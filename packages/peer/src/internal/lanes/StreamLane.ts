/**
 * The lane of a connection: one transport, read and written by one conversation,
 * which is made here.
 *
 * Texts of the same turn go out in one write at its end, or in two where there
 * are many. While a write is under way the next texts gather, and go out together
 * when it is done; at most about 64 KiB or one text a write, so that a slow line
 * still shows progress. Within a long text, the transport shows it where it can.
 *
 * A text that goes to many connections is joined once for all of them. One that has nothing else to write writes these
 * bytes as they are, and those of the first such text of a turn at once.
 *
 * Calls and replies have a share each. A call that finds its share full parks in
 * the conversation; a reply never waits, its share stops calls from starting.
 *
 * While the other side does not read, the budget is told so: texts that wait
 * here may spend it, and then the heaviest connection that is not read ends.
 */
import { Weight } from "@parley/protocol/shared"
import { Direct, type Occupancy, Reader } from "@parley/transport/shared"
import { framingOf, type Transport, type TransportError } from "@parley/transport/Transport"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Caller } from "../../Caller.ts"
import type { Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import type { DisconnectReason } from "../CallerError.ts"
import { callContext, callerBy } from "../conversation/CallContext.ts"
import { Conversation } from "../conversation/Conversation.ts"
import type { Lane, LaneCall, OnWritten, Share } from "../conversation/Lane.ts"
import type { ConversationOptions, Port } from "../conversation/Port.ts"
import type { SharedText } from "../conversation/SharedText.ts"
import type { Deferral } from "../incoming/IncomingCall.ts"
import { bounded, type Bounds, Traffic, type Waits } from "../room/Room.ts"
import { exitOf } from "../runtime/Host.ts"
import { Timer } from "../timer/DeadlineQueue.ts"
import { OutletLane } from "./OutletLane.ts"
import { ReadLoop, reasonOf } from "./ReadLoop.ts"

/** Texts of one write. */
interface Chunk {
  readonly texts: [string, ...Array<string>]
  calls: number
  replies: number
  /** The weight that its texts take of the budget. */
  weight: number
}

/** Characters after which the next write begins. */
const enough = 65_536

/** Characters that give the other side more to do than a write costs both. */
const worthwhile = 4096

/** The ends of a connection whose other side does not read. */
const unreadable: ReadonlySet<DisconnectReason["_tag"]> = new Set(["Overrun", "WriteStalled", "Lagged"])

/** Most connections have the same bounds: then they share them. */
let bounds = bounded({ calls: 0 })

const boundsOf = (outbox: number): Bounds => {
  if (bounds.calls !== outbox) bounds = bounded({ calls: outbox, replies: outbox, mayWait: true, isStream: true })
  return bounds
}

/** @internal */
export class StreamLane extends OutletLane implements Lane, Port {
  // These stand together because each write of a text that goes to many connections looks at them.
  readonly conversation: Conversation
  readonly traffic: Traffic
  readonly #joined: Direct.Joined | undefined
  /** A text that goes to others as well, as long as it is the only one to write. */
  #shared: SharedText | undefined = undefined
  /** The chunk that still grows. */
  #filling: Chunk | undefined = undefined
  #written = 0
  #isScheduled = false
  #isCorked = false
  readonly caller: Caller
  /** Done when calls can no longer be made, and when the connection is closed. */
  readonly disconnected = Deferred.makeUnsafe<DisconnectReason>()
  readonly over = Deferred.makeUnsafe<DisconnectReason>()
  readonly #transport: Transport
  readonly #occupancy: Occupancy.Occupancy | undefined
  readonly #reads: ReadLoop
  /** Stops hearing from the budget. */
  readonly #leaving: ReadonlyArray<() => void>
  readonly #give: Direct.Give
  readonly #unsent: (() => number) | undefined
  readonly #stall = new Timer(() => this.#wait(this.#hasMoved() ? 0 : this.#idle))
  readonly #reader: Reader.Reader
  /** Milliseconds without progress that a write will have when its timer is over, and the bytes that were unsent before. */
  #idle = 0
  #left = 0
  /** The chunks before the one that still grows. */
  #full: Array<Chunk> = []
  /** The weight that all texts here take of the budget. */
  #weight = 0
  #isStarted = false

  /** It writes, and reads when it is started. */
  constructor(transport: Transport, options: ConversationOptions, occupancy: Occupancy.Occupancy | undefined) {
    super()
    const { host: { budget }, limits: { outbox, writeStall } } = options
    const conversation = new Conversation(options, this)
    this.conversation = conversation
    if (options.connection !== undefined) options.connection.outlet = this
    this.#transport = transport
    this.#occupancy = occupancy
    this.traffic = new Traffic(boundsOf(outbox))
    this.traffic.handedOver = 0
    this.caller = callerBy(conversation, this)
    this.#give = Direct.giveOf(transport) ?? ((texts) => transport.send(texts))
    this.#joined = Direct.joinedOf(transport)
    this.#unsent = Direct.unsentOf(transport)
    this.#reader = new Reader.Reader(budget, writeStall)
    this.#reads = new ReadLoop(conversation, this, transport)
    this.#leaving = [budget.onRoom(() => conversation.step()), budget.onEvict(() => this.#evict())]
  }

  /** Reads from now on. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.traffic.silentFraming = framingOf(this.#transport)?.name
    this.#reads.read()
  }

  /** Its text counts as written at once, because it has room. The place is -1 after the end of the conversation. */
  write(text: string, share: Share, onWritten?: OnWritten): number {
    const place = this.#add(text, share)
    onWritten?.(Exit.void)
    return place
  }

  settle(reply: string | undefined, after?: ReadonlyArray<Deferral>): void {
    if (reply !== undefined) this.#add(reply, "reply")
    if (after !== undefined) this.conversation.theirs.runBehind(after)
  }

  contextOf(call: LaneCall): Call {
    return callContext(this.conversation, call, callerBy(this.conversation, this, call), true)
  }

  expired(call?: Waiting): Effect.Effect<void> {
    if (call !== undefined) this.conversation.cancel(call, this)
    return Effect.void
  }

  /** What waits on it. */
  get waits(): Waits {
    const { room, theirs } = this.conversation
    const { parked } = this.traffic
    const writing = parked === undefined || parked.size === 0 ? undefined : room.mayWrite(this, parked.line)
    return { reading: this.#reads.wait, starting: theirs.wait, writing }
  }

  /**
   * Returns whether no text is held and none is unwritten. A text that a pause holds counts only after the end of the
   * input.
   */
  stepped(): boolean {
    this.#reads.proceed()
    const { reason, room } = this.conversation
    const isRead = !this.#reads.isBehind || (room.isPaused && reason === undefined)
    const { isSending } = this.traffic
    const isFlushed = isRead && !isSending && (this.#filling ?? this.#shared) === undefined && this.#full.length === 0
    this.#occupancy?.mark(!isFlushed || this.conversation.isBusy())
    return isFlushed
  }

  ended(reason: DisconnectReason): void {
    Deferred.doneUnsafe(this.disconnected, Exit.succeed(reason))
  }

  /** Drops the texts that wait, and closes the transport. */
  closed(reason: DisconnectReason): void {
    const { connection, host: { budget, fork, timers } } = this.conversation
    budget.take(-this.#weight)
    timers.cancel(this.#stall)
    this.#reader.takes()
    this.#full = []
    this.#filling = undefined
    this.#shared = undefined
    this.#reads.stop()
    for (const leave of this.#leaving) leave()
    // An orderly end would wait for the other side, which takes nothing.
    const isUnreadable = unreadable.has(reason._tag)
    const { abort, close } = this.#transport
    const over = Effect.andThen(connection?.settled ?? Effect.void, Deferred.succeed(this.over, reason))
    fork(Effect.ensuring(isUnreadable ? abort ?? close : close, over))
  }

  #evict(): void {
    // Texts that the other side does not read need not be written any more.
    if (this.#reader.isBehind) this.conversation.abort({ _tag: "Overrun" })
    else this.conversation.end({ _tag: "Overrun" })
  }

  /** Writes a text that goes to others as well, now or in this turn. While nothing else is to be written, it is no chunk. */
  protected override share(text: SharedText): void {
    const { calls, isSending, replies } = this.traffic
    if (this.#isCorked || isSending || calls > 0 || replies > 0) return void this.#add(text.texts[0], "call")
    this.traffic.calls = text.length
    this.#written++
    this.#shared = text
    if (text.isFirst) this.flush()
    else text.schedule(this)
  }

  /** Adds a text, and gives its place in the order of all texts; -1 where nothing is written any more. */
  #add(text: string, share: Share): number {
    if (this.conversation.isClosed || this.conversation.reason?._tag === "Exited") return -1
    if (this.#shared !== undefined) this.#unshare(this.#shared)
    const { length } = text
    const chunk = this.#chunkFor(text)
    this.#weigh(chunk, Weight.ofWaiting(text))
    if (share === "call") {
      chunk.calls += length
      this.traffic.calls += length
    } else {
      chunk.replies += length
      this.traffic.replies += length
    }
    if (!this.#isCorked && !this.#isScheduled && !this.traffic.isSending) {
      this.#isScheduled = true
      queueMicrotask(this.#flush)
    }
    const place = ++this.#written
    this.#reader.gains()
    return place
  }

  /** Lets texts gather until `uncork`, which must follow in the same turn. */
  cork(): void {
    this.#isCorked = true
  }

  /** Writes what has gathered so far, if it is worth a write of its own. */
  relieve(): void {
    const { calls, isSending, replies } = this.traffic
    if (!isSending && calls + replies >= worthwhile) this.#flush()
  }

  /** Writes what has gathered. */
  uncork(): void {
    this.#isCorked = false
    this.#flush()
  }

  /** Something else is to be written, too: both go out in one write. */
  #unshare(text: SharedText): void {
    this.#shared = undefined
    const chunk = this.#chunkFor(text.texts[0])
    this.#weigh(chunk, Weight.ofWaiting(text.texts[0]))
    chunk.calls += text.length
  }

  #weigh(chunk: Pick<Chunk, "weight">, weight: number): void {
    chunk.weight += weight
    this.#weight += weight
    this.conversation.host.budget.take(weight)
  }

  #chunkFor(text: string): Chunk {
    const chunk = this.#filling
    if (chunk !== undefined && chunk.calls + chunk.replies < enough) {
      chunk.texts.push(text)
      return chunk
    }
    if (chunk !== undefined) this.#full.push(chunk)
    return this.#filling = { texts: [text], calls: 0, replies: 0, weight: 0 }
  }

  readonly #flush = (): void => this.flush()

  /** Writes what has gathered. */
  flush(): void {
    this.#isScheduled = false
    while (!this.traffic.isSending && !this.conversation.isClosed) {
      const shared = this.#shared
      const chunk = shared === undefined ? this.#oldest() : undefined
      if (shared !== undefined) this.#writeShared(shared)
      else if (chunk !== undefined) this.#write(this.#begin(chunk.texts), chunk)
      else return
    }
  }

  /** The texts are not kept: the transport has them, most often as bytes. */
  #write(effect: ReturnType<Direct.Give>, { calls, replies, weight }: Omit<Chunk, "texts">): void {
    const sent = (exit: Exit.Exit<void, TransportError>) => this.#sent(calls, replies, weight, exit)
    const exit = exitOf(effect) ?? this.#run(effect, sent)
    if (exit !== undefined) sent(exit)
    else if (calls > 0) this.conversation.stepIfAwaited()
  }

  /** It weighs nothing unless it has to wait: most often it is written, and nobody has waited for that. */
  #writeShared(text: SharedText): void {
    this.#shared = undefined
    const effect = this.#begin(text.texts, text)
    const exit = exitOf(effect)
    if (exit !== undefined && Exit.isSuccess(exit)) {
      this.traffic.isSending = false
      this.traffic.calls -= text.length
      if (!this.conversation.isClosed) this.conversation.stepIfUnsettled(this)
    } else {
      const chunk = { calls: text.length, replies: 0, weight: 0 }
      // A write may end the connection, which gives back all that is weighed.
      if (!this.conversation.isClosed) this.#weigh(chunk, Weight.ofWaiting(text.texts[0]))
      this.#write(effect, chunk)
    }
  }

  /** One is full only while another grows. Most often none is: then no array is touched, which would cost more. */
  #oldest(): Chunk | undefined {
    const chunk = this.#filling
    if (chunk !== undefined && this.#full.length > 0) return this.#full.shift()
    this.#filling = undefined
    return chunk
  }

  /** Runs a write. Returns its exit, or calls `sent` with it later. */
  #run(effect: ReturnType<Direct.Give>, sent: (exit: Exit.Exit<void, TransportError>) => void) {
    const { fork, timers } = this.conversation.host
    const fiber = fork(effect)
    const ended = fiber.pollUnsafe()
    if (ended !== undefined) return ended
    fiber.addObserver((exit) => {
      timers.cancel(this.#stall)
      sent(exit)
      this.#flush()
    })
    this.#hasMoved()
    this.#wait(0)
    return undefined
  }

  /** Whether the system has taken bytes of the write since it was asked last. */
  #hasMoved(): boolean {
    const before = this.#left
    this.#left = this.#unsent?.() ?? 0
    return this.#left < before
  }

  /** Waits on for a write without progress for so long, unless the budget has just ended this connection. */
  #wait(idle: number): void {
    const left = this.#reader.waits(idle)
    if (left === undefined) return this.conversation.abort({ _tag: "WriteStalled" })
    // It is not known when a write has moved, so that it is looked at more often where it may.
    const milliseconds = this.#unsent === undefined ? left : Math.min(left, Reader.patience)
    this.#idle = idle + milliseconds
    if (!this.conversation.isClosed) this.conversation.host.timers.set(this.#stall, milliseconds)
  }

  /** A transport that throws instead of failing has a defect. */
  #begin(texts: NonEmptyReadonlyArray<string>, shared?: SharedText): ReturnType<Direct.Give> {
    this.traffic.handedOver = (this.traffic.handedOver ?? 0) + texts.length
    this.traffic.isSending = true
    try {
      const joined = this.#joined
      if (joined !== undefined && shared !== undefined) return joined.write(shared.bytesBy(joined.framing))
      return this.#give(texts)
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  #sent(calls: number, replies: number, weight: number, exit: Exit.Exit<void, TransportError>): void {
    this.traffic.isSending = false
    if (this.conversation.isClosed) return
    // What a process has written before its end is still taken.
    if (Exit.isFailure(exit) && this.conversation.reason?._tag !== "Exited") {
      return this.conversation.abort(reasonOf(exit.cause))
    }
    this.traffic.calls -= calls
    this.traffic.replies -= replies
    this.#weight -= weight
    this.conversation.host.budget.take(-weight)
    this.#reader.takes()
    this.conversation.step()
  }
}
