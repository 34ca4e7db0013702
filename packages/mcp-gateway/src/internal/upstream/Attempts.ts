/**
 * The attempts to reach an upstream: when the next one is, who waits for its end, and what is told of it.
 */
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import type { Implementation } from "@parley/mcp/payload/Capabilities"
import type { Feature } from "@parley/mcp/server/Feature"
import type { Revision } from "@parley/mcp/wire/Revision"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/**
 * Whether a server can be reached: it has been, in a revision and with features, or it cannot be any more, and why. `isNew`
 * says that it could be before, or that this was the first attempt. Or it does not give one of its lists, which stays as it was;
 * without a cause, it has not answered yet.
 *
 * @category models
 * @since 0.1.0
 */
export type UpstreamState =
  | {
    readonly _tag: "Reached"
    readonly protocolVersion: Revision
    readonly serverInfo: Implementation | undefined
    readonly features: ReadonlyArray<Feature>
  }
  | { readonly _tag: "Away"; readonly cause: McpConnectError | ErrorResponse; readonly isNew: boolean }
  | { readonly _tag: "Unlisted"; readonly method: string; readonly cause: unknown }

/** Tells that a server is away: whoever hears of it, or else the log, where that is new. @internal */
export const tellAway = (
  { hear, name }: {
    readonly name: string
    readonly hear: ((state: UpstreamState) => Effect.Effect<void>) | undefined
  },
  cause: McpConnectError | ErrorResponse,
  isNew: boolean
): Effect.Effect<void> => {
  if (hear !== undefined) return hear({ _tag: "Away", cause, isNew })
  return isNew
    ? Effect.logWarning(`the server ${Excerpt.line(name)} cannot be reached`, Excerpt.cause(Cause.fail(cause)))
    : Effect.void
}

/** Milliseconds that pass between two attempts however much a server is wanted. */
const shortest = 250

/** @internal */
export class Attempts {
  readonly #wanted = Latch.makeUnsafe()
  #ended = Deferred.makeUnsafe<void>()

  /** Asks for an attempt, and waits for the end of the one that runs, or of the next one. */
  readonly wanted: Effect.Effect<void> = Effect.suspend(() => {
    this.#wanted.openUnsafe()
    return Deferred.await(this.#ended)
  })

  /** Tells those who wait that an attempt has ended. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    const ended = this.#ended
    this.#ended = Deferred.makeUnsafe()
    this.#wanted.closeUnsafe()
    return Effect.asVoid(Deferred.succeed(ended, undefined))
  })

  /** Waits so many milliseconds before the next attempt, or until somebody wants it. */
  pause(wait: number): Effect.Effect<void> {
    return Effect.raceFirst(Backoff.sleep(wait), Effect.andThen(Effect.sleep(shortest), this.#wanted.await))
  }
}
