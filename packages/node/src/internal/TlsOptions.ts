/**
 * The TLS options of every transport in this package that can be encrypted.
 *
 * The names are those of Effect's `Socket.TlsUpgradeOptions`. Keys and phrases
 * are `Redacted`, so that no log shows them.
 *
 * ```ts
 * import { NodeTcp } from "@parley/node"
 * import { Redacted } from "effect"
 * import { readFileSync } from "node:fs"
 *
 * const tls: NodeTcp.Tls = {
 *   key: Redacted.make(readFileSync("server-key.pem", "utf8")),
 *   cert: readFileSync("server-cert.pem", "utf8")
 * }
 *
 * export const server = NodeTcp.layerServer({ port: 4000, tls })
 * export const client = NodeTcp.layerClient({ port: 4000, tls: { ca: readFileSync("ca.pem", "utf8") } })
 * ```
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"

/**
 * Keys, certificates and trusted authorities. `{}` is a client that trusts the authorities of Node.js.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tls {
  /** Our private key, as PEM. A server needs one, and so does a client whose certificate the server asks for. */
  readonly key?:
    | Redacted.Redacted<string | Uint8Array>
    | ReadonlyArray<Redacted.Redacted<string | Uint8Array>>
    | undefined
  /** Our certificate, as PEM, followed by those of its authorities without the root. */
  readonly cert?: string | Uint8Array | ReadonlyArray<string | Uint8Array> | undefined
  /** The authorities to trust, as PEM, instead of those of Node.js. */
  readonly ca?: string | Uint8Array | ReadonlyArray<string | Uint8Array> | undefined
  /** Decrypts the private key. */
  readonly passphrase?: Redacted.Redacted<string> | undefined
  /** Protocols to agree on by ALPN, the preferred one first. */
  readonly alpnProtocols?: ReadonlyArray<string> | undefined
  /** Whether a server asks its clients for a certificate. */
  readonly requestCert?: boolean | undefined
  /** Whether certificates must be trusted, true by default. A server checks those that it has asked for. */
  readonly rejectUnauthorized?: boolean | undefined
  /** The name that a client sends and that the certificate must have. The default is the host. */
  readonly servername?: string | undefined
}
