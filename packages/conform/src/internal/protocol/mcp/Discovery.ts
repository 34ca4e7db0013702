/**
 * Finds out in which eras a server speaks MCP.
 *
 * Each era is asked for on a connection of its own, because a server may end at a first message that it does not know, stay
 * silent to it, or hold the connection for the other era from then on. Both are asked at once: a server that is slow to
 * start answers the handshake late, and only then is the time of the other answer measured.
 */
import * as McpError from "@parley/mcp/wire/McpError"
import * as Revision from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { JsonObject } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Unverified } from "../../../Suite.ts"
import type { Target } from "../../../Target.ts"
import type * as HttpLine from "../../probe/HttpLine.ts"
import type { Patience } from "../../probe/Patience.ts"
import * as Conversation from "./Conversation.ts"
import * as Wire from "./Wire.ts"

/** What a server speaks. */
export interface Found {
  readonly legacy: Conversation.Accord | undefined
  readonly modern: Conversation.Accord | undefined
  /** The answer of a server of HTTP that asks for credentials before it says anything. */
  readonly guarded: HttpLine.Exchanged | undefined
  /** Why there is no accord. */
  readonly reason: string
}

/** How a server is asked. */
export interface Options {
  readonly target: Target
  readonly patience: Patience
  /** How long it may take to start. */
  readonly start: Duration.Duration
}

/** How long an answer to `server/discover` may take when the handshake was answered, and at least as long as that took. */
const silence = Duration.seconds(2)

/** Asks for both eras. */
export const find = (options: Options): Effect.Effect<Found> =>
  Effect.scoped(Effect.gen(function*() {
    const modern = yield* Effect.forkScoped(Effect.result(Effect.scoped(askModern(options))), {
      startImmediately: true
    })
    const [taken, legacy] = yield* Effect.timed(Effect.result(
      Effect.scoped(Conversation.open({ ...options, revision: Revision.latestLegacy, listens: false }))
    ))
    const found = yield* Effect.timeoutOption(Fiber.join(modern), Duration.max(silence, taken))
    const asked = Option.getOrElse(
      found,
      () => Result.fail(new Unverified({ reason: "server/discover gave no answer" }))
    )
    return {
      legacy: Result.getOrUndefined(Result.map(legacy, ({ accord }) => accord)),
      modern: Result.isSuccess(asked) ? asked.success.accord : undefined,
      guarded: Result.isSuccess(asked) ? asked.success.guarded : undefined,
      reason: Result.isFailure(legacy) ? legacy.failure.reason : ""
    }
  }))

interface Modern {
  readonly accord: Conversation.Accord | undefined
  readonly guarded: HttpLine.Exchanged | undefined
}

/** A server that speaks another modern revision says so. */
const askModern = Effect.fnUntraced(function*(
  { patience, start, target }: Options
): Effect.fn.Return<Modern, Unverified, Scope.Scope> {
  const codec = RevisionCodec.of(Revision.latest)
  const wire = yield* Wire.open({ target, patience, envelope: Wire.envelopeOf(codec) })
  const { http, outcome } = yield* wire.request("server/discover", undefined, { patience: start })
  const status = http?.head?.status
  const offered = outcome._tag === "Result"
    ? JsonObject.member(outcome.result, "supportedVersions")
    : outcome._tag === "Error" && outcome.code === McpError.UnsupportedRevision
    ? JsonObject.member(JsonObject.member(outcome.error, "data"), "supported")
    : undefined
  const revision = newestModern(offered)
  const accord = revision === undefined
    ? undefined
    : yield* Effect.map(Conversation.open({ target, patience, revision }), ({ accord }) => accord)
  return { accord, guarded: status === 401 || status === 403 ? http : undefined }
})

const newestModern = (offered: Schema.Json | undefined): Revision.Revision | undefined =>
  Revision.ofEra("modern").find((revision) => JsonObject.isArray(offered) && offered.includes(revision))
