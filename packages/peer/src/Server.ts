/**
 * One peer per accepted connection, all serving one router.
 *
 * ```ts run
 * import { Peer, Router, Server } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Layer, Logger } from "effect"
 *
 * const server = Server.layer().pipe(
 *   Layer.provide(Router.layer({ ping: () => Effect.succeed("pong") })),
 *   Layer.provideMerge(MemoryTransport.layerListener()),
 *   Layer.provide(Logger.layer([]))
 * )
 *
 * const program = Effect.gen(function*() {
 *   const { connect } = yield* MemoryTransport.Connector
 *   const peer = yield* Peer.make(yield* connect)
 *   console.log(yield* peer.request("ping")) // => pong
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(server)))
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import { Excerpt } from "@parley/protocol/shared"
import { Listener } from "@parley/transport/Listener"
import { Budget } from "@parley/transport/shared"
import type { TransportError } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Peer from "./Peer.ts"
import { DuplexRouter } from "./Router.ts"

/**
 * The options of a server: those of each of its peers, and an effect for each new one.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions<R = never> extends Omit<Peer.PeerOptions, "router"> {
  /**
   * Runs beside each connection, and is interrupted when it closes. Its first steps, up to where it waits, run before
   * the peer reads: what they listen to is not missed. Where `start` is `manual`, it starts the peer; without it, a peer
   * starts at once all the same.
   */
  readonly onConnection?: ((peer: Peer.Peer) => Effect.Effect<unknown, never, R>) | undefined
}

/**
 * Serves the `Router` to every connection of the `Listener`, until the listener fails or the effect is interrupted,
 * which shuts the connections down in order.
 *
 * @category running
 * @since 0.1.0
 */
export const runWith = <R = never>(
  options: ServerOptions<R>
): Effect.Effect<never, TransportError, Listener | DuplexRouter | Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const listener = yield* Listener
    const router = yield* DuplexRouter
    return yield* listener.run((transport) =>
      Effect.gen(function*() {
        const peer = yield* Peer.make(transport, { ...options, router, start: "manual" })
        const { onConnection } = options
        if (onConnection !== undefined) {
          // Its first step comes before the calls of the connection, whose handlers may look for what it keeps.
          yield* Effect.forkScoped(
            Effect.tapCause(
              onConnection(peer),
              (cause) =>
                Cause.hasInterruptsOnly(cause)
                  ? Effect.void
                  : Effect.logError("the `onConnection` of a server died", Excerpt.cause(cause))
            ),
            { startImmediately: true }
          )
        }
        // Nobody else has the peer.
        if (options.start !== "manual" || onConnection === undefined) yield* peer.start
        yield* peer.closed
      })
    ).pipe(Effect.provideService(Budget.Budget, Budget.make(Limits.make(options.limits).budget)))
  })

/**
 * `runWith` as a Layer: the server runs as long as the Layer lives. It logs the address of the listener, and the cause
 * of its end.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(
  options: ServerOptions<R> = {}
): Layer.Layer<never, never, Listener | DuplexRouter | Exclude<R, Scope.Scope>> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { address } = yield* Listener
    yield* Effect.logInfo(`Listening at ${Excerpt.line(address)}`)
    yield* Effect.forkScoped(Effect.catchCause(runWith(options), (cause) =>
      isOrderly(cause)
        ? Effect.logInfo(`The only connection of ${Excerpt.line(address)} has ended`)
        : Effect.logError(`The server at ${Excerpt.line(address)} has ended`, Excerpt.cause(cause))))
  }))

const isOrderly = (cause: Cause.Cause<TransportError>): boolean =>
  cause.reasons.every((reason) => Cause.isFailReason(reason) && reason.error.reason._tag === "EndOfInput")

/**
 * `runWith` with the defaults.
 *
 * @category running
 * @since 0.1.0
 */
export const run: Effect.Effect<never, TransportError, Listener | DuplexRouter> = runWith({})
