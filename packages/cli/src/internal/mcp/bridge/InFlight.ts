/**
 * The requests of clients that a bridge still answers. A client whose input has ended may wait for them: who pipes requests into
 * the command has nothing more to say.
 */
import * as Limits from "@parley/protocol/Limits"
import type { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** Milliseconds in which the last requests before the end of the input begin. */
const head = 50

export class InFlight {
  readonly #none = Latch.makeUnsafe(true)
  #count = 0

  /** Runs a request. */
  around<A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#count++
      this.#none.closeUnsafe()
      return Effect.ensuring(
        request,
        Effect.sync(() => {
          if (--this.#count === 0) this.#none.openUnsafe()
        })
      )
    })
  }

  /** The same transport, whose input ends when its requests have been answered, or after the limit `drain`. */
  patient(transport: Transport): Transport {
    const answered = Effect.andThen(
      Effect.sleep(head),
      Effect.timeoutOption(Effect.suspend(() => this.#none.await), Limits.defaults.drain)
    )
    return {
      ...transport,
      receive: Effect.tapError(
        transport.receive,
        ({ reason }) => reason._tag === "EndOfInput" ? answered : Effect.void
      )
    }
  }
}
