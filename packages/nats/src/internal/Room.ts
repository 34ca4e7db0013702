/** A connection on which as much is under way as its limit `pending` allows: what comes then waits for the server. */
import * as Effect from "effect/Effect"
import type { NatsClient } from "../NatsClient.ts"
import type { NatsError } from "../NatsError.ts"

/** Tries again each time that the server has taken what is under way, for as long as an answer may take. @internal */
export const waited = <A>(client: NatsClient, attempt: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> =>
  Effect.catchIf(
    attempt,
    isFull,
    (error) =>
      Effect.timeoutOrElse(again(client, attempt), { duration: client.timeout, orElse: () => Effect.fail(error) })
  )

const again = <A>(client: NatsClient, attempt: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> =>
  Effect.andThen(client.flushed, Effect.catchIf(attempt, isFull, () => again(client, attempt)))

const isFull = ({ reason }: NatsError): boolean => reason._tag === "Full"
