/** The errors of NATS, as users of a mesh or a journal get them. */
import { Overloaded } from "@parley/mesh/Mesh"
import * as Effect from "effect/Effect"
import { describe, type NatsError } from "./connection/NatsError.ts"

/** Nothing was done for a key. @internal */
export const overloaded = (key: string, { reason }: NatsError): Overloaded =>
  new Overloaded({ key, reason: `NATS: ${describe(reason)}` })

/** An effect whose errors are those of the mesh. @internal */
export const told = <A, R>(key: string, effect: Effect.Effect<A, NatsError, R>): Effect.Effect<A, Overloaded, R> =>
  Effect.mapError(effect, (error) => overloaded(key, error))
