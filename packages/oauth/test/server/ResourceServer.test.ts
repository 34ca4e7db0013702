import { assert, describe, it } from "@effect/vitest"
import { AccessToken, nameOf, Scopes } from "@parley/oauth/AccessToken"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import * as TokenVerifier from "@parley/oauth/TokenVerifier"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Option, Redacted, Result, Schema } from "effect"
import { issuerUrl, resource } from "../support/issuer.ts"
import { protect } from "../support/protected.ts"

const headOf = (headers: Readonly<Record<string, string>>): Handshake.Head => ({
  method: "POST",
  url: "/mcp",
  address: undefined,
  header: (name) => headers[name]
})

/** The outcome for a request with these headers. */
const authorized = (
  { authorize }: Pick<ResourceServer.ResourceServer, "authorize">,
  headers: Readonly<Record<string, string>>
): Effect.Effect<Result.Result<Context.Context<never>, Handshake.Refused>> => Effect.result(authorize(headOf(headers)))

const challengeOf = (result: Result.Result<unknown, Handshake.Refused>): readonly [number, string | undefined] =>
  Result.isFailure(result) ? [result.failure.status, result.failure.challenge] : [200, undefined]

const place = "https://mcp.example.org/.well-known/oauth-protected-resource/mcp"

describe("a protected resource", () => {
  it.effect("gives a principal: the token without its text, its scopes and its subject", () =>
    Effect.gen(function*() {
      const { auth, headersWith } = yield* protect()
      const result = yield* authorized(auth, yield* headersWith())
      const principal = Result.getOrThrow(result)
      const token = Option.getOrThrow(Context.getOption(principal, AccessToken))
      assert.deepInclude(token, { issuer: issuerUrl, subject: "ada", clientId: "cli" })
      assert.deepStrictEqual([...Context.get(principal, Scopes)], ["files:read", "files:write"])
      assert.strictEqual(Context.get(principal, Handshake.Name), `${issuerUrl} ada`)
      assert.deepStrictEqual(Context.get(principal, Handshake.Credentials), ["authorization", "dpop"])
    }))

  it.effect("gives services of its own beside these, or refuses", () =>
    Effect.gen(function*() {
      class Tenant extends Context.Service<Tenant, string>()("Tenant") {}
      const { auth, headersWith } = yield* protect({
        principal: ({ subject }) =>
          subject === "eve" ? Effect.fail(Handshake.forbidden()) : Effect.succeed(Context.make(Tenant, "a"))
      })
      const principal = Result.getOrThrow(yield* authorized(auth, yield* headersWith()))
      assert.strictEqual(Option.getOrThrow(Context.getOption(principal, Tenant)), "a")
      assert.strictEqual(Context.get(principal, Handshake.Name), `${issuerUrl} ada`)
      assert.deepStrictEqual(
        challengeOf(yield* authorized(auth, yield* headersWith({ sub: "eve" }))),
        [403, undefined]
      )
    }))

  it.effect("names users and clients apart, whatever they are called, and by their issuer", () =>
    Effect.gen(function*() {
      const issuers = ["https://one.example.org", "https://two.example.org"]
      const words = ["ada", "cli", `client ada`, `${issuers[0]} ada`, "client", ""]
      const tokens = issuers.flatMap((issuer) =>
        words.flatMap((subject) => [
          { issuer, subject, clientId: "a browser" },
          { issuer, subject, clientId: undefined },
          { issuer, subject, clientId: subject }
        ])
      )
      const names = new Map<string, string>()
      for (const token of tokens) {
        const { clientId, issuer, subject } = token
        const identity = JSON.stringify([issuer, subject, clientId === subject])
        const name = nameOf(token)
        assert.strictEqual(names.get(name) ?? identity, identity, name)
        names.set(name, identity)
      }
      assert.strictEqual(names.size, 2 * 2 * words.length)
      const { auth, headersWith } = yield* protect()
      const named = (claims: object) =>
        Effect.map(
          Effect.flatMap(headersWith(claims), (headers) => authorized(auth, headers)),
          (result) => Context.get(Result.getOrThrow(result), Handshake.Name)
        )
      assert.deepStrictEqual(
        [
          yield* named({ sub: "cli", client_id: "web" }),
          yield* named({ sub: undefined }),
          yield* named({ sub: "cli" })
        ],
        [`${issuerUrl} cli`, `client ${issuerUrl} cli`, `client ${issuerUrl} cli`]
      )
    }))

  it.effect("tells subjects of several issuers from each other", () =>
    Effect.gen(function*() {
      const { auth: { authorize }, headersWith } = yield* protect()
      const token = Option.getOrThrow(
        Context.getOption(Result.getOrThrow(yield* authorized({ authorize }, yield* headersWith())), AccessToken)
      )
      const verifier: TokenVerifier.TokenVerifier = {
        issuers: [issuerUrl, "https://other.example.org"],
        verify: (text) => Effect.succeed({ ...token, issuer: Redacted.value(text) })
      }
      const auth = ResourceServer.make({ resource, verifier })
      const names = yield* Effect.forEach(["one", "two"], (issuer) =>
        Effect.map(authorized(auth, { authorization: `Bearer ${issuer}` }), (result) =>
          Context.get(Result.getOrThrow(result), Handshake.Name)))
      assert.deepStrictEqual(names, ["one ada", "two ada"])
    }))

  it.effect("tells a client without a token where its metadata are, and what is wrong with a bad one", () =>
    Effect.gen(function*() {
      const { auth, headersWith } = yield* protect({ required: ["files:read"] })
      const plain = `Bearer resource_metadata="${place}", scope="files:read"`
      assert.deepStrictEqual(challengeOf(yield* authorized(auth, {})), [401, plain])
      for (const authorization of ["Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "Bearer a, Bearer b"]) {
        assert.deepStrictEqual(challengeOf(yield* authorized(auth, { authorization })), [401, plain], authorization)
      }
      const [status, challenge] = challengeOf(yield* authorized(auth, yield* headersWith({ exp: -100 })))
      assert.strictEqual(status, 401)
      assert.strictEqual(
        challenge,
        `${plain}, error="invalid_token", error_description="the access token is refused (Expired): its time is over"`
      )
      for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
        const { authorization } = yield* headersWith()
        const sent = { authorization: authorization.replace("Bearer", scheme) }
        assert.isTrue(Result.isSuccess(yield* authorized(auth, sent)), scheme)
      }
    }))

  it.effect("takes tokens for itself alone, or for what it is told", () =>
    Effect.gen(function*() {
      const { auth, headersWith, issuer } = yield* protect()
      const others = ["https://mcp.example.org", `${resource}/`, `${resource}2`, "https://other.example.org/mcp", "cli"]
      for (const aud of [...others, others, []]) {
        const [status, challenge] = challengeOf(yield* authorized(auth, yield* headersWith({ aud })))
        assert.strictEqual(status, 401)
        assert.include(challenge, "(Audience)")
      }
      assert.include(challengeOf(yield* authorized(auth, yield* headersWith({ aud: undefined })))[1], "(Audience)")
      const both = yield* headersWith({ aud: ["https://other.example.org/mcp", resource] })
      assert.isTrue(Result.isSuccess(yield* authorized(auth, both)))
      const api = yield* protect({ audience: ["api://mcp"] })
      assert.isTrue(Result.isSuccess(yield* authorized(api.auth, yield* api.headersWith({ aud: "api://mcp" }))))
      const any = yield* protect({ audience: "any" })
      assert.isTrue(Result.isSuccess(yield* authorized(any.auth, yield* any.headersWith({ aud: undefined }))))
      assert.strictEqual(issuer.asked, 1)
    }))

  it.effect("takes both spellings of an origin without a path", () =>
    Effect.gen(function*() {
      const { auth, headersWith } = yield* protect({ resource: "https://mcp.example.org" })
      for (const aud of ["https://mcp.example.org", "https://mcp.example.org/"]) {
        assert.isTrue(Result.isSuccess(yield* authorized(auth, yield* headersWith({ aud }))), aud)
      }
      assert.strictEqual(auth.metadata.resource, "https://mcp.example.org")
      assert.deepStrictEqual(auth.paths, ["/.well-known/oauth-protected-resource"])
    }))

  it.effect("asks for the scopes that every request needs, with those that the client has", () =>
    Effect.gen(function*() {
      const { auth, headersWith } = yield* protect({ required: ["mcp"], scopes: ["files:read", "files:write"] })
      const sent = yield* headersWith({ scope: "openid files:read" })
      assert.deepStrictEqual(challengeOf(yield* authorized(auth, sent)), [
        403,
        `Bearer resource_metadata="${place}", scope="files:read mcp", error="insufficient_scope"`
      ])
    }))

  it.effect("does not blame the token where nobody can check it", () =>
    Effect.gen(function*() {
      const { auth, headersWith, issuer } = yield* protect()
      issuer.isThere = false
      const result = yield* authorized(auth, yield* headersWith())
      assert.deepStrictEqual(challengeOf(result), [503, undefined])
    }))

  it.effect("refuses a token that is bound to a key, without a proof of that key", () =>
    Effect.gen(function*() {
      const { auth, headersWith } = yield* protect()
      const [status, challenge] = challengeOf(yield* authorized(auth, yield* headersWith({ cnf: { jkt: "a" } })))
      assert.strictEqual(status, 401)
      assert.include(challenge, "(Bound)")
    }))

  it("says in its metadata what it is", async () => {
    const verifier: TokenVerifier.TokenVerifier = {
      issuers: [issuerUrl],
      verify: () => Effect.fail(TokenVerifier.refused("Malformed"))
    }
    const auth = ResourceServer.make({
      resource,
      verifier,
      required: ["mcp"],
      scopes: ["files:read"],
      metadata: { resource_name: "Files" }
    })
    assert.deepStrictEqual(auth.metadata, {
      resource,
      resource_name: "Files",
      authorization_servers: [issuerUrl],
      bearer_methods_supported: ["header"],
      scopes_supported: ["mcp", "files:read"]
    })
    assert.deepStrictEqual(auth.paths, [
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-protected-resource"
    ])
    const wrong = ["http://mcp.example.org", `${resource}?a`, `${resource}#a`, "https://a:b@mcp.example.org", "mcp"]
    for (const resource of wrong) assert.throws(() => ResourceServer.make({ resource, verifier }), /`resource`/)
    assert.deepStrictEqual(
      ResourceServer.make({ resource: "http://localhost:4000/mcp", verifier, isAtRoot: false }).paths,
      ["/.well-known/oauth-protected-resource/mcp"]
    )
  })

  it.effect.prop("refuses whatever header comes, for a reason and with a sound challenge", {
    authorization: Schema.Union([
      Schema.String,
      Schema.TemplateLiteral([
        Schema.Literals(["Bearer ", "DPoP "]),
        Schema.Literals(["s3cr3t", "s3.cr.3t"]),
        Schema.String
      ])
    ])
  }, ({ authorization }) =>
    Effect.gen(function*() {
      const { auth } = yield* protect({ required: ["a"] })
      const result = yield* authorized(auth, { authorization })
      const [status, challenge] = challengeOf(result)
      assert.strictEqual(status, 401)
      // Nothing of a token is told, neither to the client nor to our log.
      assert.notMatch(JSON.stringify(result), /s3\.?cr/)
      assert.match(challenge ?? "", /^Bearer (\w+="[ !#-[\]-~]*"(, |$))+$/)
    }))
})
