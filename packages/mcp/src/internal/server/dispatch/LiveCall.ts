/**
 * A call as its handler sees it. Its members are made when they are looked at:
 * most handlers look at none.
 */
import type { Caller } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call } from "@parley/peer/Handler"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Client, ClientSession, McpContext, Origin } from "../../../McpContext.ts"
import * as LogLevel from "../../../payload/LogLevel.ts"
import * as ClientRequests from "../../../server/ClientRequests.ts"
import type { ConnectionRecord } from "../../../server/Connection.ts"
import * as Shares from "../../../shared/Shares.ts"
import { metaOf } from "../../../wire/Envelope.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Place } from "../../telemetry/attributes.ts"
import * as Operation from "../../telemetry/operation.ts"
import type { Watcher } from "../changes/Watcher.ts"
import type { Offer, Readable } from "../definition/Offer.ts"
import type { ServerState } from "../definition/ServerState.ts"

/** What the methods of a server answer. @internal */
export type Answer = Effect.Effect<Schema.Json, ErrorResponse>

/** What a call needs of the connection that it came by. @internal */
export interface CallConnection extends Place {
  readonly server: ServerState
  readonly record: ConnectionRecord
  readonly isClosed: boolean
  /** The client, for what belongs to no request, where somebody reads what it is sent. */
  readonly line: Caller | undefined
  /** Milliseconds between the last progress of a call and its result. */
  readonly progressGap: number
  /** The streams of changes that the client has opened. */
  readonly listening: Set<Watcher>
  /** The session, which lasts longer than a call, in the legacy era. */
  readonly lasting: ClientSession | undefined
  /** Takes what the client has said. */
  update(change: Partial<ConnectionRecord>): void
  /** The client is told when what it is asked to do at a URL is complete. */
  willComplete(elicitationId: string): void
  /** Listens for the client to what it reads at a URI, until `unwatch`. */
  watch(call: LiveCall, uri: string, found: Readable): void
  unwatch(uri: string): void
  originOf(call: Call): Origin
}

/** @internal */
export class LiveCall implements McpContext {
  readonly connection: CallConnection
  readonly codec: RevisionCodec
  readonly call: Call
  readonly client: Client
  /** The least important messages that are wanted for this call; `undefined` where none are. */
  readonly logLevel: LogLevel.LogLevel | undefined
  /** The offer for this call; set before the call is routed to a method that looks there. */
  offer: Offer
  /** Where questions travel inside results: set when the handler is run. */
  asking: ClientRequests.ClientRequests | undefined = undefined
  #origin: Origin | undefined = undefined
  #progress = Number.NEGATIVE_INFINITY
  /** When progress was last sent, where the client asked for it. */
  #reported: number | undefined = undefined

  constructor(
    connection: CallConnection,
    codec: RevisionCodec,
    call: Call,
    client: Client,
    logLevel: LogLevel.LogLevel | undefined
  ) {
    this.connection = connection
    this.codec = codec
    this.call = call
    this.client = client
    this.logLevel = logLevel
    this.offer = connection.server.offer
  }

  /** The params of the request, by name. */
  get params(): Schema.JsonObject {
    const { params } = this.call
    // An array has no names.
    return params === undefined || Array.isArray(params) ? none : params as Schema.JsonObject
  }

  get server() {
    return this.connection.server.changes
  }

  get revision() {
    return this.codec.revision
  }

  get id() {
    return this.call.id
  }

  get method() {
    return this.call.method
  }

  get meta(): Schema.JsonObject {
    return metaOf(this.call.params) ?? none
  }

  get principal() {
    return this.#whence().principal
  }

  get party(): McpContext["party"] {
    const { party, principal } = this.#whence()
    return principal === undefined ? party ?? this.connection.lasting : Shares.ofPrincipal(principal)
  }

  get scopes() {
    return this.#whence().scopes
  }

  get header() {
    return this.#whence().header ?? noHeader
  }

  get task() {
    return undefined
  }

  get detach(): Effect.Effect<void> {
    return Effect.suspend(() => this.#asking().detach)
  }

  get session(): ClientSession | undefined {
    return this.codec.era === "legacy" ? this.connection.lasting : undefined
  }

  get closeStream(): Effect.Effect<void> {
    return this.#whence().closeStream ?? Effect.void
  }

  #whence(): Origin {
    return this.#origin ??= this.connection.originOf(this.call)
  }

  get progress(): McpContext["progress"] {
    return ({ message, progress, total }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        // Section "Progress": the value must grow with each notification. Only what is finite is a number of JSON.
        if (!(progress > this.#progress) || !Number.isFinite(progress)) return Effect.void
        this.#progress = progress
        if (Object.hasOwn(this.meta, "progressToken")) this.#reported = now
        return Effect.ignore(this.call.progress({
          progress,
          ...(total !== undefined && Number.isFinite(total) ? { total } : undefined),
          ...(message === undefined || !this.codec.features.progressMessages ? undefined : { message })
        }))
      })
  }

  /**
   * Waits until the client has probably read the last progress. The official clients forget a call as soon as they read its
   * result, and handle progress a turn after they have read it: of both in one piece, they lose the progress.
   */
  get behindProgress(): Effect.Effect<void> | undefined {
    const { progressGap } = this.connection
    if (progressGap === 0 || this.#reported === undefined) return undefined
    const due = this.#reported + progressGap
    return Effect.flatMap(Clock.currentTimeMillis, (now) => due > now ? Effect.sleep(due - now) : Effect.void)
  }

  get log(): McpContext["log"] {
    return (level, data, logger) => {
      const { logLevel } = this
      return logLevel === undefined || !LogLevel.isAtLeast(level, logLevel)
        ? Effect.void
        : Effect.ignore(this.call.peer.notify("notifications/message", logOf(level, data, logger)))
    }
  }

  get notify(): McpContext["notify"] {
    return (method, params) => Effect.ignore(this.call.peer.notify(method, params))
  }

  get elicit(): McpContext["elicit"] {
    return (key, form, options) => Effect.suspend(() => this.#asking().elicit(key, form, options))
  }

  get elicitUrl(): McpContext["elicitUrl"] {
    return (key, url) =>
      Effect.suspend(() => {
        this.#willComplete(url.elicitationId)
        return this.#asking().elicitUrl(key, url)
      })
  }

  #willComplete(elicitationId: string | undefined) {
    if (this.codec.features.elicitationId && elicitationId !== undefined) this.connection.willComplete(elicitationId)
  }

  get ask(): McpContext["ask"] {
    return (key, question) =>
      Effect.suspend(() => {
        if (question.method === "elicitation/create" && "url" in question.params) {
          this.#willComplete(question.params.elicitationId)
        }
        return this.#asking().ask(key, question)
      })
  }

  get sample(): McpContext["sample"] {
    return (key, request, options) => Effect.suspend(() => this.#asking().sample(key, request, options))
  }

  get listRoots(): McpContext["listRoots"] {
    return (key) => Effect.suspend(() => this.#asking().listRoots(key))
  }

  get once(): McpContext["once"] {
    return (key, schema, effect) => Effect.suspend(() => this.#asking().once(key, schema, effect))
  }

  #asking(): ClientRequests.ClientRequests {
    if (this.asking !== undefined) return this.asking
    const { capabilities } = this.client
    return this.asking = this.codec.features.clientRequests === "requests" && asking.has(this.method)
      ? ClientRequests.direct({
        codec: this.codec,
        capabilities,
        caller: Operation.caller(this.connection, this.call.peer),
        timeout: this.connection.server.askTimeout
      })
      : ClientRequests.impossible(this.method)
  }
}

/** The params of a log message. @internal */
export const logOf = (level: LogLevel.LogLevel, data: Schema.Json, logger: string | undefined): Schema.JsonObject =>
  logger === undefined ? { level, data } : { level, logger, data }

const none: Schema.JsonObject = {}

const noHeader = () => undefined

/** The methods whose handlers may ask the client. @internal */
export const asking: ReadonlySet<string> = new Set(["tools/call", "resources/read", "prompts/get"])
