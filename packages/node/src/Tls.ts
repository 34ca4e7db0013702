/**
 * What encrypts a connection, for every transport of this package that can be.
 *
 * The names are those of Effect's `Socket.TlsUpgradeOptions`. Keys and phrases
 * are `Redacted`, so that no log shows them.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"

/**
 * Certificates, and whom to trust. `{}` is a client that trusts whom Node.js trusts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tls {
  /** Our private key, as PEM. A server needs one; a client does where the server asks for its certificate. */
  readonly key?:
    | Redacted.Redacted<string | Uint8Array>
    | ReadonlyArray<Redacted.Redacted<string | Uint8Array>>
    | undefined
  /** Our certificate, as PEM, followed by those of its authorities but for the root. */
  readonly cert?: string | Uint8Array | ReadonlyArray<string | Uint8Array> | undefined
  /** The authorities to trust, as PEM, in place of those that Node.js knows. */
  readonly ca?: string | Uint8Array | ReadonlyArray<string | Uint8Array> | undefined
  /** Opens the private key. */
  readonly passphrase?: Redacted.Redacted<string> | undefined
  /** Protocols to agree on by ALPN, the preferred one first. */
  readonly alpnProtocols?: ReadonlyArray<string> | undefined
  /** A server asks its clients for a certificate. */
  readonly requestCert?: boolean | undefined
  /** Whether a certificate must be trusted. The default is true; a server looks at those that it has asked for. */
  readonly rejectUnauthorized?: boolean | undefined
  /** The name that a client asks for and that the certificate must have. The default is the host. */
  readonly servername?: string | undefined
}
