/** The messages that a consumer brings, until all have come that there were. */
import type { Msg } from "@nats-io/transport-node"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { NatsError } from "../../NatsError.ts"
import { delivered, type Stored } from "./Stored.ts"

/** @internal */
export class Batch {
  readonly #messages: Array<Stored> = []
  /** How many there are, once that is known. */
  #count = Number.POSITIVE_INFINITY
  readonly #done = Deferred.makeUnsafe<ReadonlyArray<Stored>, NatsError>()

  take(message: Msg) {
    this.#messages.push(delivered(message))
    this.#look()
  }

  fail(error: NatsError) {
    Deferred.doneUnsafe(this.#done, Exit.fail(error))
  }

  /** The messages, when so many have come. */
  complete(count: number): Effect.Effect<ReadonlyArray<Stored>, NatsError> {
    return Effect.suspend(() => {
      this.#count = count
      this.#look()
      return Deferred.await(this.#done)
    })
  }

  #look() {
    if (this.#messages.length >= this.#count) Deferred.doneUnsafe(this.#done, Exit.succeed(this.#messages))
  }
}
