/**
 * Accepts connections, and gives each to a handler as a `Transport`.
 *
 * ```ts run
 * import { Listener, MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const listener = Listener.single("memory:", Effect.succeed(far))
 *   yield* near.send(["hello"])
 *   const end = yield* Effect.flip(listener.run((transport) => Effect.map(transport.receive, console.log)))
 *   // => [ 'hello' ]
 *   console.log(listener.address, end.reason._tag) // => memory: EndOfInput
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Handshake from "./Handshake.ts"
import { serve, serveOneOfMany } from "./internal/connection.ts"
import * as places_ from "./internal/places.ts"
import * as TransportError from "./internal/TransportError.ts"
import * as Budget from "./shared/Budget.ts"
import * as Occupancy from "./shared/Occupancy.ts"
import type { Transport, Wrapping } from "./Transport.ts"

/**
 * Something that other sides connect to.
 *
 * @category services
 * @since 0.1.0
 */
export interface Listener {
  /** Where it listens, as an endpoint that a client can use: `tcp://127.0.0.1:4000`, `unix:/path`, `stdio:`. */
  readonly address: string

  /** The port of a listener that has one, as the system gave it where 0 was asked for. */
  readonly port?: number | undefined

  /**
   * Calls the handler once per connection. The handler's Scope is the connection's: when the handler ends, the
   * connection closes. A handler's failure or defect ends its connection only. Never returns; fails when the
   * listener does, and interrupts its handlers when it is interrupted.
   */
  readonly run: <E, R>(
    handler: (transport: Transport) => Effect.Effect<unknown, E, R>
  ) => Effect.Effect<never, TransportError.TransportError, Exclude<R, Scope.Scope>>
}

/** The service of a `Listener`. @category services @since 0.1.0 */
export const Listener: Context.Service<Listener, Listener> = Context.Service("@parley/transport/Listener")

/**
 * The Layer form of a wrapping, for listeners: it wraps every connection.
 *
 * @category wrapping
 * @since 0.1.0
 */
export const wrap = <R = never>(
  wrapping: Wrapping<R>
): Layer.Layer<Listener, never, Listener | Exclude<R, Scope.Scope>> =>
  Layer.effect(
    Listener,
    Effect.gen(function*() {
      const inner = yield* Listener
      const context = withoutConnection(yield* Effect.context<Exclude<R, Scope.Scope>>())
      return Listener.of({
        address: inner.address,
        port: inner.port,
        run: (handler) =>
          inner.run((transport) =>
            // `context` has the services that `R` asks for beyond the Scope of the connection.
            Effect.provideContext(wrapping(transport) as Effect.Effect<typeof transport, never, never>, context).pipe(
              Effect.flatMap(handler)
            )
          )
      })
    })
  )

/** Services that each connection has of its own: those in the context of a Layer belong to the Layer. */
const withoutConnection = Context.omit(
  Scope.Scope,
  Budget.Budget,
  Occupancy.Occupancy,
  Handshake.Current,
  Handshake.Holder
) as <R>(context: Context.Context<R>) => Context.Context<R>

/**
 * An accepted connection, which is then either opened or refused.
 *
 * @category models
 * @since 0.1.0
 */
export interface Arrival {
  /** Makes the transport of the connection, closed with the Scope. */
  readonly open: Effect.Effect<Transport, TransportError.TransportError, Scope.Scope>
  /** Closes the connection without an answer. */
  readonly refuse: Effect.Effect<void>
  /** The head and the principal that the handler of the connection finds as `Handshake.Current`. */
  readonly handshake?: Handshake.Handshake | undefined
  /** The address of the other side, where connections of one address have a share. */
  readonly from?: string | undefined
}

/**
 * A queue of accepted connections that wait for `accept`, for platforms that announce connections by callbacks. Offer
 * each with `Queue.offerUnsafe`. When it gives `false`, the queue is full and the caller must refuse the connection.
 *
 * When the Scope closes, the waiting connections are refused, and taking the next one fails with `Closed`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const arrivals = (
  connections: number
): Effect.Effect<Queue.Queue<Arrival, TransportError.TransportError>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Queue.dropping<Arrival, TransportError.TransportError>(connections),
    Effect.fnUntraced(function*(queue) {
      const waiting = yield* Effect.orElseSucceed(Queue.clear(queue), () => [])
      yield* Effect.forEach(waiting, ({ refuse }) => refuse, { discard: true })
      yield* Queue.fail(queue, TransportError.transportError({ _tag: "Closed" }))
    })
  )

/**
 * The places for connections, for a listener that must know before it accepts whether there is one: `hasIdle` says
 * whether some connection has been idle long enough to be closed for a new one.
 *
 * @category models
 * @since 0.1.0
 */
export type Places = places_.Places

/**
 * Places for so many connections, for `make`; of one address for `perAddress` at most, where a listener says by
 * `Arrival.from` who comes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const places = (connections: number, perAddress?: number): Effect.Effect<Places> =>
  Effect.map(Clock.Clock, (clock) => new places_.Places({ connections, perAddress }, clock))

/**
 * A listener over an `accept` of your own.
 *
 * `accept` waits for the next connection and fails when no more will come. When as many as `connections` are open,
 * `Limits.connections` in most cases, a new one takes the place of another, as the `Occupancy` of each says: of the
 * oldest that has never sent a whole text, once it is 5 seconds old, or else of the one that has been idle longest, for a
 * minute or more. Where there is none the new one is refused, and logged at most ten times a minute. Each connection has a
 * share of the `Budget` in the context of `run`, which is given back when it has closed.
 *
 * When `run` is interrupted, `stop` runs first, so that no new connection comes while those that are open end.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  /** Where it listens, as in `tcp://127.0.0.1:4000`. */
  readonly address: string
  /** The port, if it has one. */
  readonly port?: number | undefined
  /** Waits for the next connection. */
  readonly accept: Effect.Effect<Arrival, TransportError.TransportError>
  /** How many connections may be open at once. */
  readonly connections: number | Places
  /** Stops accepting. */
  readonly stop?: Effect.Effect<void> | undefined
}): Listener => ({
  address: options.address,
  port: options.port,
  run: (handler) =>
    Effect.acquireUseRelease(
      Effect.all([Scope.make("parallel"), placesOf(options)]),
      ([scope, places]) => {
        const accept = (arrival: Arrival) =>
          Effect.forkIn(
            places.admit({
              address: options.address,
              from: arrival.from,
              accepted: served(options.address, arrival, handler),
              refused: arrival.refuse
            }),
            scope,
            { startImmediately: true }
          )
        // Between taking a connection and forking its handler nothing may interrupt: it would stay open for ever.
        return Effect.forever(
          Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(options.accept), accept))
        )
      },
      ([scope], exit) => Effect.andThen(options.stop ?? Effect.void, Scope.close(scope, exit))
    )
})

const served = <E, R>(
  address: string,
  { handshake, open }: Arrival,
  handler: (transport: Transport) => Effect.Effect<unknown, E, R>
) => {
  // The listener may run in a handler, whose client is another one.
  return serveOneOfMany(address, open, handler).pipe(
    Effect.provideService(Handshake.Current, handshake),
    Effect.provideService(Handshake.Holder, undefined)
  )
}

/**
 * A listener with one connection, for standard input and output or a worker's parent.
 *
 * When the handler has ended, `run` fails with `EndOfInput`, since no other connection will come. When the connection
 * cannot be opened, `run` fails with that error.
 *
 * @category constructors
 * @since 0.1.0
 */
export const single = (
  address: string,
  open: Effect.Effect<Transport, TransportError.TransportError, Scope.Scope>
): Listener => ({
  address,
  run: (handler) =>
    Effect.andThen(
      serve(address, open, handler),
      Effect.fail(TransportError.transportError({ _tag: "EndOfInput" }))
    )
})

const placesOf = ({ connections }: { readonly connections: number | Places }): Effect.Effect<Places> =>
  typeof connections === "number" ? places(connections) : Effect.succeed(connections)
