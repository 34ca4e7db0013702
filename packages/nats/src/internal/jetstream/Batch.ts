/** The messages that a consumer brings, until all have come that there were. */
import type { Msg } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { NatsError } from "../../NatsError.ts"
import { delivered, type Stored } from "./Stored.ts"

/** @internal */
export class Batch {
  readonly #messages: Array<Stored> = []
  /** How many there are, once that is known. */
  #count = Number.POSITIVE_INFINITY
  #error: NatsError | undefined
  #wake: (() => void) | undefined

  take(message: Msg) {
    this.#messages.push(delivered(message))
    if (this.#messages.length >= this.#count) this.#wake?.()
  }

  fail(error: NatsError) {
    this.#error ??= error
    this.#wake?.()
  }

  /** The messages, when so many have come. */
  complete(count: number): Effect.Effect<ReadonlyArray<Stored>, NatsError> {
    return Effect.callback((resume) => {
      this.#count = count
      this.#wake = () => {
        this.#wake = undefined
        resume(this.#error === undefined ? Exit.succeed(this.#messages) : Exit.fail(this.#error))
      }
      if (this.#error !== undefined || this.#messages.length >= count) this.#wake()
    })
  }
}
