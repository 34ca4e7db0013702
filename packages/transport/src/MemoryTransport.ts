/**
 * Transports within one process: a pair of sides, and a listener over pairs.
 *
 * A text goes from `send` to the `receive` that waits for it in the same turn:
 * no queue, no fiber in between, no bytes. What nobody waits for stays in an
 * array, and beyond `capacity` the sender suspends until it has been taken.
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Listener from "./Listener.ts"
import type { Transport } from "./Transport.ts"
import * as TransportError from "./TransportError.ts"

/**
 * What may lie unread on each side.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** UTF-16 units of the texts that nobody has received yet, before a `send` suspends. The default is 1 MiB. */
  readonly capacity?: number | undefined
}

/**
 * Two transports that are each other's other side, closed with the Scope.
 *
 * Closing one side ends the input of the other, after the texts that were sent; what is sent to a closed side
 * fails with `Lost`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makePair = (
  options: Options = {}
): Effect.Effect<readonly [Transport["Service"], Transport["Service"]], never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => pair(options)),
    ([left, right]) => Effect.andThen(left.close, right.close)
  )

/**
 * A listener within this process, and how to connect to it.
 *
 * @category services
 * @since 0.1.0
 */
export class Connector extends Context.Service<Connector, {
  /** Opens a connection, closed with the Scope. Fails with `Open` when nobody takes it. */
  readonly connect: Effect.Effect<Transport["Service"], TransportError.TransportError, Scope.Scope>
}>()("@parley/transport/MemoryTransport/Connector") {}

/**
 * A listener within this process: every `connect` is a connection of the listener.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = Effect.fnUntraced(function*(
  options: Options & { readonly limits?: Partial<Limits.Limits> | undefined } = {}
): Effect.fn.Return<
  { readonly listener: Listener.Listener["Service"] } & Connector["Service"],
  never,
  Scope.Scope
> {
  const { connections } = Limits.make(options.limits)
  const refused = TransportError.make({ _tag: "Open", cause: new Error("nobody listens, or too many wait") })
  const arrivals = yield* Effect.acquireRelease(
    Queue.dropping<Listener.Arrival, TransportError.TransportError>(connections),
    Effect.fnUntraced(function*(queue) {
      const waiting = yield* Effect.orElseSucceed(Queue.clear(queue), () => [])
      yield* Effect.forEach(waiting, ({ refuse }) => refuse, { discard: true })
      yield* Queue.fail(queue, TransportError.make({ _tag: "Closed" }))
    })
  )
  const connect = Effect.acquireRelease(
    Effect.suspend(() => {
      const [near, far] = pair(options)
      const open = Effect.acquireRelease(Effect.succeed(far), (side) => side.close)
      return Queue.offerUnsafe(arrivals, { open, refuse: far.close }) ? Effect.succeed(near) : Effect.fail(refused)
    }),
    (near) => near.close
  )
  return { listener: Listener.make({ address: "memory:", accept: Queue.take(arrivals), connections }), connect }
})

/**
 * A listener within this process, and its `Connector`. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (
  options: Options & { readonly limits?: Partial<Limits.Limits> | undefined } = {}
): Layer.Layer<Listener.Listener | Connector> =>
  Layer.effectContext(
    Effect.map(makeListener(options), ({ connect, listener }) =>
      Context.make(Listener.Listener, listener).pipe(Context.add(Connector, { connect })))
  )

const pair = (options: Options): readonly [Transport["Service"], Transport["Service"]] => {
  const capacity = options.capacity ?? 1024 * 1024
  const left = new Inbox(capacity)
  const right = new Inbox(capacity)
  return [sideOf(left, right), sideOf(right, left)]
}

type Failure = Exit.Exit<never, TransportError.TransportError>
type Texts = NonEmptyReadonlyArray<string>
type Resume<A> = (exit: Exit.Exit<A, TransportError.TransportError>) => void

const sideOf = (mine: Inbox, other: Inbox): Transport["Service"] => {
  let closed: Failure | undefined
  return {
    receive: mine.receive,
    send: (texts) => Effect.suspend(() => closed ?? other.take(texts)),
    close: Effect.sync(() => {
      if (closed !== undefined) return
      closed = Exit.fail(TransportError.make({ _tag: "Closed" }))
      mine.abandon(closed)
      other.end(Exit.fail(TransportError.make({ _tag: "EndOfInput" })))
      other.release(closed)
    })
  }
}

/** What one side has been sent and not received. */
class Inbox {
  private readonly capacity: number
  private texts: Array<string> = []
  private size = 0
  private ended: Failure | undefined
  private lost: Failure | undefined
  private reader: Resume<Texts> | undefined
  private senders: Array<Resume<void>> = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  readonly receive = Effect.callback<Texts, TransportError.TransportError>((resume) => {
    if (this.reader !== undefined) {
      return resume(Effect.die(new Error("A transport has one reader: receive was called while it waits.")))
    }
    if (this.texts.length > 0) {
      // Its length was looked at.
      const texts = this.texts as unknown as Texts
      this.texts = []
      this.size = 0
      this.release(Exit.void)
      return resume(Exit.succeed(texts))
    }
    if (this.ended !== undefined) return resume(this.ended)
    this.reader = resume
    return this.forget
  })

  /** There is one reader, so who stops reading is who reads. */
  private readonly forget = Effect.sync(() => {
    this.reader = undefined
  })

  take(texts: Texts): Effect.Effect<void, TransportError.TransportError> {
    if (this.lost !== undefined) return this.lost
    const reader = this.reader
    if (reader !== undefined) {
      // Resuming runs the reader at once, and it may read again before it returns.
      this.reader = undefined
      reader(Exit.succeed(texts))
      return Exit.void
    }
    for (const text of texts) {
      this.texts.push(text)
      this.size += text.length
    }
    return this.size > this.capacity ? this.room : Exit.void
  }

  /** The other side writes no more. */
  end(failure: Failure): void {
    this.ended ??= failure
    this.wake()
  }

  /** This side reads no more: what lies here is dropped, and who sends learns it. */
  abandon(failure: Failure): void {
    this.texts = []
    this.size = 0
    this.lost = Exit.fail(TransportError.make({ _tag: "Lost", cause: new Error("the other side has closed") }))
    this.end(failure)
    this.release(this.lost)
  }

  private readonly room = Effect.callback<void, TransportError.TransportError>((resume) => {
    this.senders.push(resume)
    return Effect.sync(() => {
      this.senders = this.senders.filter((sender) => sender !== resume)
    })
  })

  /** Wakes the senders that wait for room. */
  release(exit: Exit.Exit<void, TransportError.TransportError>): void {
    const senders = this.senders
    if (senders.length === 0) return
    this.senders = []
    for (const resume of senders) resume(exit)
  }

  private wake(): void {
    const reader = this.reader
    if (reader === undefined || this.ended === undefined) return
    this.reader = undefined
    reader(this.ended)
  }
}
