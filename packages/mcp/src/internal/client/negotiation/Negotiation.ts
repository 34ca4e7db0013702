/**
 * How a client and a server come to a revision.
 *
 * ```
 *   pinned modern ─────────────────────────────────────────────→ agreed, nothing is sent
 *   auto ──server/discover──→ a modern one in common ──────────→ agreed
 *     │        └─ -32022 with others: once more with one of those
 *     └─ anything else, or silence ─→ initialize ─→ initialized → agreed   (pinned legacy starts here)
 *
 * Over HTTP silence says nothing, because an older server answers 400, 404 or 405. A process may end instead of
 * answering: servers of some libraries do so where the first message is not `initialize`. It is started again.
 * ```
 *
 * What a server answers that knows no `server/discover` is never looked at
 * closely: they differ. Only what says that the modern era is spoken, or that
 * nothing can be said at all, ends the attempt.
 */
import type { AuthorizationError } from "@parley/oauth/AuthorizationError"
import type { CallError, DisconnectReason, RemoteError } from "@parley/peer/Caller"
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type McpConnectError, NoCommonRevision, type SessionExpired } from "../../../client/McpClientError.ts"
import type { McpClientTransport } from "../../../client/McpClientTransport.ts"
import type { Implementation, ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { DiscoverResult } from "../../../payload/Results.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import type { ClientConfig } from "./ClientConfig.ts"
import * as failures from "./failures.ts"

/** @internal */
export interface Agreed {
  readonly codec: RevisionCodec.RevisionCodec
  readonly serverInfo: Implementation | undefined
  /** `undefined` where the client has not asked. */
  readonly capabilities: ServerCapabilities | undefined
  readonly instructions: string | undefined
}

/** @internal */
export interface Options {
  readonly transport: McpClientTransport
  readonly config: ClientConfig
}

/** What each request of the modern era says of us. @internal */
export const envelope = (
  codec: RevisionCodec.RevisionCodec,
  config: ClientConfig,
  logLevel: ClientConfig["logLevel"]
): Schema.JsonObject =>
  Envelope.make({
    protocolVersion: codec.revision,
    clientCapabilities: codec.encode.clientCapabilities(config.capabilities(codec.era)),
    clientInfo: codec.encode.implementation(config.info),
    logLevel
  })

/** Agrees on a revision, and tells the transport. @internal */
export const negotiate = (options: Options): Effect.Effect<Agreed, McpConnectError> => {
  const { revision } = options.config
  if (revision === "auto") return Effect.scoped(find(options))
  const codec = RevisionCodec.of(revision)
  return codec.era === "legacy"
    ? initialize(options, revision)
    : modern(options, { codec, serverInfo: undefined, capabilities: undefined, instructions: undefined })
}

const modern = ({ transport }: Options, agreed: Agreed) => Effect.as(transport.settle(agreed.codec), agreed)

/**
 * Asks for the modern era, and tries the legacy one where no answer comes in time. A server that has only been slow to
 * start is still heard: the first answer that leads to a revision counts.
 */
const find = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Agreed, McpConnectError, Scope.Scope> {
  if (options.transport.kind === "http") {
    const agreed = yield* probe(options, Revision.latest, true)
    return yield* agreed === undefined ? initialize(options) : modern(options, agreed)
  }
  const probing = yield* Effect.forkScoped(probe(options, Revision.latest, true), { startImmediately: true })
  const early = yield* Effect.timeoutOption(Fiber.join(probing), options.config.probe)
  if (Option.isSome(early)) {
    return yield* early.value === undefined ? initialize(options) : modern(options, early.value)
  }
  const late = Effect.orElseSucceed(Fiber.join(probing), () => undefined)
  const found = Effect.flatMap(late, (agreed) => agreed === undefined ? Effect.never : modern(options, agreed))
  const shaken = Effect.catch(
    Effect.tap(
      initialize(options),
      () => Effect.sync(() => probing.pollUnsafe() === undefined && options.config.onSilent?.())
    ),
    (error) =>
      Effect.flatMap(late, (agreed) => {
        if (agreed !== undefined) return modern(options, agreed)
        // Both requests went to a server that read the probe first.
        return hasEnded(options, error) ? initialize(options) : Effect.fail(error)
      })
  )
  return yield* Effect.raceFirst(found, shaken)
})

/** What a server says of itself. @internal */
export const fromDiscovery = (codec: RevisionCodec.RevisionCodec, result: DiscoverResult): Agreed => ({
  codec,
  serverInfo: Envelope.serverOf(result),
  capabilities: result.capabilities,
  instructions: result.instructions
})

type Probed = Effect.Effect<Agreed | undefined, McpConnectError>

/** Gives `undefined` where the legacy era is to be tried. */
const probe = (options: Options, revision: Revision.Revision, mayRetry: boolean): Probed => {
  const { config, transport } = options
  const codec = RevisionCodec.of(revision)
  const params = Envelope.writeEnvelope(undefined, envelope(codec, config, config.logLevel))
  return Effect.matchEffect(
    transport.request("server/discover", params, { timeout: probeTimeout(options) }),
    {
      onSuccess: (json): Probed => {
        const result = config.read("server/discover", codec.decode.discoverResult, json)
        if (Result.isFailure(result)) return legacy
        const offered = result.success.supportedVersions
        const common = failures.newest(offered, "modern")
        if (common !== undefined) return Effect.succeed(fromDiscovery(RevisionCodec.of(common), result.success))
        return failures.newest(offered, "legacy") === undefined ? noneOf(offered) : legacy
      },
      onFailure: (error): Probed => {
        if (hasEnded(options, error)) {
          return Effect.as(
            Effect.logDebug(
              "the server ended instead of answering `server/discover`, and is started again for the handshake",
              Excerpt.cause(Cause.fail(error))
            ),
            undefined
          )
        }
        if (isFinal(options, error)) return Effect.fail(failures.fromLine("server/discover", error))
        if (error._tag !== "RemoteError" || error.code !== McpError.UnsupportedRevision) return legacy
        const offered = failures.supportedIn(error)
        if (offered === undefined) return legacy
        const common = failures.newest(offered, "modern")
        if (common !== undefined && mayRetry) return probe(options, common, false)
        if (common === undefined && failures.newest(offered, "legacy") === undefined) return noneOf(offered)
        return common === undefined ? legacy : Effect.fail(failures.fromLine("server/discover", error))
      }
    }
  )
}

const legacy: Probed = Effect.undefined

const noneOf = (offered: ReadonlyArray<string>) => Effect.fail(new NoCommonRevision({ offered, ours: Revision.all }))

/** How long a probe may take. A server over HTTP may be started by it, and its silence does not tell its era. */
const probeTimeout = (options: Options): number =>
  options.transport.kind === "http"
    ? options.config.initializeTimeout ?? firstAnswer
    : options.config.probe + patienceOf(options)

/** Milliseconds, as long as a call has by default. */
const firstAnswer = 30_000

/** How long the answer to `initialize` may take. */
const patienceOf = ({ config, transport }: Options): number =>
  config.initializeTimeout ?? (transport.kind === "http" ? 5_000 : 60_000)

/** Whether a process has ended that will be started again. */
const hasEnded = ({ transport }: Options, error: McpConnectError | CallError): boolean =>
  transport.kind === "process" && error._tag === "Disconnected" && endings.has(error.reason._tag)

const endings: ReadonlySet<DisconnectReason["_tag"]> = new Set(["Exited", "EndOfInput", "Lost"])

/** Errors of servers that know the modern era, or have no room for a request. */
const final: ReadonlySet<number> = new Set([
  McpError.MissingClientCapability,
  McpError.HeaderMismatch,
  McpError.Overloaded
])

/** The answers of gateways, and of servers that ask for credentials, say nothing of the era. */
const isOlder = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 408 && status !== 429

/** Whether `initialize` would meet the error as well, only a modern server says it, or it says nothing of the era. */
const isFinal = ({ transport }: Options, error: AuthorizationError | CallError | SessionExpired): boolean => {
  switch (error._tag) {
    case "AuthorizationError":
    case "Disconnected":
    case "Overloaded":
    case "InvalidArguments":
      return true
    case "RequestTimeout":
      return transport.kind === "http"
    case "HttpStatusError":
      return !isOlder(error.status)
    case "RemoteError":
      return final.has(error.code)
    default:
      return false
  }
}

/** The handshake in three steps. @internal */
export const handshake = (options: Options): Effect.Effect<Agreed, McpConnectError> => {
  const { revision } = options.config
  return initialize(options, revision === "auto" ? undefined : revision)
}

/** A revision that is pinned must be the one that the server answers. */
const initialize = (
  options: Options,
  pinned?: Revision.Revision
): Effect.Effect<Agreed, McpConnectError> => begin(options, pinned ?? Revision.latestLegacy, pinned, true)

const begin = (
  options: Options,
  revision: Revision.Revision,
  pinned: Revision.Revision | undefined,
  mayRetry: boolean
): Effect.Effect<Agreed, McpConnectError> => {
  const { config, transport } = options
  const codec = RevisionCodec.of(revision)
  const params = {
    protocolVersion: revision,
    capabilities: codec.encode.clientCapabilities(config.capabilities(codec.era)),
    clientInfo: codec.encode.implementation(config.info)
  }
  return Effect.matchEffect(transport.request("initialize", params, { timeout: patienceOf(options) }), {
    onSuccess: (json): Effect.Effect<Agreed, McpConnectError> => {
      const result = config.read("initialize", codec.decode.initializeResult, json)
      if (Result.isFailure(result)) return Effect.fail(result.failure)
      const { capabilities, instructions, protocolVersion, serverInfo } = result.success
      const answered = failures.newest([protocolVersion], "legacy", pinned === undefined ? undefined : [pinned])
      if (answered === undefined) {
        return Effect.fail(new NoCommonRevision({ offered: [protocolVersion], ours: oursOf(pinned) }))
      }
      const agreed = { codec: RevisionCodec.of(answered), serverInfo, capabilities, instructions }
      return transport.settle(agreed.codec).pipe(
        Effect.andThen(Effect.mapError(
          transport.notify("notifications/initialized"),
          (error) => failures.fromLine("notifications/initialized", error)
        )),
        Effect.as(agreed)
      )
    },
    onFailure: (error): Effect.Effect<Agreed, McpConnectError> => {
      const other = error._tag === "RemoteError" && mayRetry && pinned === undefined
        ? otherOf(error, revision)
        : undefined
      return other === undefined
        ? Effect.fail(failures.fromLine("initialize", error))
        : begin(options, other, pinned, false)
    }
  })
}

const oursOf = (pinned: Revision.Revision | undefined) => pinned === undefined ? Revision.ofEra("legacy") : [pinned]

/** Some servers refuse a revision that they do not know, instead of answering one that they do. */
const otherOf = (error: RemoteError, revision: Revision.Revision): Revision.Revision | undefined => {
  const other = failures.newest(failures.supportedIn(error) ?? [], "legacy")
  return other === revision ? undefined : other
}
