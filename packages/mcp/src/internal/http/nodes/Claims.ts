/** The claims of one node on sessions: which it holds, and since when. */
import type { Claimed, Mesh, Overloaded } from "@parley/mesh/Mesh"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** A session that this node holds. @internal */
export interface Claim {
  readonly epoch: number
  /** Whether no other node has had it since; `undefined` where the engine cannot be asked. */
  readonly isOurs: Effect.Effect<boolean | undefined>
  readonly release: Effect.Effect<void>
}

/** @internal */
export interface Claims {
  /** Claims a session; hears when another node may hold it. */
  readonly take: (id: string, onLost: () => void) => Effect.Effect<Claim, Claimed | Overloaded>
}

/** The name of the sessions of a server, which all nodes have. @internal */
export const nameOf = (server: string): string => `mcp/${server}/session`

/** The key of a session. @internal */
export const keyOf = (name: string, id: string): string => `${name}/${id}`

/** @internal */
export const make = (mesh: Mesh, name: string): Claims => ({
  take: (id, onLost) =>
    Effect.uninterruptible(Effect.suspend(() => {
      const key = keyOf(name, id)
      const scope = Scope.makeUnsafe()
      const release = Scope.close(scope, Exit.void)
      return Scope.provide(mesh.claim(key), scope).pipe(
        Effect.tap(({ lost }) => Effect.forkIn(Effect.andThen(lost, Effect.sync(onLost)), scope)),
        Effect.map(({ epoch, isNewest }): Claim => ({
          epoch,
          isOurs: Effect.orElseSucceed(isNewest, () => undefined),
          release
        })),
        Effect.onError(() => release)
      )
    }))
})

/** Says of a session that cannot be had now that it is out of reach: the log of the mesh says more. @internal */
export const unclaimed = <A>(claimed: Effect.Effect<A, Claimed | Overloaded>): Effect.Effect<A | "out of reach"> =>
  Effect.catch(
    claimed,
    (error) => Effect.as(Effect.logDebug(`a session was not claimed: ${Excerpt.line(error.message)}`), "out of reach")
  )
