/**
 * How a client over HTTP gets the tokens that its MCP server wants: the option `auth` of `McpHttpClient`.
 *
 * A request is sent with the token that is stored. Where the server asks for another, one is refreshed or granted, and the
 * request is sent once more. Calls that wait for that share it, with those of other processes that share the store, and
 * their time stands still.
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/HttpFetcher"
import type { Grant } from "./Grant.ts"
import type { TokenStore } from "./TokenStore.ts"

/**
 * The ways of a client whose server wants authorization.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientAuthorization {
  readonly grant: Grant
  /** The place of tokens; in memory by default, for as long as the client lives. */
  readonly store?: TokenStore | undefined
  /** The scopes to ask for, instead of those that the server names. More are asked for where a request needs them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /**
   * Binds tokens to a key of the client (RFC 9449), so that nobody else can use them. Without it, they are bound where the
   * MCP server says that they must be.
   */
  readonly dpop?: boolean | undefined
  /**
   * Lets metadata, registration and tokens be asked for at private addresses, although the URL of the MCP server has none.
   * For networks whose names lead to such addresses.
   */
  readonly privateAddresses?: boolean | undefined
  /** Sends the requests for metadata and tokens. By default it is the fetcher of the client. */
  readonly fetcher?: HttpFetcher | undefined
}
