/**
 * A connection or a session: what its client has said, and what lasts longer than a call.
 */
import type { Caller } from "@parley/peer/Caller"
import type { Call } from "@parley/peer/Handler"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { CallerInfo, Client } from "../../../McpContext.ts"
import type { ConnectionRecord, ConnectOptions } from "../../../server/Connection.ts"
import { type Change, type Listed, lists as allLists } from "../../../server/ServerChanges.ts"
import * as Uri from "../../../shared/Uri.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import type { Network } from "../../../wire/Network.ts"
import type * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import { beginSession } from "../../telemetry/Durations.ts"
import { ClientChanges } from "../changes/ClientChanges.ts"
import { listDigests } from "../changes/listDigests.ts"
import { isDeclared, spelled, spellingsOf } from "../changes/subscriptions.ts"
import { notificationOf, type Watcher } from "../changes/Watcher.ts"
import type { ServerState } from "../definition/ServerState.ts"
import { anybody, Exchange, fresh } from "./Exchange.ts"
import { type Host, LiveSession } from "./LiveSession.ts"

/** @internal */
export class ConnectionState implements Host {
  readonly server: ServerState
  readonly #options: ConnectOptions
  readonly #era: Revision.Era | undefined
  codec: RevisionCodec.RevisionCodec | undefined
  #record: ConnectionRecord
  client: Client = anybody
  #session: LiveSession | undefined = undefined
  /** The fibers that watch URIs for the client, where the feature there tells of its changes itself. */
  #watching: Map<string, Fiber.Fiber<void>> | undefined = undefined
  #listening: Set<Watcher> | undefined = undefined
  #changes: ClientChanges | undefined = undefined
  /** The ids of URLs that the client was asked to open, and that are not complete. */
  #opened: Set<string> | undefined = undefined
  readonly #onEnd: (() => void) | undefined
  #isClosed = false

  constructor(server: ServerState, options: ConnectOptions) {
    this.server = server
    this.#options = options
    this.#era = server.era ?? options.era
    this.#record = options.record ?? fresh
    this.#onEnd = this.isLasting ? beginSession("server", this, server.context) : undefined
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

  /** One without a way to its client lasts as long as a request. */
  get isLasting(): boolean {
    return this.#options.peer !== undefined
  }

  get lasting(): LiveSession | undefined {
    return this.isLasting ? this.#session ??= new LiveSession(this) : undefined
  }

  get listening(): Set<Watcher> {
    return this.#listening ??= new Set()
  }

  get fork(): ServerState["fork"] {
    return this.server.fork
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
    const opened = this.#opened ??= new Set()
    opened.add(elicitationId)
    for (const oldest of opened) {
      if (opened.size <= mostOpened) break
      opened.delete(oldest)
    }
  }

  callerOf(call: Call): CallerInfo {
    const options = this.#options
    return (typeof options.caller === "function" ? options.caller(call) : options.caller) ?? nowhere
  }

  #restore() {
    const { clientCapabilities, clientInfo, revision } = this.#record
    this.codec = revision === undefined ? undefined : RevisionCodec.of(revision)
    if (clientCapabilities !== this.client.capabilities || clientInfo !== this.client.info) {
      this.client = { info: clientInfo, capabilities: clientCapabilities ?? {} }
    }
  }

  exchange(call: Call): Exchange {
    return new Exchange(this, this.#envelopeOf(call), call)
  }

  #envelopeOf({ params }: Call): Envelope.Envelope | Envelope.Refused | undefined {
    if (this.#era === "legacy") return undefined
    const envelope = Envelope.readEnvelope(params)
    return this.#era === "modern" ? envelope ?? Envelope.absent : envelope
  }

  watch(uri: string, watching: (watcher: Watcher) => Effect.Effect<void> | undefined) {
    const watcher = this.#changes?.watcher
    const watch = watcher && watching(watcher)
    // A client that subscribes again may know that the first watch tells nothing any more.
    this.unwatch(uri)
    if (watch !== undefined && !this.#isClosed) {
      this.#watching = (this.#watching ?? new Map()).set(Uri.normalised(uri), this.server.fork(watch))
    }
  }

  unwatch(uri: string) {
    const name = Uri.normalised(uri)
    this.#watching?.get(name)?.interruptUnsafe()
    this.#watching?.delete(name)
  }

  rootsChanged() {
    this.#session?.rootsChanged()
  }

  /** Tells a client that is ready of changes, by itself. */
  #watch() {
    if (this.#changes !== undefined || this.#isClosed || !this.isLasting) return
    if (this.codec?.features.subscriptions !== "session") return
    this.#changes = new ClientChanges(this)
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

  /** Whether the client wants to hear of a change. */
  wants(change: Change): boolean {
    if ("list" in change) return true
    if ("uri" in change) return spellingsOf(this.#record.subscriptions).has(Uri.normalised(change.uri))
    if ("elicitationId" in change) return this.#opened?.has(change.elicitationId) === true
    // A session cannot name what it wants to hear of. What has a key is not for everybody.
    return change.key === undefined && isDeclared(this.server, "legacy", change, this.client.capabilities)
  }

  #hasToldOf(list: Listed) {
    const { [list]: digest } = listDigests(this.server.offer)
    const { lists } = this.#record
    if (lists !== undefined && lists[list] !== digest) this.update({ lists: { ...lists, [list]: digest } })
  }

  isRead(): boolean {
    return this.#options.isRead?.() !== false
  }

  notify(change: Change): Effect.Effect<void> {
    const peer = this.peer()
    if (peer === undefined) return Effect.void
    if ("elicitationId" in change) this.#opened?.delete(change.elicitationId)
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
    return this.#isClosed || !this.isRead() ? undefined : this.peer()
  }

  peer(): Caller | undefined {
    const options = this.#options
    return typeof options.peer === "function" ? options.peer() : options.peer
  }

  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onEnd?.()
    for (const watcher of [...this.#listening ?? []]) watcher.close()
    for (const uri of [...this.#watching?.keys() ?? []]) this.unwatch(uri)
    this.#session?.end()
    if (this.#changes === undefined) return
    this.server.watchers.delete(this.#changes.watcher)
    this.#changes.close()
  }
}

/** How many URLs a client may have been asked to open that are not complete. The oldest go first. */
const mostOpened = 1_024

const nowhere: CallerInfo = {}

const unknown: Network = {}
