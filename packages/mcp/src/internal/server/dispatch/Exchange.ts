/**
 * What a message is: found once, where it arrives, and handed on as one value to all that serves it.
 */
import type { Caller } from "@parley/peer/Caller"
import type { Call } from "@parley/peer/Handler"
import type * as Effect from "effect/Effect"
import type { CallerInfo, Client, ClientSession } from "../../../McpContext.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { ConnectionRecord } from "../../../server/Connection.ts"
import type * as Envelope from "../../../wire/Envelope.ts"
import type { Network } from "../../../wire/Network.ts"
import type { Revision } from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import type { Place } from "../../telemetry/attributes.ts"
import type { Watcher } from "../changes/Watcher.ts"
import type { ServerState } from "../definition/ServerState.ts"
import { Auth } from "./Auth.ts"

/** The connection that a message came by, as far as those look at it that serve it. @internal */
export interface CallConnection {
  readonly server: ServerState
  readonly network: Network
  readonly record: ConnectionRecord
  /** The codec of the revision that was agreed on, or of a connection without a handshake. */
  readonly codec: RevisionCodec.RevisionCodec | undefined
  readonly client: Client
  readonly isClosed: boolean
  /** The client, for what belongs to no request, where somebody reads what it is sent. */
  readonly line: Caller | undefined
  /** Milliseconds between the last progress of a call and its result. */
  readonly progressGap: number
  /** The streams of changes that the client has opened. */
  readonly listening: Set<Watcher>
  /** Whether it lasts longer than a call. */
  readonly isLasting: boolean
  /** The session, which lasts longer than a call, in the legacy era. */
  readonly lasting: ClientSession | undefined
  /** The id of the session, where it has one. */
  session(): string | undefined
  /** Takes what the client has said. */
  update(change: Partial<ConnectionRecord>): void
  rootsChanged(): void
  /** The client is told when what it is asked to do at a URL is complete. */
  willComplete(elicitationId: string): void
  /** Listens for the client to what it reads at a URI, until `unwatch`. Where nothing there tells of changes, there is no watch. */
  watch(uri: string, watch: (watcher: Watcher) => Effect.Effect<void> | undefined): void
  unwatch(uri: string): void
  callerOf(call: Call): CallerInfo
}

/** @internal */
export class Exchange implements Place {
  readonly connection: CallConnection
  /** What the message says of itself, in the modern era. */
  readonly envelope: Envelope.Envelope | Envelope.Refused | undefined
  /** The codec of its revision; `undefined` where that is not spoken, or not agreed on. */
  readonly codec: RevisionCodec.RevisionCodec | undefined
  readonly client: Client
  /** The least important messages that are wanted for it; `undefined` where none are. */
  readonly logLevel: LogLevel | undefined
  /** The caller, and what brought the message. */
  readonly caller: CallerInfo
  #auth: Auth | undefined = undefined

  constructor(connection: CallConnection, envelope: Envelope.Envelope | Envelope.Refused | undefined, call: Call) {
    this.connection = connection
    this.envelope = envelope
    this.caller = connection.callerOf(call)
    if (envelope === undefined) {
      this.codec = connection.codec
      this.client = connection.client
      this.logLevel = connection.record.logLevel ?? "debug"
    } else if (envelope._tag === "Envelope" && connection.server.protocolVersions.includes(envelope.protocolVersion)) {
      this.codec = RevisionCodec.of(envelope.protocolVersion)
      this.client = { info: envelope.clientInfo, capabilities: envelope.clientCapabilities }
      this.logLevel = envelope.logLevel
    } else {
      this.codec = undefined
      this.client = anybody
      this.logLevel = undefined
    }
  }

  get auth(): Auth {
    return this.#auth ??= new Auth(this.caller, this.connection.server)
  }

  get network(): Network {
    return this.connection.network
  }

  get isTimed(): boolean {
    return this.connection.server.isTimed
  }

  session() {
    return this.connection.session()
  }

  revision(): Revision | undefined {
    return (this.codec ?? this.connection.codec)?.revision
  }
}

/** A client that has said nothing of itself. @internal */
export const anybody: Client = { info: undefined, capabilities: {} }

/**
 * The connection of a message that stands alone, such as that of a POST: it keeps nothing, and ends with its answer.
 *
 * @internal
 */
export class LoneConnection implements CallConnection {
  readonly server: ServerState
  readonly network: Network
  readonly codec: RevisionCodec.RevisionCodec | undefined
  readonly #caller: CallerInfo
  #listening: Set<Watcher> | undefined = undefined
  isClosed = false

  constructor(
    server: ServerState,
    network: Network,
    codec: RevisionCodec.RevisionCodec | undefined,
    caller: CallerInfo
  ) {
    this.server = server
    this.network = network
    this.codec = codec
    this.#caller = caller
  }

  get record(): ConnectionRecord {
    return fresh
  }

  get client(): Client {
    return anybody
  }

  get listening(): Set<Watcher> {
    return this.#listening ??= new Set()
  }

  get line() {
    return undefined
  }

  get isLasting() {
    return false
  }

  get lasting() {
    return undefined
  }

  get progressGap() {
    return 0
  }

  session() {
    return undefined
  }

  callerOf(): CallerInfo {
    return this.#caller
  }

  update() {}

  rootsChanged() {}

  willComplete() {}

  watch() {}

  unwatch() {}

  close() {
    this.isClosed = true
    for (const watcher of [...this.#listening ?? []]) watcher.close()
  }
}

/** The record of a client that has said nothing yet. @internal */
export const fresh: ConnectionRecord = { ready: false, subscriptions: [] }
