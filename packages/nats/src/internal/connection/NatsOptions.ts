/**
 * The options of a connection to NATS: its servers, and our credentials there.
 *
 * ```ts
 * import { NatsClient } from "@parley/nats"
 * import { Config, Effect, Layer } from "effect"
 *
 * const optionsOf = Effect.map(Config.Redacted("NATS_PASSWORD"), (password): NatsClient.NatsOptions => ({
 *   servers: ["nats://10.0.0.5:4222", "nats://10.0.0.6:4222"],
 *   credentials: { user: "shop", password },
 *   tls: {},
 *   timeout: "1 second"
 * }))
 *
 * export const client = Layer.unwrap(Effect.map(optionsOf, NatsClient.layer))
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * Our credentials: a token, a user with a password, the seed of an NKey, or the text of a `.creds` file.
 *
 * @category models
 * @since 0.1.0
 */
export type Credentials =
  | { readonly token: Redacted.Redacted }
  | { readonly user: string; readonly password: Redacted.Redacted }
  | { readonly nkey: Redacted.Redacted }
  | { readonly creds: Redacted.Redacted }

/**
 * How the connection is encrypted, as PEM. `{}` trusts the authorities of Node.js, and wants a server that encrypts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tls {
  /** The authorities to trust, instead of those of Node.js. */
  readonly ca?: string | undefined
  /** Our certificate, for a server that asks for one, and its private key. */
  readonly cert?: string | undefined
  /** The private key of `cert`. */
  readonly key?: Redacted.Redacted | undefined
  /** Whether TLS begins before the server says anything, as one with `handshake_first` wants it. */
  readonly handshakeFirst?: boolean | undefined
}

/**
 * The options of a connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsOptions {
  /** Where servers listen, as `host:port` or `nats://host:port`. `127.0.0.1:4222` by default. */
  readonly servers?: string | ReadonlyArray<string> | undefined
  /** Our credentials. None by default. */
  readonly credentials?: Credentials | undefined
  /** The encryption of the connection. Without it, the connection is encrypted where the server offers that. */
  readonly tls?: Tls | undefined
  /** How the connection is called in what the server shows. */
  readonly name?: string | undefined
  /**
   * How long a server may be silent, and how long an answer may take. 2 seconds by default, which is below the lease of
   * a node.
   */
  readonly timeout?: Duration.Input | undefined
  /** How many bytes may be under way to the server. 64 Mi by default: four of the largest texts of JSON-RPC. */
  readonly pending?: number | undefined
}

/**
 * A server of NATS.
 *
 * @category models
 * @since 0.1.0
 */
export interface Server {
  /** Its id, a new one at each start of the server. */
  readonly id: string
  readonly version: string
  /** The most bytes of one message, with its headers. */
  readonly maxPayload: number
  /** Whether it is one of several that stand in for each other. */
  readonly isCluster: boolean
}
