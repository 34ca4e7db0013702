/**
 * A conversation with a server in one revision: opened as that asks for, and then heard as it is.
 */
import * as Revision from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { JsonObject } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type Passed, Unverified } from "../../../Suite.ts"
import type { Target } from "../../../Target.ts"
import { type Patience, startOf } from "../../probe/Patience.ts"
import * as Wire from "./Wire.ts"

/** What a server has said of itself in one revision. */
export interface Accord {
  readonly codec: RevisionCodec.RevisionCodec
  /** As it was declared, whether it fits or not. */
  readonly capabilities: Schema.JsonObject
  /** The name and version of the server. */
  readonly server: string
  /** The result of `initialize` or `server/discover`. */
  readonly result: Schema.Json
  readonly exchange: ReadonlyArray<Passed>
}

/** A conversation. */
export interface Conversation extends Wire.Wire {
  readonly accord: Accord
  /** How many texts had passed when the server was told that the client is ready; 0 in the modern era. */
  readonly readyAt: number
}

/** How a conversation is opened. */
export interface OpenOptions {
  readonly target: Target
  readonly patience: Patience
  readonly revision: Revision.Revision
  /** How long the server may take to start. */
  readonly start?: Duration.Duration | undefined
  /** Whether what the server tells by itself is heard over HTTP, too. By default it is. */
  readonly listens?: boolean | undefined
  /** What happens before the client says that it is ready, in the legacy era. */
  readonly beforeReady?: ((wire: Wire.Wire) => Effect.Effect<void>) | undefined
}

/** Opens a conversation in a revision, whatever its era. */
export const open = (options: OpenOptions): Effect.Effect<Conversation, Unverified, Scope.Scope> =>
  Revision.era(options.revision) === "modern" ? discover(options) : initialize(options)

/** The handshake of the legacy era. */
const initialize = Effect.fnUntraced(function*(
  { beforeReady, listens = true, patience, revision, target, start = startOf(target, patience) }: OpenOptions
): Effect.fn.Return<Conversation, Unverified, Scope.Scope> {
  const wire = yield* Wire.open({ target, patience, envelope: undefined })
  const reply = yield* wire.request("initialize", initializeParams(revision), { patience: start })
  const accord = accordOf(reply, (result) => {
    const answered = JsonObject.member(result, "protocolVersion")
    if (typeof answered !== "string") return undefined
    const codec = RevisionCodec.of(Revision.negotiate(answered) ?? revision)
    return { codec, server: nameOf(JsonObject.member(result, "serverInfo")) }
  })
  if (accord === undefined) return yield* unanswered("initialize", reply)
  wire.session.id = reply.http?.head?.header("mcp-session-id")
  wire.session.revision = accord.codec.features.protocolVersionHeader === "none"
    ? undefined
    : String(JsonObject.member(accord.result, "protocolVersion"))
  if (beforeReady !== undefined) yield* beforeReady(wire)
  const readyAt = wire.line.passed().length
  yield* wire.notify("notifications/initialized")
  const { http } = wire
  if (http !== undefined && listens) {
    yield* Effect.forkScoped(http.exchange({ method: "GET" }, { patience: whole }), { startImmediately: true })
  }
  return { ...wire, accord, readyAt }
})

/** The longest that a stream of a server is heard. */
const whole = Duration.hours(1)

/** What the client of the legacy era says first. It offers nothing. */
export const initializeParams = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: Wire.clientInfo
})

/** The modern era needs no handshake: a server is asked what it is. */
const discover = Effect.fnUntraced(function*(
  { patience, revision, target, start = startOf(target, patience) }: OpenOptions
): Effect.fn.Return<Conversation, Unverified, Scope.Scope> {
  const codec = RevisionCodec.of(revision)
  const wire = yield* Wire.open({ target, patience, envelope: Wire.envelopeOf(codec) })
  const reply = yield* wire.request("server/discover", undefined, { patience: start })
  const accord = accordOf(reply, (result) => {
    const supported = JsonObject.member(result, "supportedVersions")
    const isSpoken = JsonObject.isArray(supported) && supported.includes(revision)
    const info = JsonObject.member(JsonObject.member(result, "_meta"), "io.modelcontextprotocol/serverInfo")
    return isSpoken ? { codec, server: nameOf(info) } : undefined
  })
  if (accord === undefined) return yield* unanswered("server/discover", reply)
  return { ...wire, accord, readyAt: 0 }
})

const accordOf = (
  { exchange, outcome }: Wire.Reply,
  read: (result: Schema.Json) => Pick<Accord, "codec" | "server"> | undefined
): Accord | undefined => {
  if (outcome._tag !== "Result") return undefined
  const { result } = outcome
  const found = read(result)
  const capabilities = JsonObject.member(result, "capabilities")
  return found && { ...found, result, exchange, capabilities: JsonObject.isObject(capabilities) ? capabilities : {} }
}

const unanswered = (method: string, { outcome }: Wire.Reply) =>
  Effect.fail(new Unverified({ reason: `${method} gave no agreement: ${describe(outcome)}` }))

const nameOf = (info: Schema.Json | undefined): string =>
  ["name", "version"].map((member) => JsonObject.member(info, member)).filter((text) => typeof text === "string").join(
    " "
  )

/** What came, in words. */
export const describe = (outcome: Wire.Outcome): string => {
  switch (outcome._tag) {
    case "Result":
      return `a result: ${JSON.stringify(outcome.result)}`
    case "Error":
      return `the error ${outcome.code ?? "without a code"}: ${outcome.message}`
    case "Status":
      return `the status ${outcome.status} of HTTP without a response of JSON-RPC`
    case "Silent":
      return "no answer in time"
    case "Ended":
      return `the end of the connection: ${outcome.reason}`
  }
}
