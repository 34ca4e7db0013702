/** The messages that a consumer brings, until all have come that there were, or one is enough. */
import type { Msg } from "@nats-io/transport-node"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { NatsError } from "../connection/NatsError.ts"
import { delivered, type Stored } from "./Stored.ts"

/** The messages of one reading. */
export class Batch {
  readonly #messages: Array<Stored> = []
  readonly #isEnough: (stored: Stored) => boolean
  #isDone = false
  /** How many there are, once that is known. */
  #count = Number.POSITIVE_INFINITY
  readonly #done = Deferred.makeUnsafe<ReadonlyArray<Stored>, NatsError>()

  constructor(isEnough: (stored: Stored) => boolean = () => false) {
    this.#isEnough = isEnough
  }

  take(message: Msg) {
    if (this.#isDone) return
    const stored = delivered(message)
    this.#messages.push(stored)
    if (this.#isEnough(stored)) this.#end()
    else this.#look()
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
    if (this.#messages.length >= this.#count) this.#end()
  }

  #end() {
    this.#isDone = true
    Deferred.doneUnsafe(this.#done, Exit.succeed(this.#messages))
  }
}
