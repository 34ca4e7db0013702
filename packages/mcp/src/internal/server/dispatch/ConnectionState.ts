/**
 * One connection: what its client has said, and the way from a message to what
 * serves it.
 */
import type { Caller } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call } from "@parley/peer/Handler"
import { ErrorCode } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { Client, Origin } from "../../../McpContext.ts"
import type { ConnectionRecord, ConnectOptions } from "../../../server/Connection.ts"
import { type Change, type Listed, lists as allLists } from "../../../server/ServerChanges.ts"
import * as Uri from "../../../shared/Uri.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { Network } from "../../../wire/Network.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import { dropped } from "../../extension/Declared.ts"
import { beginSession } from "../../telemetry/Durations.ts"
import { ClientChanges } from "../changes/ClientChanges.ts"
import { listDigests } from "../changes/listDigests.ts"
import { isDeclared, listen, spelled, spellingsOf, subscribe, unsubscribe, watching } from "../changes/subscriptions.ts"
import { notificationOf, type Watcher } from "../changes/Watcher.ts"
import * as Sought from "../composition/Sought.ts"
import type { Readable } from "../definition/Offer.ts"
import { kindsOf, type ServerState } from "../definition/ServerState.ts"
import { done, isSuccess } from "../feature/handler.ts"
import { listPrompts, listResources, listTemplates, listTools } from "../lists/visibility.ts"
import { cancelTask, getTask, listTasks, taskResult, updateTask } from "../tasks/taskMethods.ts"
import * as handshake from "./handshake.ts"
import { callExtension, callTool, complete, getPrompt, hearExtension, readResource } from "./invocation.ts"
import { type Answer, LiveCall } from "./LiveCall.ts"
import { type Host, LiveSession } from "./LiveSession.ts"

/** @internal */
export class ConnectionState implements Host {
  readonly server: ServerState
  readonly #options: ConnectOptions
  readonly #era: Revision.Era | undefined
  /** What was agreed on, or the revision of a stateless connection. */
  codec: RevisionCodec.RevisionCodec | undefined
  #record: ConnectionRecord
  client: Client = anybody
  #session: LiveSession | undefined = undefined
  /** The fibers that watch URIs for the client, where the feature there tells of its changes itself. */
  readonly #watching = new Map<string, Fiber.Fiber<void>>()
  /** The streams of changes that the client has opened. */
  readonly listening = new Set<Watcher>()
  #changes: ClientChanges | undefined = undefined
  /** The ids of URLs that the client was asked to open, and that are not complete. */
  readonly #opened = new Set<string>()
  readonly #onEnd: (() => void) | undefined
  #isClosed = false

  constructor(server: ServerState, options: ConnectOptions) {
    this.server = server
    this.#options = options
    this.#era = server.era ?? options.era
    this.#record = options.record ?? fresh
    // One without a way to its client lasts as long as a request.
    this.#onEnd = options.peer === undefined ? undefined : beginSession("server", this, server.context)
    this.#restore()
    if (this.#record.ready) this.#watch()
    if (options.record !== undefined) this.#adopted(options.record)
  }

  get record(): ConnectionRecord {
    return this.#record
  }

  get network(): Network {
    return this.#options.network ?? unknown
  }

  get isTimed(): boolean {
    return this.server.isTimed
  }

  session() {
    return this.#options.session
  }

  get lasting(): LiveSession | undefined {
    // One without a way to its client lasts as long as a request.
    return this.#options.peer === undefined ? undefined : this.#session ??= new LiveSession(this)
  }

  revision() {
    return this.codec?.revision
  }

  get progressGap(): number {
    return this.#options.progressGap ?? 0
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Takes what the client has said. */
  update(change: Partial<ConnectionRecord>) {
    this.#record = { ...this.#record, ...change }
    this.#restore()
    if (change.ready === true) this.#watch()
    this.#options.onRecord?.(this.#record)
  }

  willComplete(elicitationId: string) {
    this.#opened.add(elicitationId)
    for (const oldest of this.#opened) {
      if (this.#opened.size <= mostOpened) break
      this.#opened.delete(oldest)
    }
  }

  originOf(call: Call): Origin {
    const { origin } = this.#options
    return (typeof origin === "function" ? origin(call) : origin) ?? nowhere
  }

  #restore() {
    const revision = this.#record.revision ?? this.#options.stateless
    this.codec = revision === undefined ? undefined : RevisionCodec.of(revision)
    const { clientCapabilities, clientInfo } = this.#record
    if (clientCapabilities !== this.client.capabilities || clientInfo !== this.client.info) {
      this.client = { info: clientInfo, capabilities: clientCapabilities ?? {} }
    }
  }

  /** Serves a message. */
  handle(call: Call): Effect.Effect<Schema.Json | void, ErrorResponse.ErrorResponse> {
    if (call.id === undefined) return this.#hear(call)
    const envelope = this.#envelopeOf(call)
    return envelope === undefined ? this.#legacy(call) : this.#modern(call, envelope)
  }

  #envelopeOf({ params }: Call): Envelope.Envelope | Envelope.Refused | undefined {
    if (this.#era === "legacy") return undefined
    return this.#era === "modern" ? Envelope.requireEnvelope(params) : Envelope.readEnvelope(params)
  }

  #modern(call: Call, envelope: Envelope.Envelope | Envelope.Refused) {
    const supported = this.server.revisions
    switch (envelope._tag) {
      case "Envelope": {
        const { clientCapabilities, clientInfo, logLevel, revision } = envelope
        if (!supported.includes(revision)) return unsupported(revision, supported)
        const codec = RevisionCodec.of(revision)
        return this.#route(codec, call, { info: clientInfo, capabilities: clientCapabilities }, logLevel)
      }
      case "MissingKeys":
        // The answer to `initialize` names the revisions that this server speaks.
        return call.method === "initialize" ? unsupported(handshake.requested(call), supported) : missing(envelope.keys)
      case "Malformed":
        return Exit.fail(McpError.invalidParams(envelope.issue))
      case "UnsupportedRevision":
        return unsupported(envelope.requested, supported)
    }
  }

  #legacy(call: Call): Effect.Effect<Schema.Json, ErrorResponse.ErrorResponse> {
    const { codec } = this
    if (call.method === "initialize") return handshake.initialize(this, call)
    return codec === undefined
      ? beforeHandshake(call, this.server.extensions.at("legacy", call.method) !== undefined)
      : this.#route(codec, call, this.client, this.#record.logLevel ?? "debug")
  }

  #route(codec: RevisionCodec.RevisionCodec, call: Call, client: Client, logLevel: LiveCall["logLevel"]) {
    const { server } = this
    const { method } = call
    const route = codec.serverServes(method) && offers(server, method) ? routes.get(method) : undefined
    if (route !== undefined) {
      const live = new LiveCall(this, codec, call, client, logLevel)
      return server.mounts.isEmpty || Sought.isNothing(method) ? route(live) : whole(live, route)
    }
    const extended = server.extensions.at(codec.era, method)
    return extended === undefined
      ? Exit.fail(ErrorResponse.methodNotFound(method))
      : callExtension(new LiveCall(this, codec, call, client, logLevel), extended)
  }

  watch(call: LiveCall, uri: string, found: Readable) {
    const watcher = this.#changes?.watcher
    const watch = watcher === undefined ? undefined : watching(call, uri, found, watcher)
    const name = Uri.normalised(uri)
    const known = this.#watching.get(name)
    // One that has ended may be begun again.
    if (watch === undefined || this.#isClosed || (known !== undefined && known.pollUnsafe() === undefined)) return
    this.#watching.set(name, this.server.fork(watch))
  }

  unwatch(uri: string) {
    const name = Uri.normalised(uri)
    this.#watching.get(name)?.interruptUnsafe()
    this.#watching.delete(name)
  }

  /** Notifications. Those that cancel, and progress of what we ask, have been taken before. */
  #hear(call: Call): Effect.Effect<void> {
    const { method } = call
    if (method === "notifications/initialized") {
      if (this.codec !== undefined && !this.#record.ready) this.update({ ready: true })
      return Effect.void
    }
    if (method === "notifications/roots/list_changed") {
      this.#session?.rootsChanged()
      return Effect.void
    }
    // Only extensions hear others.
    const envelope = this.#envelopeOf(call)
    if (envelope === undefined) {
      const { codec } = this
      return codec === undefined
        ? dropped(method, "there was no handshake")
        : this.#tellExtension(codec, call, this.client, this.#record.logLevel ?? "debug")
    }
    if (envelope._tag !== "Envelope") return dropped(method, Cause.fail(envelope))
    const { clientCapabilities, clientInfo, logLevel, revision } = envelope
    if (!this.server.revisions.includes(revision)) return dropped(method, `${revision} is not spoken`)
    const client = { info: clientInfo, capabilities: clientCapabilities }
    return this.#tellExtension(RevisionCodec.of(revision), call, client, logLevel)
  }

  #tellExtension(codec: RevisionCodec.RevisionCodec, call: Call, client: Client, logLevel: LiveCall["logLevel"]) {
    const notice = this.server.extensions.hearing(codec.era, call.method)
    return notice === undefined
      ? dropped(call.method, "nobody hears it")
      : hearExtension(new LiveCall(this, codec, call, client, logLevel), notice)
  }

  /** Tells a client that is ready of changes, by itself. */
  #watch() {
    if (this.#changes !== undefined || this.#isClosed || this.#options.peer === undefined) return
    if (this.codec?.features.subscriptions !== "session") return
    this.#changes = new ClientChanges({
      wants: (change) => this.#wants(change),
      isRead: () => this.#options.isRead?.() !== false,
      notify: (change) => this.#notify(change),
      fork: this.server.fork
    })
    this.server.watchers.add(this.#changes.watcher)
  }

  /** The client reads again, and hears what it has missed. */
  resume() {
    this.#changes?.tell()
  }

  /** Another process had the session, and its lists may have been others. What has changed since its client read is unknown. */
  #adopted({ lists, subscriptions }: ConnectionRecord) {
    const watcher = this.#changes?.watcher
    // It is unknown what a client has been told on another node.
    if (lists === undefined || watcher === undefined) return
    const own = listDigests(this.server.offer)
    for (const list of allLists) if (lists[list] !== own[list]) watcher.mark({ list })
    for (const uri of subscriptions) watcher.mark({ uri })
  }

  #wants(change: Change): boolean {
    if ("list" in change) return true
    if ("uri" in change) return spellingsOf(this.#record.subscriptions).has(Uri.normalised(change.uri))
    if ("elicitationId" in change) return this.#opened.has(change.elicitationId)
    // A session cannot name what it wants to hear of. What has a key is not for everybody.
    return change.key === undefined && isDeclared(this.server, "legacy", change, this.client.capabilities)
  }

  #hasToldOf(list: Listed) {
    const { [list]: digest } = listDigests(this.server.offer)
    const { lists } = this.#record
    if (lists !== undefined && lists[list] !== digest) this.update({ lists: { ...lists, [list]: digest } })
  }

  #notify(change: Change): Effect.Effect<void> {
    const peer = this.peer()
    if (peer === undefined) return Effect.void
    if ("elicitationId" in change) this.#opened.delete(change.elicitationId)
    if ("list" in change) this.#hasToldOf(change.list)
    const tell = (change: Change) => {
      const [method, params] = notificationOf(change)
      return "list" in change ? peer.notify(method) : peer.notify(method, params)
    }
    // A failure here means that the client has gone.
    return Effect.ignore(
      Effect.forEach(spelled(change, spellingsOf(this.#record.subscriptions)), tell, { discard: true })
    )
  }

  get line(): Caller | undefined {
    return this.#options.isRead?.() === false || this.#isClosed ? undefined : this.peer()
  }

  peer(): Caller | undefined {
    const { peer } = this.#options
    return typeof peer === "function" ? peer() : peer
  }

  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onEnd?.()
    for (const watcher of [...this.listening]) watcher.close()
    for (const uri of [...this.#watching.keys()]) this.unwatch(uri)
    this.#session?.end()
    if (this.#changes === undefined) return
    this.server.watchers.delete(this.#changes.watcher)
    this.#changes.close()
  }
}

/** How many URLs a client may have been asked to open that are not complete. The oldest go first. */
const mostOpened = 1_024

const fresh: ConnectionRecord = { ready: false, subscriptions: [] }

const anybody: Client = { info: undefined, capabilities: {} }

const nowhere: Origin = {}

const unknown: Network = {}

const unsupported = (requested: string, supported: ReadonlyArray<Revision.Revision>) =>
  Exit.fail(McpError.unsupportedRevision(requested, Revision.ofEra("modern", supported)))

const missing = (keys: ReadonlyArray<string>) => Exit.fail(McpError.missingMeta(keys))

const newest = RevisionCodec.of(Revision.latest)
const newestLegacy = RevisionCodec.of(Revision.latestLegacy)

/** What is asked before the two sides have agreed on a revision. */
const beforeHandshake = (call: Call, isExtended: boolean): Exit.Exit<Schema.Json, ErrorResponse.ErrorResponse> => {
  const { method, params } = call
  if (method === "ping") return done
  if (newestLegacy.serverServes(method) || isExtended) return notInitialized
  if (!newest.serverServes(method)) return Exit.fail(ErrorResponse.methodNotFound(method))
  const refused = Envelope.requireEnvelope(params)
  return refused._tag === "MissingKeys" ? missing(refused.keys) : notInitialized
}

const notInitialized = Exit.fail(
  ErrorResponse.make(ErrorCode.InvalidRequest, "Not initialized: send `initialize` first")
)

/** @internal */
export type Route = (call: LiveCall) => Answer

/** By method. The codec of a revision says which methods it has. @internal */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["tools/call", callTool],
  ["tools/list", listTools],
  ["resources/read", readResource],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/get", getPrompt],
  ["prompts/list", listPrompts],
  ["completion/complete", complete],
  ["tasks/get", getTask],
  ["tasks/result", taskResult],
  ["tasks/update", updateTask],
  ["tasks/cancel", cancelTask],
  ["tasks/list", listTasks],
  ["subscriptions/listen", listen],
  ["server/discover", handshake.discover],
  ["logging/setLevel", handshake.setLevel],
  ["ping", handshake.ping]
])

/** Serves a call with what is offered for it by the server and by those that are mounted. */
const whole = (call: LiveCall, route: Route): Answer => {
  const { mounts, offer } = call.connection.server
  const found = mounts.offerFor(call, offer, Sought.of(call.method, call.params))
  if (!isSuccess(found)) {
    return Effect.flatMap(found, (offer) => {
      call.offer = offer
      return route(call)
    })
  }
  call.offer = found.value
  return route(call)
}

/** Whether the server has declared what a method belongs to. @internal */
export const offers = (server: ServerState, method: string): boolean => {
  const capabilities = kindsOf(server)
  if (method.startsWith("tools/")) return capabilities.tools !== undefined
  if (method.startsWith("resources/")) return capabilities.resources !== undefined
  if (method.startsWith("prompts/")) return capabilities.prompts !== undefined
  if (method.startsWith("tasks/")) return capabilities.tasks !== undefined
  return method !== "completion/complete" || capabilities.completions !== undefined
}
