/**
 * Changes of lists that are told at most once in a time. A change is told to all clients, who read their lists then: a server
 * would have them do so as often as it wants.
 */
import type { Change, Listed } from "@parley/mcp/server/ServerChanges"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

type Tell = (change: Change) => void

/** Milliseconds between two changes of one list. */
const gap = 1_000

/** Tells the first change at once, and those that come too soon after it as one at the end of the time. @internal */
export const make = (tell: Tell): Effect.Effect<Tell, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const run = Effect.runForkWith(yield* Effect.context<never>())
    /** The lists that have been told, and whether they have changed since. */
    const told = new Map<Listed, boolean>()
    return function tellCalmly(change: Change) {
      if (!("list" in change)) return tell(change)
      const { list } = change
      const isTold = told.has(list)
      told.set(list, isTold)
      if (isTold) return
      const next = Effect.sync(() => {
        const isAgain = told.get(list) === true
        told.delete(list)
        if (isAgain) tellCalmly(change)
      })
      Fiber.runIn(run(Effect.andThen(Effect.sleep(gap), next)), scope)
      tell(change)
    }
  })
