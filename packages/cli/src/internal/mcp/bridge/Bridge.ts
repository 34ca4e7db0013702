/**
 * A server of ours that stands for one server behind it, in every revision, whether that is there or not.
 *
 * What a client asks waits for the server for a while; after that, lists are those that were known last, and calls fail with
 * the reason. The client learns of the server itself as soon as it is reached: its name, its instructions, its features.
 */
import { allCapabilities } from "@parley/mcp-gateway/McpUpstream"
import * as McpServer from "@parley/mcp/McpServer"
import type { ClientCapabilities, Implementation } from "@parley/mcp/payload/Capabilities"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import * as Envelope from "@parley/mcp/wire/Envelope"
import * as McpError from "@parley/mcp/wire/McpError"
import * as Revision from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { version } from "../../terminal/version.ts"
import { InFlight } from "./InFlight.ts"
import { calls } from "./reasons.ts"

/** The server behind, as the bridge sees it. */
export interface Behind {
  /** The name of its endpoint. */
  readonly name: string
  readonly source: FeatureSource
  /** What it says of itself; `undefined` until it has been reached. */
  readonly identity: () => Implementation | undefined
  readonly instructions: () => string | undefined
  /** Why it cannot be asked now; `undefined` where it can, or nobody has tried. */
  readonly away: () => string | undefined
  /** Waits until it can be asked, or it is known that it cannot. */
  readonly settled: Effect.Effect<void>
  /** Hears what a client can be asked, with each request that says so. */
  readonly met: (capabilities: ClientCapabilities) => void
  /** Runs a call, which may end with the server. */
  readonly during: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ErrorResponse, R>
}

/** The server that clients see. */
export const make = (
  behind: Behind,
  inFlight: InFlight = new InFlight()
): Effect.Effect<McpServer.McpServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* McpServer.make({
      name: "parley",
      version,
      identity: behind.identity,
      instructions: () => behind.away() === undefined ? behind.instructions() : instructionsOf(behind),
      features: [],
      middleware: (handler) => {
        const handshakes = new Handshakes()
        return (call) => {
          const answer = handshakes.around(call, through(behind, handler, call))
          // A stream of changes ends with its client.
          return patienceOf(call.method) === undefined || call.method === listening ? answer : inFlight.around(answer)
        }
      }
    })
    const { source } = behind
    yield* server.mount({
      featuresFor: (call, wanted) => source.featuresFor(call, wanted),
      tool: (name) => source.tool(name),
      onChange: (hear) => source.onChange(hear),
      linkedAt: (uri) => source.linkedAt?.(uri),
      isAway: () => source.isAway?.() === true,
      // A client looks at them once, perhaps before the server has been reached.
      capabilities: () => behind.identity() === undefined ? allCapabilities : source.capabilities()
    })
    return server
  })

/** A model that reads this knows why there are no tools. */
const instructionsOf = (behind: Behind): string =>
  [
    `The server ${behind.name} cannot be used now: ${behind.away()}`,
    ...[behind.instructions()].flatMap((own) => own === undefined ? [] : ["", own])
  ].join("\n")

/** The handshakes that wait for the server: what a client sends behind one without waiting for its answer comes after it. */
class Handshakes {
  readonly #running = new WeakMap<object, Deferred.Deferred<void>>()

  around<A, E, R>({ connection, method }: Call, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    // A client may ping during a long handshake.
    if (connection === undefined || method === "ping") return effect
    if (method !== "initialize") {
      const running = this.#running.get(connection)
      return running === undefined ? effect : Effect.andThen(Deferred.await(running), effect)
    }
    return Effect.suspend(() => {
      const done = Deferred.makeUnsafe<void>()
      this.#running.set(connection, done)
      return Effect.onExit(effect, () => {
        this.#running.delete(connection)
        return Deferred.succeed(done, undefined)
      })
    })
  }
}

const through = <E, R>(
  behind: Behind,
  handler: Handler<E, R>,
  call: Call
): ReturnType<Handler<E | ErrorResponse, R>> =>
  Effect.suspend((): ReturnType<Handler<E | ErrorResponse, R>> => {
    const capabilities = capabilitiesOf(call)
    if (capabilities !== undefined) behind.met(capabilities)
    const patience = patienceOf(call.method)
    if (patience === undefined) return handler(call)
    return Effect.andThen(
      Effect.timeoutOption(behind.settled, patience),
      Effect.suspend((): ReturnType<Handler<E | ErrorResponse, R>> => {
        if (!calls.has(call.method)) return handler(call)
        const away = behind.away()
        return away === undefined
          ? behind.during(handler(call))
          : Effect.fail(McpError.upstreamFailed(behind.name, `cannot be reached: ${away}`))
      })
    )
  })

const listening = "subscriptions/listen"

/** What is about its features, and is answered with those that are known. */
const lists: ReadonlySet<string> = new Set([
  // A resource that is not known cannot be listened to.
  listening,
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/subscribe"
])

/** How long a request waits for the server; `undefined` where it is about something else. */
const patienceOf = (method: string): Duration.Duration | undefined => {
  // A server that a package runner has to install first takes its time. Hosts wait for a minute.
  if (method === "initialize") return Duration.seconds(45)
  // Clients of both eras take a longer silence for that of an older server.
  if (method === "server/discover") return Duration.millis(1_500)
  if (calls.has(method)) return Duration.seconds(20)
  return lists.has(method) ? Duration.seconds(10) : undefined
}

/** What a request says that its client can be asked. */
const capabilitiesOf = ({ method, params }: Call): ClientCapabilities | undefined => {
  const envelope = Envelope.readEnvelope(params)
  if (envelope?._tag === "Envelope") return envelope.clientCapabilities
  if (method !== "initialize" || params === undefined || !("protocolVersion" in params)) return undefined
  const { protocolVersion } = params
  const revision = Revision.isKnown(protocolVersion) && Revision.era(protocolVersion) === "legacy"
    ? protocolVersion
    : Revision.latestLegacy
  const decoded = RevisionCodec.of(revision).decode.initializeParams(params)
  return Result.isSuccess(decoded) ? decoded.success.capabilities : {}
}
