/** Our client signs in at `oidc-provider`, and calls our protected server. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import type { CallToolResult } from "@parley/mcp/payload/Results"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as Account from "@parley/oauth/Account"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import * as Grant from "@parley/oauth/Grant"
import * as ProofVerifier from "@parley/oauth/ProofVerifier"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Effect, Redacted } from "effect"
import { machine, redirectUri, visit } from "../../../oauth/test/support/authorizationServer.ts"
import { protect } from "./server/support/served.ts"

/** A person who agrees to everything, and what they were asked. */
const person = () => {
  const asked: Array<ReadonlyArray<string>> = []
  const authorize = ({ scopes, url }: Grant.AuthorizationRequest) =>
    Effect.promise(() => {
      asked.push(scopes)
      return visit(new URL(url))
    })
  return { asked, grant: Grant.authorizationCode({ redirectUri, authorize }) }
}

const connect = (url: URL, auth: ClientAuthorization, revision: Revision | "auto" = "auto") =>
  Effect.flatMap(
    NodeHttp.makeFetcher(),
    (fetcher) => McpHttpClient.make(fetcher, { name: "me", version: "1.0.0", url, auth, protocolVersion: revision })
  )

const textOf = ({ content: [block] }: CallToolResult) => block?.type === "text" ? block.text : undefined

/** Stored tokens, of which the access token is none any more. */
const spoil = (store: TokenStore.TokenStore, url: URL) =>
  Effect.gen(function*() {
    const key = `tokens ${url.href}`
    const found = yield* store.get(key)
    const { accessToken: _, ...rest } = JSON.parse(found === undefined ? "{}" : Redacted.value(found))
    yield* store.set(key, Redacted.make(JSON.stringify({ ...rest, accessToken: "spoilt" })))
  })

describe("our client at our protected server", () => {
  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    for (const isBound of [false, true]) {
      it.live(
        `signs in, is given more scopes, and refreshes, in ${revision}${isBound ? ", bound to a key" : ""}`,
        () =>
          Effect.gen(function*() {
            const proofs = yield* ProofVerifier.make({ nonce: Redacted.make("a secret of thirty-two characters") })
            const { issuer, url } = yield* protect("jwt", isBound ? { proofs } : {})
            const store = TokenStore.makeMemory()
            const { asked, grant } = person()
            const auth = { grant, store, dpop: isBound }
            const client = yield* connect(url, auth, revision)
            assert.strictEqual(textOf(yield* client.callTool("open")), "open")
            assert.strictEqual(textOf(yield* client.callTool("write")), "written")
            assert.deepStrictEqual(asked.length, 2)
            assert.includeMembers([...asked[1] ?? []], ["files:read", "files:write"])
            assert.deepInclude(yield* Account.get(store, url), { issuer, isRefreshable: true })
            yield* spoil(store, url)
            const next = yield* connect(url, { ...auth, grant: { ...grant, authorize: undefined } }, revision)
            const calls = Array.from({ length: 20 }, () => next.callTool("write"))
            const results = yield* Effect.all(calls, { concurrency: "unbounded" })
            assert.deepStrictEqual([...new Set(results.map(textOf))], ["written"])
            assert.strictEqual(asked.length, 2)
          }),
        30_000
      )
    }
  }

  it.live("has a token of its own by a secret, and a wrong secret is told and not shown", () =>
    Effect.gen(function*() {
      const { issuer, url } = yield* protect("opaque")
      const grantWith = (secret: string) =>
        Grant.clientCredentials({
          client: { clientId: machine.id, issuer, credential: { _tag: "Secret", secret: Redacted.make(secret) } }
        })
      const client = yield* connect(url, { grant: grantWith(machine.secret) })
      assert.strictEqual(textOf(yield* client.callTool("open")), "open")
      const error = yield* Effect.flip(connect(url, { grant: grantWith("wr0ng") }))
      assert.include(error.message, "invalid_client")
      assert.notInclude(JSON.stringify(error), "wr0ng")
    }), 30_000)
})
