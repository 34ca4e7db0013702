import { assert, describe, it } from "@effect/vitest"
import * as Grant from "@parley/oauth/Grant"
import type { OAuthClient } from "@parley/oauth/Grant"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Effect, Redacted } from "effect"
import { KeyValueStore } from "effect/persistence"
import { jwtVerify } from "jose/jwt/verify"
import { exportPKCS8 } from "jose/key/export"
import { generateKeyPair } from "jose/key/generate/keypair"
import { open, refusal } from "../support/opened.ts"
import { issuer, server, World } from "../support/World.ts"

const ping = (world: World, grant: Grant.Grant) =>
  Effect.scoped(Effect.flatMap(open(world, { grant }), (transport) => transport.request("ping")))

const withSecret: OAuthClient = {
  clientId: "nightly",
  issuer,
  credential: { _tag: "Secret", secret: Redacted.make("hidden") }
}

describe("a program without a person", () => {
  it.effect("gets a token by its secret, for the scopes that the resource knows", () =>
    Effect.gen(function*() {
      const world = new World()
      world.resource["scopes_supported"] = ["read"]
      yield* ping(world, Grant.clientCredentials({ client: withSecret }))
      assert.deepInclude(world.to("/token")[0], {
        form: { grant_type: "client_credentials", resource: server, scope: "read" }
      })
      assert.strictEqual(
        world.to("/token")[0]?.headers["authorization"],
        `Basic ${Buffer.from("nightly:hidden").toString("base64")}`
      )
    }))

  it.effect("gets a token by a JWT that its key has signed, which is good for the issuer and a minute", () =>
    Effect.gen(function*() {
      const { key, publicKey } = yield* Effect.promise(async () => {
        const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
        return { key: Redacted.make(await exportPKCS8(privateKey)), publicKey }
      })
      const world = new World()
      const credential = { _tag: "PrivateKey", key, algorithm: "ES256", keyId: "one" } as const
      yield* ping(world, Grant.clientCredentials({ client: { clientId: "nightly", issuer, credential } }))
      const { client_assertion = "", client_assertion_type } = world.to("/token")[0]?.form ?? {}
      assert.strictEqual(client_assertion_type, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
      const { payload, protectedHeader } = yield* Effect.promise(() =>
        jwtVerify(client_assertion, publicKey, { audience: issuer, issuer: "nightly", currentDate: new Date(0) })
      )
      assert.deepInclude(payload, { sub: "nightly", iat: 0, exp: 60 })
      assert.deepInclude(protectedHeader, { alg: "ES256", kid: "one" })
    }))

  it.effect("with a key that is none is told so, without the key", () =>
    Effect.gen(function*() {
      const credential = { _tag: "PrivateKey", key: Redacted.make("hidden"), algorithm: "ES256" } as const
      const grant = Grant.clientCredentials({ client: { clientId: "nightly", issuer, credential } })
      const reason = yield* refusal(new World(), { grant })
      assert.deepInclude(reason, { _tag: "Unsupported" })
      assert.notInclude(JSON.stringify(reason), "hidden")
    }))

  it.effect("sends its secret to no other issuer than its own", () =>
    Effect.gen(function*() {
      const world = new World()
      const grant = Grant.clientCredentials({ client: { ...withSecret, issuer: "https://mine.example" } })
      assert.deepInclude(yield* refusal(world, { grant }), { _tag: "Untrusted" })
      assert.deepStrictEqual(world.to("/token"), [])
    }))
})

describe("a workload that its platform vouches for", () => {
  it.effect("gives the JWT of the platform, and no other id", () =>
    Effect.gen(function*() {
      const world = new World()
      world.routes[`${issuer}/token`] = () => ({ json: world.give("") })
      const audiences: Array<Grant.Audience> = []
      const assertion = (audience: Grant.Audience) =>
        Effect.sync(() => {
          audiences.push(audience)
          return Redacted.make("a.b.c")
        })
      yield* ping(world, Grant.jwtBearer({ assertion }))
      assert.deepStrictEqual(audiences, [{ issuer, resource: server }])
      assert.deepStrictEqual(world.to("/token")[0]?.form, {
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: "a.b.c",
        resource: server
      })
    }))

  it.effect("is refused once, and fails where there is no JWT", () =>
    Effect.gen(function*() {
      const world = new World()
      const grant = Grant.jwtBearer({ assertion: () => Effect.succeed(Redacted.make("hidden")) })
      assert.deepInclude(yield* refusal(world, { grant }), { _tag: "Refused", error: "invalid_grant" })
      assert.strictEqual(world.to("/token").length, 1)
      const none = Grant.jwtBearer({ assertion: () => Effect.fail(new Error("no such file")) })
      assert.deepStrictEqual(yield* refusal(world, { grant: none }), { _tag: "Declined", rule: "no such file" })
    }))
})

describe("a person whom a company vouches for", () => {
  const idp = "https://idp.example"

  const grant = Grant.enterprise({
    client: withSecret,
    identityProvider: {
      issuer: idp,
      client: { clientId: "mine" },
      idToken: Effect.succeed(Redacted.make("id-token"))
    }
  })

  it.effect("gets a token for an assertion, which is given for the ID token", () =>
    Effect.gen(function*() {
      const world = new World()
      const jag = "urn:ietf:params:oauth:token-type:id-jag"
      world.routes[`${idp}/.well-known/openid-configuration`] = () => ({
        json: { issuer: idp, token_endpoint: `${idp}/token` }
      })
      world.routes[`${idp}/token`] = () => ({
        json: { access_token: "jag", token_type: "N_A", issued_token_type: jag }
      })
      world.routes[`${issuer}/token`] = () => ({ json: world.give("") })
      yield* ping(world, grant)
      assert.deepStrictEqual(world.seen.find(({ url }) => url.href === `${idp}/token`)?.form, {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        requested_token_type: jag,
        audience: issuer,
        resource: server,
        subject_token: "id-token",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        client_id: "mine"
      })
      assert.deepInclude(world.to("/token")[0]?.form, { assertion: "jag", resource: server })
    }))

  it.effect("is not vouched for by a token of another type", () =>
    Effect.gen(function*() {
      const world = new World()
      world.routes[`${idp}/.well-known/openid-configuration`] = () => ({
        json: { issuer: idp, token_endpoint: `${idp}/token` }
      })
      world.routes[`${idp}/token`] = () => ({ json: { access_token: "other", token_type: "Bearer" } })
      assert.deepInclude(yield* refusal(world, { grant }), { _tag: "Untrusted", source: idp })
      assert.deepStrictEqual(world.to("/token"), [])
    }))
})

describe("tokens in a KeyValueStore", () => {
  it.effect("are used by the next client", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = yield* TokenStore.TokenStore
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      yield* (yield* open(world, { grant: world.grant({ authorize: undefined }), store })).request("ping")
      const keys = yield* (yield* KeyValueStore.KeyValueStore).keys
      assert.deepStrictEqual([...keys].sort(), [`oauth/token/client ${issuer}`, `oauth/token/tokens ${server}`])
    }).pipe(
      Effect.provide(TokenStore.layerKeyValue),
      Effect.provide(KeyValueStore.layerMemory)
    ))

  it.effect("that cannot be read are an error of the store", () =>
    Effect.gen(function*() {
      const world = new World()
      const broken = { ...TokenStore.makeMemory(), get: () => Effect.fail(new Error("the disk is gone")) }
      const reason = yield* refusal(world, world.auth({ store: broken }))
      assert.deepStrictEqual(reason, { _tag: "Store", rule: "the disk is gone" })
    }))
})
