/** Our client against an authorization server that others have written. */
import { assert, describe, it } from "@effect/vitest"
import * as Account from "@parley/mcp/auth/client/Account"
import type { ClientAuthorization } from "@parley/mcp/auth/client/ClientAuthorization"
import * as Grant from "@parley/mcp/auth/client/Grant"
import * as TokenStore from "@parley/mcp/auth/client/TokenStore"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Redacted } from "effect"
import * as oidc from "./support/oidcProvider.ts"

const redirectUri = "http://127.0.0.1:9/callback"

const person = Grant.authorizationCode({ redirectUri, authorize: ({ url }) => oidc.browse(url, redirectUri) })

const connect = (url: string, auth: ClientAuthorization) =>
  Effect.flatMap(
    NodeHttp.makeFetcher(),
    (fetcher) => McpHttpClient.make(fetcher, { name: "me", version: "1.0.0", url, auth })
  )

describe("a client with oidc-provider", () => {
  for (const dpop of [false, true]) {
    it.live(
      `registers, has a person sign in, and refreshes${dpop ? ", with tokens bound to a key" : ""}`,
      () =>
        Effect.gen(function*() {
          const { grants, issuer, refuseOlder, schemes, server } = yield* oidc.serve
          const store = TokenStore.makeMemory()
          const client = yield* connect(server, { grant: person, store, dpop })
          yield* client.ping
          const account = yield* Account.get(store, new URL(server))
          assert.deepInclude(account, { issuer, isRefreshable: true })
          assert.includeMembers([...account?.scopes ?? []], ["notes:read", "notes:write"])
          refuseOlder()
          yield* Effect.all(Array.from({ length: 20 }, () => client.ping), { concurrency: "unbounded" })
          refuseOlder()
          yield* client.ping
          assert.deepStrictEqual(grants, ["authorization_code", "refresh_token", "refresh_token"])
          assert.deepStrictEqual([...schemes], [dpop ? "DPoP" : "Bearer"])
        }),
      30_000
    )
  }

  it.live("has a token of its own, by a secret", () =>
    Effect.gen(function*() {
      const { grants, issuer, server } = yield* oidc.serve
      const secret = Redacted.make("a secret of thirty-two characters")
      const grant = Grant.clientCredentials({
        client: { clientId: "machine", issuer, credential: { _tag: "Secret", secret } }
      })
      yield* (yield* connect(server, { grant })).ping
      assert.deepStrictEqual(grants, ["client_credentials"])
    }), 30_000)

  it.live("with a secret that is wrong fails with the code of the server", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* oidc.serve
      const grant = Grant.clientCredentials({
        client: { clientId: "machine", issuer, credential: { _tag: "Secret", secret: Redacted.make("wr0ng") } }
      })
      const error = yield* Effect.flip(connect(server, { grant }))
      assert.include(error.message, "invalid_client")
      assert.notInclude(JSON.stringify(error), "wr0ng")
    }), 30_000)
})
