/**
 * OAuth of clients and of resource servers, for every service over HTTP.
 *
 * @since 0.1.0
 */
export * as AccessToken from "./AccessToken.ts"
export * as Account from "./Account.ts"
export * as AuthorizationError from "./AuthorizationError.ts"
export * as ClientAuthorization from "./ClientAuthorization.ts"
export * as Grant from "./Grant.ts"
export * as IntrospectionVerifier from "./IntrospectionVerifier.ts"
export * as JwtVerifier from "./JwtVerifier.ts"
export * as ProofVerifier from "./ProofVerifier.ts"
export * as ResourceServer from "./ResourceServer.ts"
export * as SealedState from "./SealedState.ts"
export * as TokenStore from "./TokenStore.ts"
export * as TokenVerifier from "./TokenVerifier.ts"
