/**
 * The logins of users at servers behind the gateway: beside the gateway itself, at `/login` of its origin.
 */
import * as UserLogins from "@parley/mcp-gateway/UserLogins"
import * as NodeHttp from "@parley/node/NodeHttp"
import type { OAuthClient } from "@parley/oauth/Grant"
import type { TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as tokens from "../account/tokens.ts"
import type * as Config from "./Config.ts"

/** The logins, where the gateway knows its callers. */
export const make = Effect.fnUntraced(function*(
  { auth }: Config.Config
): Effect.fn.Return<UserLogins.UserLogins | undefined, TransportError, Scope.Scope> {
  if (auth === undefined) return undefined
  const fetcher = yield* NodeHttp.makeFetcher()
  const store = tokens.storeOfUsers()
  const url = new URL("/login", auth.resource).href
  const registration = { client_name: "Parley (gateway)" }
  return yield* UserLogins.make({
    url,
    store,
    registration,
    identify: UserLogins.byToken(fetcher, {
      gateway: auth.resource,
      redirectUri: url,
      store,
      registration,
      client: auth.client && clientOf(auth.issuer, auth.client)
    })
  })
})

const clientOf = (
  issuer: string,
  { id, secret }: NonNullable<NonNullable<Config.Config["auth"]>["client"]>
): OAuthClient => ({
  clientId: id,
  issuer,
  ...(secret !== undefined && { credential: { _tag: "Secret", secret: Redacted.make(secret) } })
})
