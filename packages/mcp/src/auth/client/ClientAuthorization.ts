/**
 * The option `auth` of `McpHttpClient`: it gets the tokens that the MCP server wants.
 *
 * A request is sent with the token that is stored. Where the server asks for another, one is refreshed or granted, and the
 * request is sent once more. Calls that wait for that share it, with those of other processes that share the store, and
 * their time stands still.
 *
 * ```ts
 * import { McpHttpClient } from "@parley/mcp"
 * import type { ClientAuthorization } from "@parley/mcp/auth/client/ClientAuthorization"
 * import * as Grant from "@parley/mcp/auth/client/Grant"
 * import { NodeHttp } from "@parley/node"
 * import { Redacted } from "effect"
 *
 * const auth: ClientAuthorization = {
 *   grant: Grant.clientCredentials({
 *     client: {
 *       clientId: "nightly",
 *       issuer: "https://login.example.org",
 *       credential: { _tag: "Secret", secret: Redacted.make("s3cret") }
 *     }
 *   }),
 *   scopes: ["files:read"]
 * }
 *
 * export const client = McpHttpClient.layerOver(NodeHttp.makeFetcher(), {
 *   name: "me",
 *   version: "1.0.0",
 *   url: "https://example.org/mcp",
 *   auth
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { Grant } from "./Grant.ts"
import type { TokenStore } from "./TokenStore.ts"

/**
 * The means of a client whose server wants authorization.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientAuthorization {
  /** The way to a token. */
  readonly grant: Grant
  /** The store of tokens. By default they are in memory, for as long as the client lives. */
  readonly store?: TokenStore | undefined
  /** The scopes to ask for, instead of those that the server names. More are asked for where a request needs them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /**
   * Binds tokens to a key of the client (RFC 9449), so that a thief cannot use them. Without it, they are bound where the
   * MCP server demands it.
   */
  readonly dpop?: boolean | undefined
  /**
   * Allows private addresses for metadata, registration and tokens although the URL of the MCP server has a public one: for
   * networks whose names lead to such addresses.
   */
  readonly privateAddresses?: boolean | undefined
  /**
   * The resource that the metadata of the server must be about. By default it is the URL of the server. Some servers name
   * their whole origin: give it here if all of that origin may see your tokens.
   */
  readonly resource?: string | URL | undefined
  /** Sends the requests for metadata and tokens. By default it is the fetcher of the client. */
  readonly fetcher?: HttpFetcher.HttpFetcher | undefined
}
