/** The errors of Redis, as users of a mesh or a journal get them. */
import { Overloaded } from "@parley/mesh/Mesh"
import * as Effect from "effect/Effect"
import type { Failure } from "./Line.ts"

/** An effect whose errors are those of the mesh. @internal */
export const told = <A, R>(key: string, effect: Effect.Effect<A, Failure, R>): Effect.Effect<A, Overloaded, R> =>
  Effect.mapError(effect, ({ reason }) => new Overloaded({ key, reason }))
