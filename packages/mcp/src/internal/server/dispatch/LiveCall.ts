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
import type { ClientSession, McpContext } from "../../../McpContext.ts"
import * as LogLevel from "../../../payload/LogLevel.ts"
import * as ClientRequests from "../../../server/ClientRequests.ts"
import type { ExtensionCall } from "../../../server/ToolExtension.ts"
import * as Shares from "../../../shared/Shares.ts"
import { metaOf } from "../../../wire/Envelope.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import * as Operation from "../../telemetry/operation.ts"
import type { Offer } from "../definition/Offer.ts"
import type { CallConnection, Exchange } from "./Exchange.ts"

/** What the methods of a server answer. @internal */
export type Answer = Effect.Effect<Schema.Json, ErrorResponse>

/** @internal */
export class LiveCall implements ExtensionCall {
  readonly exchange: Exchange
  readonly connection: CallConnection
  readonly codec: RevisionCodec
  readonly call: Call
  /** The offer for this call; set before the call is routed to a method that looks there. */
  offer: Offer
  /** Where questions travel inside results: set when the handler is run. */
  asking: ClientRequests.ClientRequests | undefined = undefined
  #progress = Number.NEGATIVE_INFINITY
  /** When progress was last sent, where the client asked for it. */
  #reported: number | undefined = undefined

  /** The codec is that of the exchange, which has one. */
  constructor(exchange: Exchange, codec: RevisionCodec, call: Call) {
    this.exchange = exchange
    this.connection = exchange.connection
    this.codec = codec
    this.call = call
    this.offer = exchange.connection.server.offer
  }

  get client() {
    return this.exchange.client
  }

  get logLevel() {
    return this.exchange.logLevel
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

  get peer(): Caller {
    return this.call.peer
  }

  get line(): ExtensionCall["line"] {
    // What goes on for long keeps the connection, and not the call.
    const { connection } = this
    return () => connection.line
  }

  get protocolVersion() {
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

  get auth() {
    return this.exchange.auth
  }

  get principal() {
    return this.auth.principal
  }

  get party(): McpContext["party"] {
    const { exchange: { caller: { party } }, principal } = this
    return principal === undefined ? party ?? this.connection.lasting : Shares.ofPrincipal(principal)
  }

  get header(): McpContext["header"] {
    const { handshake, header } = this.exchange.caller
    return header ?? (handshake === undefined ? noHeader : (name) => handshake.head.header(name))
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
    return this.exchange.caller.closeStream ?? Effect.void
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
    return (key, question, options) =>
      Effect.suspend(() => {
        if (question.method === "elicitation/create" && "url" in question.params) {
          this.#willComplete(question.params.elicitationId)
        }
        return this.#asking().ask(key, question, options)
      })
  }

  get sample(): McpContext["sample"] {
    return (key, request, options) => Effect.suspend(() => this.#asking().sample(key, request, options))
  }

  get listRoots(): McpContext["listRoots"] {
    return (key) => Effect.suspend(() => this.#asking().listRoots(key))
  }

  get memo(): McpContext["memo"] {
    return (key, schema, effect) => Effect.suspend(() => this.#asking().memo(key, schema, effect))
  }

  #asking(): ClientRequests.ClientRequests {
    if (this.asking !== undefined) return this.asking
    const { capabilities } = this.client
    return this.asking = this.codec.features.clientRequests === "requests" && asking.has(this.method)
      ? ClientRequests.direct({
        codec: this.codec,
        capabilities,
        caller: Operation.caller(this.exchange, this.call.peer),
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
