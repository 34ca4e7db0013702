/**
 * An endpoint under test, as ports: a platform opens them, and the suites of `Conform` use them.
 *
 * ```ts
 * import { Target } from "@parley/conform"
 * import { NodeTcp } from "@parley/node"
 *
 * const place = { host: "127.0.0.1", port: 4000 }
 *
 * export const target: Target.Target = {
 *   _tag: "Duplex",
 *   name: "tcp://127.0.0.1:4000",
 *   connect: NodeTcp.makeTransport(place),
 *   isProcess: false,
 *   stream: {
 *     framing: "line",
 *     connect: NodeTcp.makeTransport({ ...place, framing: Target.binary("line") })
 *   }
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { Framing, FramingName } from "@parley/protocol/Framing"
import type { Transport, TransportError } from "@parley/transport/Transport"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Binary from "./internal/probe/Binary.ts"

/**
 * A stream of bytes, and how messages are told apart in it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Stream {
  readonly framing: Exclude<FramingName, "none">
  /** Opens a connection whose texts have a character for each byte, as `binary` makes them. It ends with the Scope. */
  readonly connect: Effect.Effect<Transport, TransportError, Scope.Scope>
}

/**
 * A framing that tells nothing apart: each text has a character for each byte (U+0000 to U+00FF), as it came or as it goes
 * out. A transport takes it in the place of the framing of this name.
 *
 * @category framings
 * @since 0.1.0
 */
export const binary = (name: Stream["framing"]): Framing => ({
  name,
  splitter: () => ({
    push: (bytes) => [Binary.fromBytes(bytes)],
    end: () => [],
    partial: () => false
  }),
  join: (texts) => Binary.toBytes(texts.join(""))
})

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
  /** A stream below its framing. Absent where the wire carries whole messages. */
  readonly stream?: Stream | undefined
  /** Whether a connection is a process of its own: then nothing that one connection does is seen by another. */
  readonly isProcess: boolean
  /** A process that is not told to end otherwise than by the end of its input. Absent where a connection is none. */
  readonly ending?: Ending | undefined
}

/**
 * How a process is seen to end by itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ending {
  /** Starts a process. Its `close` ends its input, and waits so long before it does more. */
  readonly connect: Effect.Effect<Transport, TransportError, Scope.Scope>
  readonly grace: Duration.Duration
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
