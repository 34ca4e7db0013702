import { assert, describe, it } from "@effect/vitest"
import * as ClientAuthorization from "@parley/oauth/ClientAuthorization"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Deferred, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { open, openOver, openStale, reasonOf } from "../support/opened.ts"
import { challenge, issuer, type Seen, server, World } from "../support/World.ts"

describe("a client whose server wants a token", () => {
  it.effect("finds out who issues it, registers, asks a person, and sends the request again", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* open(world)
      assert.deepStrictEqual(yield* transport.request("ping"), {})
      assert.deepStrictEqual(world.seen.map(({ method, url }) => `${method} ${url.host}${url.pathname}`), [
        "POST mcp.example/mcp",
        "GET mcp.example/.well-known/oauth-protected-resource/mcp",
        "GET as.example/.well-known/oauth-authorization-server",
        "POST as.example/register",
        "POST as.example/token",
        "POST mcp.example/mcp"
      ])
      assert.deepInclude(JSON.parse(world.to("/register")[0]?.body ?? ""), {
        redirect_uris: ["http://127.0.0.1:7/callback"],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "none",
        application_type: "native"
      })
      assert.deepInclude(world.asked[0], { server, issuer, scopes: [] })
      // The stored token is sent at once.
      yield* transport.request("ping")
      assert.strictEqual(world.seen.length, 7)
      assert.strictEqual(world.asked.length, 1)
    }))

  it.effect("a hundred calls at once ask one person once", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* open(world)
      yield* Effect.all(Array.from({ length: 100 }, () => transport.request("ping")), { concurrency: "unbounded" })
      assert.strictEqual(world.asked.length, 1)
      assert.deepStrictEqual(world.tokens(), ["authorization_code"])
    }))

  it.effect("a hundred calls of two clients with an expired token refresh it once", () =>
    Effect.gen(function*() {
      const world = new World()
      const auth = world.auth({ store: TokenStore.makeMemory() })
      const one = yield* open(world, auth)
      const other = yield* open(world, auth)
      yield* one.request("ping")
      yield* other.request("ping")
      world.valid.clear()
      yield* TestClock.adjust("1 minute")
      yield* Effect.all(
        Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : other).request("ping")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token"])
      assert.strictEqual(world.asked.length, 1)
    }))

  it.effect("a token that the server refuses before its time is refreshed, too", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* openStale(world)
      yield* Effect.all([transport.request("ping"), transport.request("ping")], { concurrency: "unbounded" })
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token"])
    }))

  it.effect("tokens that a store has not taken are stored before it is read again, and no refresh token is used twice", () =>
    Effect.gen(function*() {
      const world = new World()
      const memory = TokenStore.makeMemory()
      let isFull = false
      const store: TokenStore.TokenStore = {
        ...memory,
        set: (key, text) => isFull ? Effect.fail(new Error("the disk is full")) : memory.set(key, text)
      }
      const transport = yield* openStale(world, world.auth({ store }))
      isFull = true
      assert.deepStrictEqual(yield* reasonOf(transport.request("ping")), { _tag: "Store", rule: "the disk is full" })
      // What is new is used, though it is not stored.
      assert.deepStrictEqual(yield* transport.request("ping"), {})
      isFull = false
      world.valid.clear()
      assert.deepStrictEqual(yield* transport.request("ping"), {})
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token", "refresh_token"])
      assert.strictEqual(world.asked.length, 1)
      const later = yield* open(world, { grant: world.grant({ authorize: undefined }), store })
      assert.deepStrictEqual(yield* later.request("ping"), {})
    }))

  it.effect("tokens that were not stored give way to those that somebody else has stored meanwhile", () =>
    Effect.gen(function*() {
      const world = new World()
      const memory = TokenStore.makeMemory()
      let isFull = false
      const full: TokenStore.TokenStore = {
        ...memory,
        set: (key, text) => isFull ? Effect.fail(new Error("the disk is full")) : memory.set(key, text)
      }
      const transport = yield* openStale(world, world.auth({ store: full }))
      isFull = true
      assert.deepInclude(yield* reasonOf(transport.request("ping")), { _tag: "Store" })
      isFull = false
      // Its refresh token was used already, so that it asks the person.
      const other = yield* open(world, world.auth({ store: memory }))
      world.valid.clear()
      assert.deepStrictEqual(yield* other.request("ping"), {})
      assert.strictEqual(world.asked.length, 2)
      assert.deepStrictEqual(yield* transport.request("ping"), {})
      assert.deepStrictEqual(yield* other.request("ping"), {})
      assert.strictEqual(world.asked.length, 2)
    }))

  it.effect.each([400, 401])(
    "a refresh that is refused without a code of OAuth, with the status %d, asks the person",
    (status) =>
      Effect.gen(function*() {
        const world = new World()
        const transport = yield* openStale(world)
        world.replace("/token", (seen, before) =>
          seen.form["grant_type"] === "refresh_token" ? { status, text: "expired" } : before(seen))
        assert.deepStrictEqual(yield* transport.request("ping"), {})
        assert.strictEqual(world.asked.length, 2)
      })
  )

  it.effect.each([302, 403, 404, 408])(
    "a refresh that is answered with the page of a proxy and the status %d asks nobody, and keeps the tokens",
    (status) =>
      Effect.gen(function*() {
        const world = new World()
        const transport = yield* openStale(world)
        const undo = world.replace("/token", () => ({ status, text: "<html>" }))
        const reason = yield* reasonOf(transport.request("ping"))
        assert.deepInclude(reason, { _tag: "Refused", error: `with HTTP status ${status}` })
        undo()
        assert.deepStrictEqual(yield* transport.request("ping"), {})
        assert.strictEqual(world.asked.length, 1)
      })
  )

  it.effect("a server that repeats secrets in its errors has them in no error of ours", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* openStale(world)
      world.replace("/token", ({ form: { code, code_verifier: verifier, refresh_token: token } }) => ({
        status: 400,
        json: { error: `bad ${token ?? code}`, error_description: `${token ?? code} or ${verifier} is bad` }
      }))
      const reason = yield* reasonOf(transport.request("ping"))
      assert.deepStrictEqual(reason, { _tag: "Refused", issuer, error: "bad …", description: "… or … is bad" })
      assert.strictEqual(world.to("/token").length, 3)
    }))

  it.effect("tokens of a type that is not known are not used", () =>
    Effect.gen(function*() {
      const world = new World()
      world.replace("/token", () => ({ json: { access_token: "t", token_type: "mac" } }))
      const transport = yield* open(world)
      assert.deepInclude(yield* reasonOf(transport.request("ping")), { _tag: "Unsupported" })
    }))

  it.effect("tokens of another client of the store are used, and nobody is asked", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      const later = yield* open(world, { grant: world.grant({ authorize: undefined }), store })
      yield* later.request("ping")
      assert.strictEqual(world.asked.length, 1)
    }))

  it.effect("tokens that somebody else has stored meanwhile are refreshed where they are refused", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      const late = yield* open(world, { grant: world.grant({ authorize: undefined }), store })
      assert.deepInclude(yield* reasonOf(late.request("ping")), { _tag: "Required" })
      yield* (yield* open(world, world.auth({ store }))).request("ping")
      world.valid.clear()
      yield* late.request("ping")
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token"])
    }))

  it.effect("a call that is given up does not stop what others wait for", () =>
    Effect.gen(function*() {
      const world = new World()
      const shown = yield* Deferred.make<void>()
      const decided = yield* Deferred.make<void>()
      const authorize: typeof world.authorize = (request) =>
        Deferred.succeed(shown, undefined).pipe(
          Effect.andThen(Deferred.await(decided)),
          Effect.andThen(world.authorize(request))
        )
      const transport = yield* open(world, { grant: world.grant({ authorize }) })
      const first = yield* Effect.forkChild(transport.request("ping"))
      yield* Deferred.await(shown)
      const second = yield* Effect.forkChild(transport.request("ping"), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(decided, undefined)
      assert.deepStrictEqual(yield* Fiber.join(second), {})
      assert.strictEqual(world.asked.length, 1)
    }))
})

describe("a server that refuses", () => {
  it.effect("a token that is fresh is not given another", () =>
    Effect.gen(function*() {
      const world = new World()
      world.routes[server] = () => challenge(`, error="invalid_token", error_description="another audience"`)
      const transport = yield* open(world)
      assert.deepStrictEqual(yield* reasonOf(transport.request("ping")), {
        _tag: "Rejected",
        issuer,
        description: "another audience"
      })
      assert.strictEqual(world.asked.length, 1)
    }))

  it.effect("for want of scopes is given a token with those and the earlier ones", () =>
    Effect.gen(function*() {
      const world = new World()
      world.resource["scopes_supported"] = ["read"]
      const transport = yield* open(world)
      yield* transport.request("ping")
      world.needed = ["write"]
      yield* transport.request("ping")
      assert.deepStrictEqual(world.asked.map(({ scopes }) => scopes), [["read"], ["write", "read"]])
    }))

  it.effect("for want of other scopes each time is given a token with the newest 256", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* open(world)
      yield* transport.request("ping")
      for (const round of [1, 2, 3]) {
        world.needed = Array.from({ length: 100 }, (_, index) => `${round}:${index}`)
        yield* transport.request("ping")
      }
      assert.deepStrictEqual(world.asked.map(({ scopes }) => scopes.length), [0, 100, 200, 256])
    }))

  it.effect("for want of scopes that are never granted is asked once more, and no more", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* open(world)
      yield* transport.request("ping")
      world.needed = ["admin"]
      world.routes[`${issuer}/token`] = () => ({ json: { ...world.give(""), scope: "other" } })
      assert.deepStrictEqual(yield* reasonOf(transport.request("ping")), {
        _tag: "InsufficientScope",
        scopes: ["admin"]
      })
      assert.deepInclude(yield* reasonOf(transport.request("ping")), { _tag: "InsufficientScope" })
      assert.strictEqual(world.asked.length, 2)
    }))

  it.effect("a request that is no POST asks nobody", () =>
    Effect.gen(function*() {
      const world = new World()
      const { fetch } = yield* ClientAuthorization.makeFetcher(world.fetcher, { ...world.auth(), url: server })
      const lost = yield* Effect.flip(fetch({ method: "GET", url: server }))
      assert.deepStrictEqual(ClientAuthorization.failureOf(lost)?.reason, { _tag: "Required" })
      assert.strictEqual(world.asked.length, 0)
    }))

  it.effect("where nobody can be asked, the error says so", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* open(world, { grant: world.grant({ authorize: undefined }) })
      assert.deepStrictEqual(yield* reasonOf(transport.request("ping")), { _tag: "Required" })
      assert.deepStrictEqual(world.to("/register"), [])
    }))

  it.effect("a person who declines is asked again with the next call, not with those that waited", () =>
    Effect.gen(function*() {
      const world = new World()
      let asked = 0
      const authorize = () =>
        Effect.suspend(() => {
          asked++
          return Effect.fail(new Error("the window was closed"))
        })
      const transport = yield* open(world, { grant: world.grant({ authorize }) })
      const both = [transport.request("ping"), transport.request("ping")]
      const reasons = yield* Effect.all(both.map(reasonOf), { concurrency: "unbounded" })
      assert.deepStrictEqual(reasons.map(({ _tag }) => _tag), ["Declined", "Declined"])
      assert.strictEqual(asked, 1)
    }))
})

describe("a server that moves to another issuer", () => {
  it.effect("gets a client and tokens of that issuer, and nothing of the first goes there", () =>
    Effect.gen(function*() {
      const world = new World()
      const second = "https://other.example"
      const transport = yield* open(world)
      yield* transport.request("ping")
      world.resource["authorization_servers"] = [second]
      const at = (path: string, json: (seen: Seen) => unknown) => {
        world.routes[`${second}${path}`] = (seen) => ({ json: json(seen) })
      }
      at("/.well-known/oauth-authorization-server", () => ({
        ...world.metadata,
        issuer: second,
        authorization_endpoint: `${second}/authorize`,
        token_endpoint: `${second}/token`,
        registration_endpoint: `${second}/register`
      }))
      at("/register", () => ({ client_id: "second" }))
      at("/token", () => world.give(""))
      world.valid.clear()
      yield* transport.request("ping")
      assert.deepStrictEqual(world.asked.map(({ issuer }) => issuer), [issuer, second])
      const there = world.seen.filter(({ url }) => url.origin === second)
      assert.isFalse(there.some(({ body }) => /client-1|refresh-|access-/.test(body)))
      assert.deepStrictEqual(there.map(({ form }) => form["client_id"]).at(-1), "second")
    }))
})

describe("secrets", () => {
  it.effect("are in no error and in no text of the store's values", () =>
    Effect.gen(function*() {
      const world = new World()
      const store = TokenStore.makeMemory()
      const transport = yield* open(world, world.auth({ store }))
      yield* transport.request("ping")
      const kept = yield* store.get(`tokens ${server}`)
      assert.include(kept === undefined ? "" : Redacted.value(kept), "refresh-")
      assert.notInclude(String(kept), "refresh-")
      world.valid.clear()
      world.routes[`${issuer}/token`] = () => ({ json: { access_token: "", token_type: "x", refresh_token: "hidden" } })
      const error = yield* Effect.flip(transport.request("ping"))
      assert.notMatch(`${JSON.stringify(error)} ${String(error)}`, /hidden|access-|refresh-|code-/)
    }))

  it.effect("go to the origin of the server alone", () =>
    Effect.gen(function*() {
      const world = new World()
      const { fetch, token } = yield* ClientAuthorization.makeFetcher(world.fetcher, { ...world.auth(), url: server })
      yield* fetch({ method: "POST", url: server, body: `{"jsonrpc":"2.0","id":1,"method":"ping"}` })
      assert.include(Redacted.value(token() ?? assert.fail("there is no token")), "access-")
      yield* fetch({ method: "POST", url: "https://evil.example/rpc", body: "{}" })
      assert.deepStrictEqual(world.seen.at(-1)?.headers, {})
    }))
})

describe("a refusal", () => {
  it.effect("whose body does not end is left after a second", () =>
    Effect.gen(function*() {
      const world = new World()
      const fetcher: typeof world.fetcher = {
        fetch: (request) =>
          Effect.map(world.fetcher.fetch(request), (response) =>
            response.status === 401 ? { ...response, read: () => Effect.never } : response)
      }
      const transport = yield* openOver(fetcher, world.auth(), server)
      const call = yield* Effect.forkChild(transport.request("ping"), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(call), {})
    }))
})

describe("an authorization server that is silent", () => {
  it.effect("is given up after a time, and what is stored stays", () =>
    Effect.gen(function*() {
      const world = new World()
      const transport = yield* openStale(world)
      for (const place of ["/.well-known/oauth-authorization-server", "/token"]) {
        const mend = world.replace(place, () => Effect.never)
        const call = yield* Effect.forkChild(reasonOf(transport.request("ping")))
        yield* TestClock.adjust(Duration.seconds(15))
        assert.deepInclude(yield* Fiber.join(call), { _tag: "Unavailable" })
        mend()
      }
      yield* transport.request("ping")
      assert.strictEqual(world.tokens().at(-1), "refresh_token")
      assert.strictEqual(world.asked.length, 1)
    }))
})
