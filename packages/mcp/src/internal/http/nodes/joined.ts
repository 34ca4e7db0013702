/** Joins the other nodes, now or as soon as the engine of the mesh can be reached. */
import type { Overloaded } from "@parley/mesh/Mesh"
import { Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** @internal */
export const joined = (
  name: string,
  join: Effect.Effect<void, Overloaded, Scope.Scope>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.catch(join, (error) => {
    const told = Effect.logWarning(
      `${Excerpt.line(name)} is not part of its mesh yet`,
      Excerpt.cause(Cause.fail(error))
    )
    return Effect.andThen(told, Effect.forkScoped(Effect.eventually(Effect.andThen(Backoff.sleep("1 second"), join))))
  })
