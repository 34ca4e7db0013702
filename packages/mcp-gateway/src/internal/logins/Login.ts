/**
 * The login of one principal at one server: whether the person has to sign in, and where.
 */
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The resource that tells a caller who it is for the gateway. @internal */
export const whoami = "gateway://whoami"

/** The error of a call whose caller has to sign in first. @internal */
export const signInRequired = -31006

/** A page that a person has to open, and what they come back with. @internal */
export interface Pending {
  readonly elicitationId: string
  readonly url: string
  readonly answer: Effect.Effect<URLSearchParams, Error>
}

/** @internal */
export class Login {
  /** How a client gets its tokens. */
  readonly authorization: ClientAuthorization
  #pending: Pending | undefined = undefined
  #asked = Deferred.makeUnsafe<Pending>()
  #over = Deferred.makeUnsafe<void>()
  #ended: string | undefined = undefined

  /** `make` gives the way to tokens, which asks the person by the function that it is given. */
  constructor(
    make: (ask: (begin: Effect.Effect<Pending>) => Effect.Effect<URLSearchParams, Error>) => ClientAuthorization
  ) {
    this.authorization = make((begin) => this.#during(begin))
  }

  /** The page that the person has to open now. */
  get pending(): Pending | undefined {
    return this.#pending
  }

  /** Waits until a person has to open a page. */
  readonly asked: Effect.Effect<Pending> = Effect.suspend(() => Deferred.await(this.#asked))

  /** Waits until no person has to. */
  readonly over: Effect.Effect<void> = Effect.suspend(() =>
    this.#pending === undefined ? Effect.void : Deferred.await(this.#over)
  )

  /** The id of the question whose person has come back since it was asked for last. */
  ended(): string | undefined {
    const ended = this.#ended
    this.#ended = undefined
    return ended
  }

  #during(begin: Effect.Effect<Pending>): Effect.Effect<URLSearchParams, Error> {
    return Effect.acquireUseRelease(
      Effect.map(begin, (pending) => {
        this.#pending = pending
        Deferred.doneUnsafe(this.#asked, Exit.succeed(pending))
        return pending
      }),
      ({ answer }) => answer,
      ({ elicitationId }, exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) this.#ended = elicitationId
          this.#pending = undefined
          this.#asked = Deferred.makeUnsafe()
          Deferred.doneUnsafe(this.#over, Exit.void)
          this.#over = Deferred.makeUnsafe()
        })
    )
  }
}
