/**
 * The documents that describe a protected resource and an authorization server (RFC 9728, RFC 8414, OpenID Connect
 * Discovery), and the URLs of those documents.
 *
 * The members have their names on the wire. Decoding leaves out members that Parley does not read.
 */
import * as Schema from "effect/Schema"

const text = Schema.optionalKey(Schema.String)
const texts = Schema.optionalKey(Schema.Array(Schema.String))
const flag = Schema.optionalKey(Schema.Boolean)

/**
 * The description that a protected resource gives of itself (RFC 9728, section 2).
 *
 * @category models
 * @since 0.1.0
 */
export const ProtectedResourceMetadata = Schema.Struct({
  /** The identifier of the resource, which tokens for it have as their audience. */
  resource: Schema.String,
  /** The issuers of the authorization servers that a client may choose from. */
  authorization_servers: texts,
  scopes_supported: texts,
  bearer_methods_supported: texts,
  jwks_uri: text,
  resource_signing_alg_values_supported: texts,
  resource_name: text,
  resource_documentation: text,
  resource_policy_uri: text,
  resource_tos_uri: text,
  dpop_signing_alg_values_supported: texts,
  dpop_bound_access_tokens_required: flag
})

/** @category models @since 0.1.0 */
export type ProtectedResourceMetadata = typeof ProtectedResourceMetadata.Type

/**
 * The description that an authorization server gives of itself (RFC 8414, section 2, with the members of its extensions
 * that clients read).
 */
export const AuthorizationServerMetadata = Schema.Struct({
  /** Its identifier. It must be exactly the one from which the place of the document was made. */
  issuer: Schema.String,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: text,
  revocation_endpoint: text,
  introspection_endpoint: text,
  jwks_uri: text,
  scopes_supported: texts,
  response_types_supported: texts,
  grant_types_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  token_endpoint_auth_signing_alg_values_supported: texts,
  code_challenge_methods_supported: texts,
  /** Whether it takes the URL of a document about the client as the id of that client. */
  client_id_metadata_document_supported: flag,
  /** Whether its answers to an authorization request have the parameter `iss` (RFC 9207). */
  authorization_response_iss_parameter_supported: flag,
  dpop_signing_alg_values_supported: texts
})

export type AuthorizationServerMetadata = typeof AuthorizationServerMetadata.Type

/**
 * The place of the metadata of a protected resource: the well-known part stands before its path (RFC 9728, section 3.1).
 */
export const resourceMetadataUrl = (resource: URL): URL => inserted(resource, "oauth-protected-resource")

/**
 * The places where the metadata of an authorization server may be, in the order in which a client asks: RFC 8414 first,
 * then OpenID Connect, as the profile of OAuth that MCP has. The URL of an issuer has neither a query nor a fragment.
 */
export const issuerMetadataUrls = (issuer: URL): ReadonlyArray<URL> => {
  const before = [inserted(issuer, "oauth-authorization-server"), inserted(issuer, "openid-configuration")]
  return pathOf(issuer) === ""
    ? before
    // A path may begin with two slashes, and would name a host if it stood alone.
    : [...before, new URL(`${issuer.origin}${pathOf(issuer)}/.well-known/openid-configuration`)]
}

/** A well-known URL with the path of another behind it, and its query. */
const inserted = (url: URL, name: string): URL => new URL(`/.well-known/${name}${pathOf(url)}${url.search}`, url.origin)

/** The path without a slash at its end; empty for the root. */
const pathOf = ({ pathname }: URL): string => pathname.endsWith("/") ? pathname.slice(0, -1) : pathname

/**
 * Whether two identifiers name the same authorization server: they are equal, or differ only by an empty path and the
 * path `/`, which are one URI (RFC 3986, section 6.2.3). Any other difference names another one.
 */
export const isSameIssuer = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && canonical(one) === canonical(other))

/** An identifier without the slash of an empty path. */
const canonical = (issuer: string): string => bare.test(issuer) ? issuer.slice(0, -1) : issuer

/** A scheme and an authority, and the path `/`. */
const bare = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+\/$/i
