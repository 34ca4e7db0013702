/**
 * A legacy connection as the handlers of its calls see it: what lasts longer than a call.
 */
import { type Caller, Disconnected } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ClientAnswer, ClientQuestion, ClientSession } from "../../../McpContext.ts"
import * as LogLevel from "../../../payload/LogLevel.ts"
import type { ClientRequestError } from "../../../server/ClientRequestError.ts"
import * as ClientRequests from "../../../server/ClientRequests.ts"
import type { Place } from "../../telemetry/attributes.ts"
import * as Operation from "../../telemetry/operation.ts"
import type { CallConnection } from "./Exchange.ts"
import { logOf } from "./LiveCall.ts"

/** The parts of its connection that it needs. @internal */
export interface Host extends Omit<CallConnection, "session">, Place {
  /** The way to the client for what belongs to no request; `undefined` where there is none now. */
  peer(): Caller | undefined
}

/** @internal */
export class LiveSession implements ClientSession {
  readonly #host: Host
  readonly #ends = new Set<() => void>()
  readonly #hearers = new Set<() => void>()

  constructor(host: Host) {
    this.#host = host
  }

  get client() {
    return this.#host.client
  }

  get logLevel() {
    return this.#host.record.logLevel
  }

  onEnd(run: () => void): () => void {
    if (this.#host.isClosed) {
      run()
      return () => {}
    }
    this.#ends.add(run)
    return () => void this.#ends.delete(run)
  }

  onRootsChanged(hear: () => void): () => void {
    this.#hearers.add(hear)
    return () => void this.#hearers.delete(hear)
  }

  ask<const Q extends ClientQuestion>(question: Q): Effect.Effect<ClientAnswer<Q>, ClientRequestError> {
    return Effect.suspend(() => {
      const { client: { capabilities }, codec, server } = this.#host
      const peer = this.#host.peer()
      if (peer === undefined || codec === undefined) return Effect.fail(gone)
      const caller = Operation.caller(this.#host, peer)
      return ClientRequests.direct({ codec, capabilities, caller, timeout: server.askTimeout }).ask("session", question)
    })
  }

  notifyLog(level: LogLevel.LogLevel, data: Schema.Json, logger?: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isWanted = LogLevel.isAtLeast(level, this.logLevel ?? "debug")
      const peer = isWanted ? this.#host.peer() : undefined
      return peer === undefined
        ? Effect.void
        : Effect.ignore(peer.notify("notifications/message", logOf(level, data, logger)))
    })
  }

  rootsChanged() {
    for (const hear of [...this.#hearers]) hear()
  }

  end() {
    for (const run of [...this.#ends]) run()
    this.#ends.clear()
    this.#hearers.clear()
  }
}

const gone = new Disconnected({ reason: { _tag: "Closed" }, sent: false })
