/**
 * The identity of a client at an authorization server, and its proof.
 *
 * ```ts
 * import type { OAuthClient } from "@parley/mcp/auth/client/OAuthClient"
 * import { Config, Effect } from "effect"
 *
 * export const client = Effect.map(
 *   Config.Redacted("CLIENT_KEY"),
 *   (key): OAuthClient => ({
 *     clientId: "nightly",
 *     issuer: "https://login.example.org",
 *     credential: { _tag: "PrivateKey", key, algorithm: "ES256" }
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"

/**
 * The means by which a client proves itself at the token endpoint.
 *
 * - `None`: no proof, for a public client such as a desktop program.
 * - `Secret`: a password, in the header or in the body. Without `method`, the client uses the header where the server
 *   allows it.
 * - `PrivateKey`: a short JWT that it signs (RFC 7523), with a private key as PKCS #8 in PEM.
 *
 * @category models
 * @since 0.1.0
 */
export type Credential =
  | { readonly _tag: "None" }
  | {
    readonly _tag: "Secret"
    readonly secret: Redacted.Redacted
    readonly method?: "client_secret_basic" | "client_secret_post" | undefined
  }
  | {
    readonly _tag: "PrivateKey"
    readonly key: Redacted.Redacted
    /** As JOSE names it, such as `ES256`. */
    readonly algorithm: string
    readonly keyId?: string | undefined
  }

/**
 * A client that an authorization server knows.
 *
 * @category models
 * @since 0.1.0
 */
export interface OAuthClient {
  /** The id of the client at the authorization server. */
  readonly clientId: string
  /**
   * The authorization server that knows the client. Without it, the credential goes to whichever server the MCP server
   * names, so name the issuer where there is a secret.
   */
  readonly issuer?: string | undefined
  /** `None` by default. */
  readonly credential?: Credential | undefined
}
