import { assert, describe, it } from "@effect/vitest"
import * as Account from "@parley/oauth/Account"
import * as Grant from "@parley/oauth/Grant"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Deferred, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { open, openStale, reasonOf, refusal } from "../support/opened.ts"
import { type Answer, issuer, server, World } from "../support/World.ts"

describe("a refresh that fails", () => {
  const passing: ReadonlyArray<readonly [string, number, unknown]> = [
    ["a fault", 503, undefined],
    ["too many requests", 429, { error: "slow_down" }],
    ["an error that passes", 400, { error: "temporarily_unavailable" }]
  ]

  it.effect.each(passing)("by %s keeps what is stored", ([, status, json]) =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      const transport = yield* openStale(world, world.auth({ store }))
      const mend = world.replace("/token", () => ({ status, json }))
      assert.deepInclude(yield* reasonOf(transport.request("ping")), { _tag: "Unavailable" })
      mend()
      yield* transport.request("ping")
      assert.strictEqual(world.tokens().at(-1), "refresh_token")
      assert.strictEqual(world.asked.length, 1)
    }))

  const refusals: ReadonlyArray<readonly [string, Answer]> = [
    ["because the token is no good", { status: 400, json: { error: "invalid_grant" } }],
    ["with an error in an answer of success", {
      json: { error: "bad_refresh_token", error_description: "it is no good" }
    }]
  ]

  it.effect.each(refusals)("%s asks a person again", ([, refused]) =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* openStale(world)
      world.replace("/token", (seen, issue) => seen.form["grant_type"] === "refresh_token" ? refused : issue(seen))
      yield* transport.request("ping")
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token", "authorization_code"])
    }))

  it.effect("because the token is no good removes it, where nobody can be asked", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      const later = yield* open(world, { grant: world.grant({ authorize: undefined }), store })
      world.valid.clear()
      world.routes[`${issuer}/token`] = () => ({ status: 400, json: { error: "invalid_grant" } })
      assert.deepInclude(yield* reasonOf(later.request("ping")), { _tag: "Required" })
      assert.isUndefined(yield* store.get(`tokens ${server}`))
    }))

  it.effect("a store whose lock holds in one process only has the tokens of the one that was faster", () =>
    Effect.gen(function*() {
      const world = new World()
      const shared = TokenStore.makeMemory()
      const unlocked: TokenStore.TokenStore = { ...shared, withLock: (_, effect) => effect }
      const one = yield* open(world, world.auth({ store: unlocked }))
      const other = yield* open(world, world.auth({ store: unlocked }))
      yield* one.request("ping")
      yield* other.request("ping")
      world.valid.clear()
      // The slower one is answered when the faster one is done.
      const done = yield* Deferred.make<void>()
      let isFirst = true
      world.replace("/token", (seen, issue) => {
        if (isFirst) {
          isFirst = false
          return Effect.as(Deferred.await(done), { status: 400, json: { error: "invalid_grant" } })
        }
        return issue(seen)
      })
      const slower = yield* Effect.forkChild(one.request("ping"), { startImmediately: true })
      yield* other.request("ping")
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(slower)
      assert.strictEqual(world.asked.length, 1)
    }))

  it.effect("is waited for by a client that closes meanwhile, so that the tokens it brings are kept", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      world.valid.clear()
      const reached = yield* Deferred.make<void>()
      const mend = world.replace("/token", (seen, issue) => {
        // The refresh token is used from here on.
        const answered = issue(seen)
        const sent = Effect.isEffect(answered) ? answered : Effect.succeed(answered)
        return Effect.andThen(Deferred.succeed(reached, undefined), Effect.delay(sent, "5 seconds"))
      })
      const grant = world.grant({ authorize: undefined })
      const ping = Effect.scoped(Effect.flatMap(open(world, { grant, store }), (one) => one.request("ping")))
      const first = yield* Effect.forkChild(ping)
      yield* Deferred.await(reached)
      const closing = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(closing)
      mend()
      yield* ping
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token"])
    }))
})

describe("a registration", () => {
  const unknown = { status: 401, json: { error: "invalid_client" } }

  it.effect("stays where the authorization server refuses another client", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      const given = world.grant({ client: { clientId: "by hand", issuer } })
      yield* Account.remove(store, new URL(server))
      yield* (yield* open(world, { grant: given, store })).request("ping")
      world.valid.clear()
      world.routes[`${issuer}/token`] = () => unknown
      const later = yield* open(world, { grant: world.grant({ authorize: undefined }), store })
      assert.deepInclude(yield* reasonOf(later.request("ping")), { _tag: "Required" })
      const registered = yield* store.get(`client ${issuer}`)
      assert.include(registered === undefined ? "" : Redacted.value(registered), "client-1")
    }))

  it.effect("that the authorization server does not know any more is made again for the next request", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      yield* Account.remove(store, new URL(server))
      world.replace("/token", (seen, issue) => seen.form["client_id"] === "client-1" ? unknown : issue(seen))
      const transport = yield* open(world, world.auth({ store }))
      assert.deepInclude(yield* reasonOf(transport.request("ping")), { _tag: "Refused", error: "invalid_client" })
      yield* transport.request("ping")
      assert.strictEqual(world.to("/register").length, 2)
    }))
})

describe("the account at a server", () => {
  it.effect("says who has signed in without a token, and is forgotten", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      const url = new URL(server)
      assert.isUndefined(yield* Account.get(store, url))
      world.resource["scopes_supported"] = ["read"]
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      const account = yield* Account.get(store, url)
      assert.deepStrictEqual(account, {
        issuer,
        clientId: "client-1",
        scopes: ["read"],
        expires: 60_000,
        isRefreshable: true
      })
      assert.isTrue(yield* Account.remove(store, url))
      assert.isFalse(yield* Account.remove(store, url))
      assert.isUndefined(yield* Account.get(store, url))
    }))

  it.effect("is used by a client with another redirect URI, which registers nothing to refresh it", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      world.valid.clear()
      const other = { redirectUri: "http://127.0.0.1:8/callback", authorize: undefined }
      yield* (yield* open(world, { grant: world.grant(other), store })).request("ping")
      assert.strictEqual(world.to("/register").length, 1)
      assert.deepStrictEqual(world.to("/token").map(({ form }) => form["client_id"]), ["client-1", "client-1"])
    }))
})

describe("a token", () => {
  it.effect("that another client has stored is not sent by one that is named", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      const credential = { _tag: "Secret", secret: Redacted.make("hidden") } as const
      const grant = Grant.clientCredentials({ client: { clientId: "nightly", issuer, credential } })
      yield* (yield* open(world, { grant, store })).request("ping")
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "client_credentials"])
      assert.deepInclude(yield* Account.get(store, new URL(server)), { clientId: "nightly" })
    }))

  it.effect("is not asked for by a server that is not encrypted, or wants another credential", () =>
    Effect.gen(function*() {
      const plain = new World("http://mcp.example/mcp")
      assert.deepInclude(yield* refusal(plain, plain.auth(), plain.server), { _tag: "Forbidden" })
      const basic = new World()
      basic.routes[server] = () => ({ status: 401, headers: { "www-authenticate": `Basic realm="it"` } })
      const transport = yield* open(basic)
      assert.deepInclude(yield* Effect.flip(transport.request("ping")), { _tag: "HttpStatusError", status: 401 })
      assert.strictEqual(basic.seen.length, 1)
    }))

  it.effect.each<readonly [unknown, string, string]>([
    [60, "53 seconds", "55 seconds"],
    [3_600, "59 minutes", "3571 seconds"],
    [10, "8 seconds", "9 seconds"],
    ["60", "53 seconds", "55 seconds"]
  ])("that is good for %s seconds is renewed a little before", ([seconds, before, after]) =>
    Effect.gen(function*() {
      const world = new World()
      world.replace("/token", (seen, issue) => {
        // The token endpoint of a world answers at once.
        const { json } = issue(seen) as { readonly json: object }
        return { json: { ...json, expires_in: seconds } }
      })
      const transport = yield* open(world)
      yield* transport.request("ping")
      yield* TestClock.setTime(Duration.toMillis(Duration.fromInputUnsafe(before as Duration.Input)))
      yield* transport.request("ping")
      assert.strictEqual(world.tokens().length, 1)
      yield* TestClock.setTime(Duration.toMillis(Duration.fromInputUnsafe(after as Duration.Input)))
      yield* transport.request("ping")
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token"])
    }))

  it.effect.each([0, -1, null, 1e308])(
    "that is good for %s seconds is used until it is refused",
    (seconds) =>
      Effect.gen(function*() {
        const world = new World()
        world.routes[`${issuer}/token`] = () => ({ json: { ...world.give(""), expires_in: seconds } })
        const transport = yield* open(world)
        yield* transport.request("ping")
        yield* TestClock.adjust("1 day")
        yield* transport.request("ping")
        assert.strictEqual(world.tokens().length, 1)
      })
  )

  it.effect.each<readonly [string, object]>([
    ["expires_in", { expires_in: "soon" }],
    ["scope", { scope: ["read"] }],
    ["token_type", { token_type: undefined }]
  ])(
    "with a bad member %s is not taken, and the error says what each must be",
    ([member, wrong]) =>
      Effect.gen(function*() {
        const world = new World()
        world.routes[`${issuer}/token`] = () => ({ json: { ...world.give(""), ...wrong } })
        const reason = yield* refusal(world)
        assert.deepInclude(reason, { _tag: "Untrusted", source: `${issuer}/token` })
        assert.include(JSON.stringify(reason), `\`${member}\``)
      })
  )

  it.effect.each(["a\r\nx-other: b", "a b", "käse", ""])(
    "that no header can hold is not taken: %j",
    (access_token) =>
      Effect.gen(function*() {
        const world = new World()
        world.routes[`${issuer}/token`] = () => ({ json: { access_token, token_type: "Bearer" } })
        const reason = yield* refusal(world)
        assert.deepInclude(reason, { _tag: "Untrusted" })
        assert.notInclude(JSON.stringify(reason), "x-other")
      })
  )

  it.effect("that is to be bound to a key, and is not, is not taken", () =>
    Effect.gen(function*() {
      const world = new World()
      assert.deepInclude(yield* refusal(world, world.auth({ dpop: true })), { _tag: "Unsupported", issuer })
      const other = new World()
      other.metadata["dpop_signing_alg_values_supported"] = ["none", "HS256"]
      assert.deepInclude(yield* refusal(other, other.auth({ dpop: true })), { _tag: "Unsupported", issuer })
      assert.deepStrictEqual(other.asked, [])
    }))
})
