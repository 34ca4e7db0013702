/**
 * The only caller of an upstream: whoever holds the other end of stdin, or is taken for one. All that the server behind asks
 * and says by itself is for the caller, so one connection serves everything, as it would without anything in between.
 *
 * The connection declares what the caller can be asked, so it is opened when that is known.
 */
import type { ClientSession } from "@parley/mcp/McpContext"
import type { ClientCapabilities } from "@parley/mcp/payload/Capabilities"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Milliseconds that a question outside of any call waits for the first call: a client may still shake hands. */
const patience = 10_000

/** @internal */
export class SoleCaller {
  /** Waits until it is known what the caller can be asked. */
  readonly capabilities: Effect.Effect<ClientCapabilities>
  readonly #onRootsChanged: () => void
  readonly #first = Deferred.makeUnsafe<ClientSession | undefined>()
  #session: ClientSession | undefined = undefined
  #forget: (() => void) | undefined = undefined

  constructor(capabilities: Effect.Effect<ClientCapabilities>, onRootsChanged: () => void) {
    this.capabilities = capabilities
    this.#onRootsChanged = onRootsChanged
  }

  /** The session of the caller, the newest if there were several; `undefined` while there is none. */
  get session(): ClientSession | undefined {
    return this.#session
  }

  /** The session, which the first call tells. Somebody who calls without one cannot be asked outside of a call. */
  readonly asked: Effect.Effect<ClientSession | undefined> = Effect.suspend(() =>
    this.#session === undefined
      ? Effect.map(Effect.timeoutOption(Deferred.await(this.#first), patience), Option.getOrUndefined)
      : Effect.succeed(this.#session)
  )

  /** Takes the session of a call. */
  met(session: ClientSession | undefined) {
    if (session !== undefined && session !== this.#session) {
      this.#forget?.()
      this.#session = session
      this.#forget = session.onRootsChanged(this.#onRootsChanged)
    }
    Deferred.doneUnsafe(this.#first, Effect.succeed(session))
  }
}
