/**
 * The agreement with a server, and how it is made again when the server has
 * forgotten a session: once, however many requests find out.
 */
import { SharedRun } from "@parley/oauth/shared"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { McpConnectError } from "../../../client/McpClientError.ts"
import type { McpClientTransport } from "../../../client/McpClientTransport.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { ClientConfig } from "./ClientConfig.ts"
import * as Negotiation from "./Negotiation.ts"
import type { Agreed } from "./Negotiation.ts"
import type { ResultReader } from "./ResultReader.ts"

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
  readonly read: ResultReader
  logLevel: LogLevel | undefined
  /** How many streams wait for changes in the session. */
  streams: number
}

/** Shakes hands. The Scope is the client's: what renews the session runs in it. @internal */
export const make = Effect.fnUntraced(
  function*(transport: McpClientTransport, config: ClientConfig, scope: Scope.Scope) {
    const options: Negotiation.Options = { transport, config }
    let agreed = yield* Negotiation.negotiate(options)
    let count = 1
    let isStale = false

    const again = Effect.andThen(transport.settle(undefined), Negotiation.handshake(options))

    const renewal = SharedRun.make(
      scope,
      Effect.suspend(() => {
        // The old session is over, so requests have to wait until there is a new one.
        isStale = true
        return Effect.map(again, (next) => {
          agreed = next
          count++
          isStale = false
          for (const hear of [...session.onRenewed]) hear()
        })
      })
    )

    const session: ClientSession = {
      agreed: () => agreed,
      update: (next) => {
        agreed = next
      },
      count: () => count,
      pending: () => isStale ? renewal : undefined,
      renew: (seen) => Effect.suspend(() => count > seen ? Effect.void : renewal),
      onRenewed: new Set(),
      read: config.read,
      logLevel: config.logLevel,
      streams: 0
    }
    return session
  }
)
