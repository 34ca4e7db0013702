/**
 * Accepts connections, and gives each to a handler as a `Transport`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { admit, serve } from "./internal/connection.ts"
import type { Transport, Wrapping } from "./Transport.ts"
import * as TransportError from "./TransportError.ts"

/**
 * Something that other sides connect to.
 *
 * @category services
 * @since 0.1.0
 */
export class Listener extends Context.Service<Listener, {
  /** Where it listens, as an endpoint that a client can use: `tcp://127.0.0.1:4000`, `unix:/path`, `stdio:`. */
  readonly address: string

  /**
   * Calls the handler once per connection. The handler's Scope is the connection's: when the handler ends, the
   * connection closes. A handler's failure or defect ends its connection only. Never returns; fails when the
   * listener does, and interrupts its handlers when it is interrupted.
   */
  readonly run: <E, R>(
    handler: (transport: Transport["Service"]) => Effect.Effect<unknown, E, R>
  ) => Effect.Effect<never, TransportError.TransportError, Exclude<R, Scope.Scope>>
}>()("@parley/transport/Listener") {}

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
      const context = yield* Effect.context<Exclude<R, Scope.Scope>>()
      return Listener.of({
        address: inner.address,
        run: (handler) =>
          inner.run((transport) =>
            // What `R` asks for beyond the connection's Scope was captured above.
            Effect.provideContext(wrapping(transport) as Effect.Effect<typeof transport, never, never>, context).pipe(
              Effect.flatMap(handler)
            )
          )
      })
    })
  )

/**
 * A connection that has come in: either it is opened, or it is refused.
 *
 * @category models
 * @since 0.1.0
 */
export interface Arrival {
  readonly open: Effect.Effect<Transport["Service"], TransportError.TransportError, Scope.Scope>
  readonly refuse: Effect.Effect<void>
}

/**
 * Connections that have come in and wait for `accept`, for what is told of them and cannot be asked. Offer each with
 * `Queue.offerUnsafe`; beyond so many it gives `false`, and the offer is to be refused.
 *
 * When the Scope closes, those that still wait are refused, and who takes the next one fails with `Closed`.
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
      yield* Queue.fail(queue, TransportError.make({ _tag: "Closed" }))
    })
  )

/**
 * A listener over whatever accepts connections.
 *
 * `accept` waits for the next connection and fails when no more will come. Beyond `connections` at once,
 * `Limits.connections` in most cases, they are refused and logged.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly address: string
  readonly accept: Effect.Effect<Arrival, TransportError.TransportError>
  readonly connections: number
}): Listener["Service"] => ({
  address: options.address,
  run: (handler) =>
    Effect.acquireUseRelease(
      Scope.make("parallel"),
      (scope) => {
        const admission = admit(options)
        const accept = (arrival: Arrival) =>
          Effect.forkIn(
            admission(serve(options.address, arrival.open, handler), arrival.refuse),
            scope,
            { startImmediately: true }
          )
        // Between taking a connection and forking its handler nothing may interrupt: it would stay open for ever.
        return Effect.forever(
          Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(options.accept), accept))
        )
      },
      Scope.close
    )
})

/**
 * A listener with one connection, for standard input and output and the like.
 *
 * When the handler has ended, `run` fails with `EndOfInput`, since no other connection will come.
 *
 * @category constructors
 * @since 0.1.0
 */
export const single = (
  address: string,
  open: Effect.Effect<Transport["Service"], TransportError.TransportError, Scope.Scope>
): Listener["Service"] => ({
  address,
  run: (handler) =>
    Effect.andThen(
      serve(address, open, handler),
      Effect.fail(TransportError.make({ _tag: "EndOfInput" }))
    )
})
