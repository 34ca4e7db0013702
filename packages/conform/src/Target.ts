/**
 * An endpoint under test, as ports: a platform opens them, and the suites of `Conform` use them.
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { Transport, TransportError } from "@parley/transport/Transport"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * A connection as bytes, below its framing.
 *
 * @category models
 * @since 0.1.0
 */
export interface ByteLine {
  /** Writes bytes as they are, in one go. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, TransportError>
  /** Waits for the next bytes. Every end is a failure. */
  readonly read: Effect.Effect<Uint8Array, TransportError>
  /** Ends our direction: the other side reads the end of input. */
  readonly end: Effect.Effect<void>
}

/**
 * An endpoint to which texts go both ways.
 *
 * @category models
 * @since 0.1.0
 */
export interface Duplex {
  readonly _tag: "Duplex"
  /** As it may be shown, without secrets. */
  readonly name: string
  /** Opens a connection. It ends with the Scope. */
  readonly connect: Effect.Effect<Transport, TransportError, Scope.Scope>
  /** Opens a connection as bytes, and says how they are framed. Absent where the wire carries whole messages. */
  readonly bytes?: {
    readonly open: Effect.Effect<ByteLine, TransportError, Scope.Scope>
    readonly framing: "line" | "contentLength" | "concatenated"
  } | undefined
  /** Whether a connection is a process of its own: then nothing that one connection does is seen by another. */
  readonly isProcess: boolean
}

/**
 * An endpoint to which requests are posted.
 *
 * @category models
 * @since 0.1.0
 */
export interface Http {
  readonly _tag: "Http"
  /** As it may be shown, without secrets. */
  readonly name: string
  readonly url: string
  /** Headers of every request, with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetcher: HttpFetcher.HttpFetcher
}

/**
 * An endpoint under test.
 *
 * @category models
 * @since 0.1.0
 */
export type Target = Duplex | Http
