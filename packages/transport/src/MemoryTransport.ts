/**
 * Transports within one process: a pair of sides, and a listener over pairs.
 *
 * `send` hands a text to a waiting `receive` in the same turn, without a queue, a
 * fiber or bytes in between. Texts that nobody waits for stay in an array. Beyond
 * `capacity` the sender suspends until they have been received.
 *
 * ```ts run
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const router = yield* Router.make()
 *   yield* router.add("ping", () => Effect.succeed("pong"))
 *   yield* Peer.make(far, { router })
 *   const peer = yield* Peer.make(near)
 *   console.log(yield* peer.request("ping", [])) // => pong
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { Inbox, Waiters } from "./internal/messages.ts"
import * as TransportError from "./internal/TransportError.ts"
import * as Listener from "./Listener.ts"
import * as Direct from "./shared/Direct.ts"
import type { Transport } from "./Transport.ts"

/**
 * How much may lie unread on each side.
 *
 * @category models
 * @since 0.1.0
 */
export interface MemoryTransportOptions {
  /** UTF-16 units of the texts that nobody has received yet, before a `send` suspends. The default is 1 MiB. */
  readonly capacity?: number | undefined
}

/**
 * Two transports that are each other's other side, closed with the Scope.
 *
 * Closing one side ends the input of the other, after the texts that were sent. Sending to a closed side fails with
 * `Lost`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makePair = (
  options: MemoryTransportOptions = {}
): Effect.Effect<readonly [Transport, Transport], never, Scope.Scope> =>
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
export interface Connector {
  /** Opens a connection, closed with the Scope. Fails with `Open` when nobody accepts it. */
  readonly connect: Effect.Effect<Transport, TransportError.TransportError, Scope.Scope>
}

/** The service of a `Connector`. @category services @since 0.1.0 */
export const Connector: Context.Service<Connector, Connector> = Context.Service(
  "@parley/transport/MemoryTransport/Connector"
)

/**
 * A listener within this process: every `connect` is a connection of the listener.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = Effect.fnUntraced(function*(
  options: MemoryTransportOptions & { readonly limits?: Partial<Limits.Limits> | undefined } = {}
): Effect.fn.Return<
  { readonly listener: Listener.Listener } & Connector,
  never,
  Scope.Scope
> {
  const { connections } = Limits.make(options.limits)
  const refused = TransportError.transportError({ _tag: "Open", cause: new Error("nobody listens, or too many wait") })
  const arrivals = yield* Listener.arrivals(connections)
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
  options: MemoryTransportOptions & { readonly limits?: Partial<Limits.Limits> | undefined } = {}
): Layer.Layer<Listener.Listener | Connector> =>
  Layer.effectContext(
    Effect.map(makeListener(options), ({ connect, listener }) =>
      Context.make(Listener.Listener, listener).pipe(Context.add(Connector, { connect })))
  )

const pair = (options: MemoryTransportOptions): readonly [Transport, Transport] => {
  const capacity = options.capacity ?? 1024 * 1024
  const left = directionOf()
  const right = directionOf()
  return [sideOf(left, right, capacity), sideOf(right, left, capacity)]
}

/** The texts of one direction, and the senders that wait until they are read. */
interface Direction {
  readonly inbox: Inbox
  readonly senders: Waiters
}

const directionOf = (): Direction => {
  const senders = new Waiters()
  return { inbox: new Inbox({ onTaken: () => senders.release(Exit.void) }), senders }
}

const sideOf = (mine: Direction, other: Direction, capacity: number): Transport => ({
  receive: mine.inbox.receive,
  send: Direct.send((texts) => {
    if (mine.inbox.broken !== undefined) return mine.inbox.broken
    if (other.inbox.hand(texts)) return Exit.void
    for (const text of texts) other.inbox.keep(text, text.length)
    return other.inbox.unread > capacity ? other.senders.wait : Exit.void
  }),
  close: Effect.sync(() => {
    if (!mine.inbox.close()) return
    // First: the reader that this ends may send at once.
    other.inbox.breakOff({ _tag: "Lost", cause: new Error("the other side has closed") })
    other.inbox.end({ _tag: "EndOfInput" })
    mine.senders.release(other.inbox.broken ?? Exit.void)
    other.senders.release(mine.inbox.broken ?? Exit.void)
  })
})
