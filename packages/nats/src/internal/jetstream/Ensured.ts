/**
 * A stream that is made where it is not there, and looked at again each time that the connection has been away: it may be
 * another then.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { NatsError } from "../connection/NatsError.ts"
import { isStreamMissing, type JetStream, type StreamConfig } from "./JetStream.ts"

/** @internal */
export class Ensured {
  readonly #stream: JetStream
  readonly #config: StreamConfig
  readonly #onFound: (life: number, before: number | undefined) => Effect.Effect<void, NatsError>
  readonly #lock = Semaphore.makeUnsafe(1)
  /** How often the stream may have become another. */
  #losses = 1
  /** For how many of those it was looked at. */
  #seen = 0
  #life: number | undefined

  /** `onFound` hears when the stream was made, and what that was when it was looked at before. */
  constructor(
    stream: JetStream,
    config: StreamConfig,
    onFound: (life: number, before: number | undefined) => Effect.Effect<void, NatsError> = () => Effect.void
  ) {
    this.#stream = stream
    this.#config = config
    this.#onFound = onFound
  }

  /** Another number each time that the stream was looked at. */
  get generation(): number {
    return this.#seen
  }

  /** When the stream was made, in microseconds: another where it is another. */
  get life(): number | undefined {
    return this.#life
  }

  /** Hears when the connection goes away. */
  get watched(): Effect.Effect<void, never, Scope.Scope> {
    return this.#stream.client.watch((state) => {
      if (state === "disconnected") this.#losses++
    })
  }

  /** The stream is there. */
  readonly ready: Effect.Effect<void, NatsError> = Effect.suspend(() =>
    this.#seen === this.#losses ? Effect.void : this.#lock.withPermit(this.#found)
  )

  /** Does something with the stream; a second time where it was not there. */
  done<A>(effect: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> {
    return Effect.catchIf(Effect.andThen(this.ready, effect), isStreamMissing, () => {
      this.#losses++
      return Effect.andThen(this.ready, effect)
    })
  }

  readonly #found: Effect.Effect<void, NatsError> = Effect.suspend(() => {
    const losses = this.#losses
    if (this.#seen === losses) return Effect.void
    return Effect.flatMap(
      this.#stream.ensure(this.#config),
      (life) =>
        Effect.map(this.#onFound(life, this.#life), () => {
          this.#life = life
          this.#seen = losses
        })
    )
  })
}
