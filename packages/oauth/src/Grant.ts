/**
 * The ways in which a client gets a token: a person authorizes it, or it has credentials of its own.
 *
 * ```ts
 * import * as Grant from "@parley/oauth/Grant"
 * import type { Effect } from "effect"
 *
 * // Opens a page in the browser, and gives the URL to which the browser comes back.
 * declare const signIn: (page: string) => Effect.Effect<URL, Error>
 *
 * export const grant = Grant.authorizationCode({
 *   redirectUri: "http://127.0.0.1:41234/callback",
 *   authorize: ({ url }) => signIn(url),
 *   registration: { client_name: "Mine" }
 * })
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
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
   * The authorization server that knows the client. Without it, the credential goes to whichever server the resource server
   * names, so name the issuer where there is a secret.
   */
  readonly issuer?: string | undefined
  /** `None` by default. */
  readonly credential?: Credential | undefined
}

/**
 * The request that a person is to authorize.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthorizationRequest {
  /** The page at which the person signs in. Open it in their browser. */
  readonly url: string
  /** The server that wants it, to show it to the person. */
  readonly server: string
  /** The authorization server. */
  readonly issuer: string
  /** The scopes that the token will have. */
  readonly scopes: ReadonlyArray<string>
}

/**
 * The description that a client gives of itself when it registers (RFC 7591). Grants, redirect URI and the kind of program
 * are added.
 *
 * @category models
 * @since 0.1.0
 */
export interface Registration {
  /** The name that the authorization server shows to people. */
  readonly client_name?: string | undefined
  /** A page about the client. */
  readonly client_uri?: string | undefined
  /** A picture of the client. */
  readonly logo_uri?: string | undefined
  /** An id of the software, the same for all its installations. */
  readonly software_id?: string | undefined
  /** The version of the software. */
  readonly software_version?: string | undefined
}

/**
 * A person authorizes the client in a browser (OAuth 2.1 with PKCE).
 *
 * The client is, in this order: `client`; the document at `clientMetadataUrl`, where the server takes those; one that it
 * registers by itself; the one that `register` gives.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthorizationCode {
  readonly _tag: "AuthorizationCode"
  /** The URL to which the browser is sent when the person has decided. */
  readonly redirectUri: string
  /**
   * Lets the person decide, and gives the URL to which the browser was then sent, or its query. Without it, only tokens that
   * are stored are used.
   */
  readonly authorize?: ((request: AuthorizationRequest) => Effect.Effect<URL | URLSearchParams, Error>) | undefined
  /** A client that the authorization server knows already. */
  readonly client?: OAuthClient | undefined
  /** The URL of a document about this client, which has this URL as its `client_id`. */
  readonly clientMetadataUrl?: string | undefined
  /** The description for a client that registers by itself. */
  readonly registration?: Registration | undefined
  /** Asks for a client that somebody has registered by hand with an authorization server. */
  readonly register?: ((issuer: string) => Effect.Effect<OAuthClient, Error>) | undefined
}

/**
 * The client acts for itself: a program without a person (RFC 6749, section 4.4).
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientCredentials {
  readonly _tag: "ClientCredentials"
  /** The client, with its credential. */
  readonly client: OAuthClient
}

/**
 * The servers that an assertion is for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Audience {
  /** The authorization server. */
  readonly issuer: string
  /** The resource server. */
  readonly resource: string
}

/**
 * The platform that a workload runs on vouches for the client, by a JWT (RFC 7523, section 2.1).
 *
 * @category models
 * @since 0.1.0
 */
export interface JwtBearer {
  readonly _tag: "JwtBearer"
  /** The client, where the authorization server wants its id beside the assertion. */
  readonly client?: OAuthClient | undefined
  /**
   * Gives a JWT that is good now. It is asked for each time. The resource server names the issuer: fail for one that you do not
   * know, or the JWT goes there.
   */
  readonly assertion: (audience: Audience) => Effect.Effect<Redacted.Redacted, Error>
}

/**
 * The identity provider of a company decides: it changes the ID token of a person who is signed in there for an assertion
 * to the authorization server of the resource server (enterprise-managed authorization, ID-JAG).
 *
 * @category models
 * @since 0.1.0
 */
export interface Enterprise {
  readonly _tag: "Enterprise"
  /** The client at the authorization server of the resource server. */
  readonly client: OAuthClient
  /** The identity provider, and the person that is signed in there. */
  readonly identityProvider: {
    /** The identifier of the identity provider. */
    readonly issuer: string
    /** The URL at which tokens are exchanged; without it, the one that the metadata of the issuer name. */
    readonly tokenEndpoint?: string | undefined
    /** The client at the identity provider. */
    readonly client: OAuthClient
    /** Gives an ID token that is good now. */
    readonly idToken: Effect.Effect<Redacted.Redacted, Error>
  }
}

/** A way to a token. @category models @since 0.1.0 */
export type Grant = AuthorizationCode | ClientCredentials | JwtBearer | Enterprise

type Options<G extends Grant> = Omit<G, "_tag">

/** A person authorizes the client. @category constructors @since 0.1.0 */
export const authorizationCode = (options: Options<AuthorizationCode>): AuthorizationCode => ({
  _tag: "AuthorizationCode",
  ...options
})

/** The client acts for itself. @category constructors @since 0.1.0 */
export const clientCredentials = (options: Options<ClientCredentials>): ClientCredentials => ({
  _tag: "ClientCredentials",
  ...options
})

/** The platform vouches for the client. @category constructors @since 0.1.0 */
export const jwtBearer = (options: Options<JwtBearer>): JwtBearer => ({ _tag: "JwtBearer", ...options })

/** The identity provider of a company decides. @category constructors @since 0.1.0 */
export const enterprise = (options: Options<Enterprise>): Enterprise => ({ _tag: "Enterprise", ...options })
