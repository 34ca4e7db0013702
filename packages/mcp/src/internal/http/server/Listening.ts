/** Who listens to changes now, so that all can be told in order that nothing more will come. */
import * as Effect from "effect/Effect"
import type { Connection } from "../../../server/Connection.ts"

/** @internal */
export class Listening {
  readonly #connections = new Set<Connection>()
  readonly #onEmpty = new Set<() => void>()

  /** Runs what answers a connection that listens. */
  during<A, E, R>(connection: Connection, answered: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#connections.add(connection)
      return Effect.ensuring(answered, Effect.sync(() => this.#left(connection)))
    })
  }

  #left(connection: Connection) {
    this.#connections.delete(connection)
    if (this.#connections.size > 0) return
    for (const wake of this.#onEmpty) wake()
    this.#onEmpty.clear()
  }

  /** Ends all, and waits until each has its result: a moment, for one may read nothing. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(
      Effect.forEach([...this.#connections], ({ close }) => close, { discard: true }),
      Effect.timeoutOption(this.#quiet, grace)
    )
  ).pipe(Effect.asVoid)

  readonly #quiet: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.#connections.size === 0) return resume(Effect.void)
    const wake = () => resume(Effect.void)
    this.#onEmpty.add(wake)
    return Effect.sync(() => this.#onEmpty.delete(wake))
  })
}

/** Milliseconds that who listens has to take its result. */
const grace = 1_000
