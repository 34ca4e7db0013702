import { assert, describe, it } from "@effect/vitest"
import type { Reason } from "@parley/oauth/AuthorizationError"
import type { AuthorizationRequest } from "@parley/oauth/Grant"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Effect, Redacted } from "effect"
import { open, openStale, refusal } from "../support/opened.ts"
import { issuer, server, World } from "../support/World.ts"

/** A person who agrees, and a browser that brings something else back. */
const bringing = (world: World, change: (answer: URLSearchParams) => void) =>
  world.auth({
    grant: world.grant({
      authorize: (request) =>
        Effect.sync(() => {
          const back = world.agree(request)
          change(back.searchParams)
          return back
        })
    })
  })

describe("the page that a person is shown", () => {
  it.effect("has PKCE with S256, the resource, a state and the scopes", () =>
    Effect.gen(function*() {
      const world = new World()
      world.metadata["authorization_endpoint"] = `${issuer}/authorize?tenant=1`
      world.metadata["scopes_supported"] = ["offline_access"]
      world.resource["scopes_supported"] = ["read", "write"]
      yield* (yield* open(world)).request("ping")
      const { searchParams } = new URL(world.asked[0]?.url ?? "")
      const { code_challenge, state, ...rest } = Object.fromEntries(searchParams)
      assert.deepStrictEqual(rest, {
        tenant: "1",
        response_type: "code",
        client_id: "client-1",
        redirect_uri: "http://127.0.0.1:7/callback",
        code_challenge_method: "S256",
        resource: server,
        scope: "read write offline_access",
        prompt: "consent"
      })
      assert.match(code_challenge ?? "", /^[\w-]{43}$/)
      assert.match(state ?? "", /^[\w-]{43}$/)
    }))

  it.effect("is no page of a scheme that a browser would run", () =>
    Effect.gen(function*() {
      const world = new World()
      world.metadata["authorization_endpoint"] = "javascript:alert(1)"
      assert.deepInclude(yield* refusal(world), { _tag: "Forbidden" })
      assert.deepStrictEqual(world.asked, [])
    }))

  it.effect("is not shown where the metadata do not promise PKCE with S256", () =>
    Effect.gen(function*() {
      for (const methods of [undefined, [], ["plain"]]) {
        const world = new World()
        world.metadata["code_challenge_methods_supported"] = methods
        assert.deepInclude(yield* refusal(world), { _tag: "Unsupported", issuer })
        assert.deepStrictEqual(world.asked, [])
      }
    }))
})

describe("what the browser brings back", () => {
  // RFC 9207, section 2.4
  const answers: ReadonlyArray<
    readonly [string, boolean, (answer: URLSearchParams) => void, Reason["_tag"] | undefined]
  > = [
    ["its issuer, as promised", true, (answer) => answer.set("iss", issuer), undefined],
    ["its issuer, not promised", false, (answer) => answer.set("iss", issuer), undefined],
    ["no issuer, although it is promised", true, () => {}, "Untrusted"],
    ["another issuer", true, (answer) => answer.set("iss", "https://evil.example"), "Untrusted"],
    ["another issuer, not promised", false, (answer) => answer.set("iss", "https://evil.example"), "Untrusted"],
    ["its issuer with a slash more", true, (answer) => answer.set("iss", `${issuer}/`), "Untrusted"],
    ["another state", false, (answer) => answer.set("state", "other"), "Untrusted"],
    ["no state", false, (answer) => answer.delete("state"), "Untrusted"],
    ["neither a code nor an error", false, (answer) => answer.delete("code"), "Untrusted"],
    ["an error", false, (answer) => answer.set("error", "access_denied"), "Refused"],
    ["an error of another issuer", false, (answer) => {
      answer.set("error", "access_denied")
      answer.set("iss", "https://evil.example")
    }, "Untrusted"]
  ]

  it.effect.each(answers)("with %s", ([, isPromised, change, reason]) =>
    Effect.gen(function*() {
      const world = new World()
      world.metadata["authorization_response_iss_parameter_supported"] = isPromised
      const auth = bringing(world, change)
      if (reason === undefined) {
        yield* (yield* open(world, auth)).request("ping")
      } else {
        assert.strictEqual((yield* refusal(world, auth))._tag, reason)
        // The code of somebody else is never redeemed.
        assert.deepStrictEqual(world.tokens(), [])
      }
    }))

  it.effect("is taken as a query, too", () =>
    Effect.gen(function*() {
      const world = new World()
      const authorize = (request: AuthorizationRequest) => Effect.sync(() => world.agree(request).searchParams)
      yield* (yield* open(world, { grant: world.grant({ authorize }) })).request("ping")
    }))
})

describe("the client that asks", () => {
  it.effect("is the one that is known, before the document, before one that is registered", () =>
    Effect.gen(function*() {
      const world = new World()
      world.metadata["client_id_metadata_document_supported"] = true
      const known = { clientId: "known", issuer }
      const clientMetadataUrl = "https://me.example/client.json"
      const idOf = (grant: Parameters<World["grant"]>[0]) =>
        Effect.scoped(Effect.gen(function*() {
          yield* (yield* open(world, { grant: world.grant(grant) })).request("ping")
          return new URL(world.asked.at(-1)?.url ?? "").searchParams.get("client_id")
        }))
      assert.strictEqual(yield* idOf({ client: known, clientMetadataUrl }), "known")
      assert.strictEqual(
        yield* idOf({ client: { ...known, issuer: "https://other.example" }, clientMetadataUrl }),
        clientMetadataUrl
      )
      assert.strictEqual(world.to("/register").length, 0)
      world.metadata["client_id_metadata_document_supported"] = false
      assert.match((yield* idOf({ clientMetadataUrl })) ?? "", /^client-/)
      delete world.metadata["registration_endpoint"]
      assert.strictEqual(yield* idOf({ register: () => Effect.succeed({ clientId: "by hand" }) }), "by hand")
      assert.deepInclude(yield* refusal(world), { _tag: "Unsupported", issuer })
    }))

  it.effect("sends its secret where the server wants it, and nowhere else", () =>
    Effect.gen(function*() {
      const secret = "s:e%c r&t"
      const proofs: ReadonlyArray<readonly [ReadonlyArray<string> | undefined, string]> = [
        [undefined, "header"],
        [["client_secret_post", "client_secret_basic"], "header"],
        [["client_secret_post"], "body"]
      ]
      for (const [methods, place] of proofs) {
        const world = new World()
        world.metadata["token_endpoint_auth_methods_supported"] = methods
        const client = {
          clientId: "known",
          issuer,
          credential: { _tag: "Secret", secret: Redacted.make(secret) }
        } as const
        yield* Effect.scoped(
          Effect.flatMap(open(world, { grant: world.grant({ client }) }), (it) => it.request("ping"))
        )
        const [asked] = world.to("/token")
        const header = Buffer.from(asked?.headers["authorization"]?.slice(6) ?? "", "base64").toString()
        assert.deepStrictEqual(
          { header, body: asked?.form["client_secret"] },
          place === "header"
            ? { header: "known:s%3Ae%25c+r%26t", body: undefined }
            : { header: "", body: secret }
        )
        assert.isFalse(world.seen.some(({ url }) => url.href.includes("s%3Ae")))
      }
    }))

  it.effect("whose secret has ended registers again", () =>
    Effect.gen(function*() {
      const world = new World()
      world.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
      world.routes[`${issuer}/register`] = () => ({
        status: 201,
        json: { client_id: "a", client_secret: "b", client_secret_expires_at: 1 }
      })
      const transport = yield* openStale(world)
      world.routes[`${issuer}/token`] = () => ({ status: 400, json: { error: "invalid_client" } })
      yield* Effect.flip(transport.request("ping"))
      // Once for the first token, and once when the server knew the client no more.
      assert.strictEqual(world.to("/register").length, 2)
    }))

  it.effect("whose secret ends beyond all times is kept", () =>
    Effect.gen(function*() {
      const world = new World()
      world.routes[`${issuer}/register`] = () => ({
        status: 201,
        json: { client_id: "a", client_secret: "b", client_secret_expires_at: 1e308 }
      })
      yield* (yield* open(world)).request("ping")
      assert.strictEqual(world.tokens().length, 1)
    }))

  it.effect("that the server knows is kept where another is known no more", () =>
    Effect.gen(function*() {
      const world = new World()
      world.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
      const { [server]: serve } = world.routes
      const other = `${server}/other`
      const place = "https://mcp.example/.well-known/oauth-protected-resource/mcp/other"
      world.routes[other] = (seen) =>
        world.valid.has(seen.headers["authorization"] ?? "") && serve !== undefined
          ? serve(seen)
          : { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${place}"` } }
      world.routes[place] = () => ({
        json: { ...world.resource, resource: other }
      })
      let count = 0
      world.routes[`${issuer}/register`] = () => {
        count++
        return { status: 201, json: { client_id: `client-${count}`, client_secret: `secret-${count}` } }
      }
      world.replace("/token", (seen, issue) =>
        seen.form["client_secret"] === seen.form["client_id"]?.replace("client", "secret")
          ? issue(seen)
          : { status: 401, json: { error: "invalid_client" } })
      const store = TokenStore.makeMemory()
      const elsewhere = { redirectUri: "http://127.0.0.1:8/callback" }
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      yield* (yield* open(world, { grant: world.grant(elsewhere), store }, other)).request("ping")
      world.valid.clear()
      // The second client has taken the place of the first, whose secret is lost.
      const quiet = world.grant({ authorize: undefined })
      assert.deepInclude(yield* refusal(world, { grant: quiet, store }), { _tag: "Required" })
      yield* (yield* open(world, { grant: quiet, store }, other)).request("ping")
      assert.strictEqual(count, 2)
    }))
})
