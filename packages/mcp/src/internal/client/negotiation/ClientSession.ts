/**
 * The agreement with a server, and how it is made again when the server has
 * forgotten a session: once, however many requests find out.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { McpConnectError } from "../../../client/McpClientError.ts"
import type { McpClientTransport } from "../../../client/McpClientTransport.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { ClientConfig } from "./ClientConfig.ts"
import * as Negotiation from "./Negotiation.ts"
import type { Agreed } from "./Negotiation.ts"

/** @internal */
export interface ClientSession {
  /** The last agreement. */
  readonly agreed: () => Agreed
  /** Takes what a server has said of itself since. */
  readonly update: (agreed: Agreed) => void
  /** How many handshakes there were. */
  readonly count: () => number
  /** Requests wait for this first, where it is there. */
  readonly pending: () => Effect.Effect<void, McpConnectError> | undefined
  /** Makes the handshake again, unless that was done since there were so many. */
  readonly renew: (count: number) => Effect.Effect<void, McpConnectError>
  /** Those who hear that the handshake was made again. */
  readonly onRenewed: Set<() => void>
  logLevel: LogLevel | undefined
}

/** Shakes hands. The Scope is the client's: what renews the session runs in it. @internal */
export const make = Effect.fnUntraced(
  function*(transport: McpClientTransport, config: ClientConfig, scope: Scope.Scope) {
    const options: Negotiation.Options = { transport, config }
    let agreed = yield* Negotiation.negotiate(options)
    let count = 1
    let isStale = false
    let running: Deferred.Deferred<void, McpConnectError> | undefined

    const again = Effect.andThen(transport.settle(undefined), Negotiation.handshake(options))

    const renewal = Effect.suspend(() => {
      const known = running
      if (known !== undefined) return Deferred.await(known)
      const made = Deferred.makeUnsafe<void, McpConnectError>()
      running = made
      // Nobody knows the old session any more, so requests have to wait until there is one.
      isStale = true
      const run = Effect.onExit(again, (exit) =>
        Effect.suspend(() => {
          running = undefined
          if (Exit.isSuccess(exit)) {
            agreed = exit.value
            count++
            isStale = false
            for (const hear of [...session.onRenewed]) hear()
          }
          return Deferred.done(made, Exit.asVoid(exit))
        }))
      // A fiber of its own: who waits for it may be interrupted.
      return Effect.andThen(Effect.forkIn(Effect.exit(run), scope, { startImmediately: true }), Deferred.await(made))
    })

    const session: ClientSession = {
      agreed: () => agreed,
      update: (next) => {
        agreed = next
      },
      count: () => count,
      pending: () => isStale ? renewal : undefined,
      renew: (seen) => Effect.suspend(() => count > seen ? Effect.void : renewal),
      onRenewed: new Set(),
      logLevel: config.logLevel
    }
    return session
  }
)
