/**
 * A connection on which as much is under way as its limit `pending` allows: what comes then waits for the server, for as long
 * as an answer may take. What waits has the bound of a `Backlog`.
 */
import { Backlog } from "@parley/mesh/shared"
import * as Effect from "effect/Effect"
import type { NatsClient } from "../NatsClient.ts"
import type { NatsError } from "./connection/NatsError.ts"

interface Waiting extends Backlog.Waiting {
  wake?: (() => void) | undefined
}

/** @internal */
export class Room {
  readonly #client: NatsClient
  readonly #waiting = Backlog.make<Waiting>()
  /** The error for those that find no room. */
  #full: NatsError | undefined

  constructor(client: NatsClient) {
    this.#client = client
  }

  /** Tries again each time that the server has taken what is under way. */
  waited<A>(weight: number, attempt: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> {
    const again: Effect.Effect<A, NatsError> = Effect.andThen(
      this.#client.flushed,
      Effect.catchIf(attempt, isFull, () => again)
    )
    return Effect.catchIf(attempt, isFull, (error) => this.#within(error, { weight }, again))
  }

  /**
   * Sends behind all that was to be sent before. `send` does so at once, up to an error; where that is `Full`, it goes on when
   * it is called again.
   */
  inTurn(weight: number, send: () => NatsError | undefined): Effect.Effect<void, NatsError> {
    return Effect.suspend(() => {
      // It is known why others wait.
      const error = this.#waiting.first() === undefined ? send() : this.#full
      if (error === undefined || !isFull(error)) return error === undefined ? Effect.void : Effect.fail(error)
      this.#full = error
      const waiting: Waiting = { weight }
      const sent: Effect.Effect<void, NatsError> = Effect.suspend(() => {
        if (this.#waiting.first() !== waiting) return Effect.andThen(woken(waiting), sent)
        const error = send()
        if (error === undefined) return Effect.void
        return isFull(error) ? Effect.andThen(this.#client.flushed, sent) : Effect.fail(error)
      })
      return this.#within(error, waiting, sent)
    })
  }

  /** Waits among the others until its time is over. */
  #within<A>(error: NatsError, waiting: Waiting, sent: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> {
    return Effect.suspend(() => {
      if (!this.#waiting.add(waiting)) return Effect.fail(error)
      return Effect.timeoutOrElse(sent, { duration: this.#client.timeout, orElse: () => Effect.fail(error) }).pipe(
        Effect.ensuring(Effect.sync(() => {
          this.#waiting.delete(waiting)
          this.#waiting.first()?.wake?.()
        }))
      )
    })
  }
}

const woken = (waiting: Waiting): Effect.Effect<void> =>
  Effect.callback((resume) => {
    waiting.wake = () => {
      waiting.wake = undefined
      resume(Effect.void)
    }
    return Effect.sync(() => {
      waiting.wake = undefined
    })
  })

const isFull = ({ reason }: NatsError): boolean => reason._tag === "Full"
