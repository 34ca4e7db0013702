/**
 * Whether a connection of a listener is in use, so that a full listener knows
 * which connection may give way to a new one.
 *
 * `Listener` provides an `Occupancy` to each connection. The transport says when
 * bytes or texts come and go. Only a peer knows whether a call still waits for its
 * response, so it marks that. Without marks a connection counts
 * as idle from its last byte on.
 *
 * ```ts run
 * import { Occupancy } from "@parley/transport/shared"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * // Runs a job, during which the connection does not give way to a new one.
 * const busily = <A, E, R>(job: Effect.Effect<A, E, R>) =>
 *   Effect.flatMap(Occupancy.Occupancy, (occupancy) => {
 *     occupancy?.mark(true)
 *     return Effect.ensuring(job, Effect.sync(() => occupancy?.mark(false)))
 *   })
 *
 * const program = Effect.gen(function*() {
 *   const { connect, listener } = yield* MemoryTransport.makeListener()
 *   yield* Effect.forkScoped(listener.run((transport) => busily(transport.send(["done"]))))
 *   const transport = yield* connect
 *   console.log(yield* transport.receive) // => [ 'done' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * The record of one connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface Occupancy {
  /** Says that something came or went just now. Transports call it for each read and each write. */
  readonly touch: () => void
  /**
   * Says that the other side has sent a whole text. Transports call it for texts that came. In a full listener, a
   * connection that has never sent one gives way to a new one much earlier than the others.
   */
  readonly speak: () => void
  /**
   * Says whether something waits on either side: a call that runs or waits, a text that is held or not written. A busy
   * connection never gives way. Peers call it whenever that may have changed; repeating the same value costs nothing. It
   * is no text of the other side: a connection that has sent none still gives way early, once it is not busy.
   */
  readonly mark: (isBusy: boolean) => void
}

/**
 * The record of the connection that is made in this context, `undefined` for one that belongs to no listener.
 *
 * @category services
 * @since 0.1.0
 */
export const Occupancy: Context.Reference<Occupancy | undefined> = Context.Reference<Occupancy | undefined>(
  "@parley/transport/host/Occupancy",
  { defaultValue: () => undefined }
)
