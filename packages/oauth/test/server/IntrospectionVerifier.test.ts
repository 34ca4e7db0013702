import { assert, describe, it } from "@effect/vitest"
import * as IntrospectionVerifier from "@parley/oauth/IntrospectionVerifier"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import type { TokenVerifier } from "@parley/oauth/TokenVerifier"
import type * as Handshake from "@parley/transport/Handshake"
import { Deferred, Effect, Exit, Fiber, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type Answer, fetcherOf, issuerUrl, notFound, resource } from "../support/issuer.ts"

const outcome = ({ verify }: TokenVerifier, token: string): Effect.Effect<string> =>
  Effect.match(verify(Redacted.make(token)), {
    onFailure: (error) => error._tag === "TokenRefused" ? error.reason : error.message,
    onSuccess: ({ subject }) => subject
  })

const client = { id: "a server", secret: Redacted.make("s3cr:et&") }

interface Asked {
  readonly authorization: string | undefined
  readonly form: URLSearchParams
}

/** An issuer that says of each token what a function says. */
const setup = Effect.fnUntraced(function*(
  say: (token: string) => unknown | Effect.Effect<Answer>,
  options: Partial<IntrospectionVerifier.IntrospectionVerifierOptions> = {}
) {
  const asked: Array<Asked> = []
  let discovered = 0
  const fetcher = fetcherOf((url, { body, headers }) => {
    if (url === `${issuerUrl}/.well-known/openid-configuration`) {
      discovered++
      return { body: { issuer: issuerUrl, introspection_endpoint: `${issuerUrl}/introspect` } }
    }
    if (url !== `${issuerUrl}/introspect`) return notFound
    const form = new URLSearchParams(body)
    asked.push({ authorization: headers?.["authorization"], form })
    const said = say(form.get("token") ?? "")
    return Effect.isEffect(said) ? said as Effect.Effect<Answer> : { body: said }
  })
  const verifier = yield* IntrospectionVerifier.make(fetcher, { issuer: issuerUrl, client, ...options })
  return { asked, discovered: () => discovered, verifier, outcome: (token: string) => outcome(verifier, token) }
})

const headOf = (token: string, address: string, forwarded: string | undefined): Handshake.Head => {
  const headers = new Map([["authorization", `Bearer ${token}`]])
  if (forwarded !== undefined) headers.set("x-forwarded-for", forwarded)
  return { method: "POST", url: "/mcp", address, header: (name) => headers.get(name) }
}

const active = { active: true, sub: "ada", client_id: "cli", scope: "a b", aud: resource, exp: 300 }

describe("an introspection", () => {
  it.effect("says for whom a token is, and which scopes it has", () =>
    Effect.gen(function*() {
      const { asked, verifier } = yield* setup(() => active)
      assert.deepStrictEqual(yield* verifier.verify(Redacted.make("opaque")), {
        issuer: issuerUrl,
        subject: "ada",
        clientId: "cli",
        scopes: new Set(["a", "b"]),
        audience: [resource],
        expiresAt: 300_000,
        keyThumbprint: undefined,
        claims: active
      })
      const [{ authorization, form } = { authorization: "", form: new URLSearchParams() }] = asked
      assert.strictEqual(authorization, `Basic ${btoa("a+server:s3cr%3Aet%26")}`)
      assert.deepStrictEqual([...form], [["token", "opaque"], ["token_type_hint", "access_token"]])
    }))

  it.effect("may send the secret in the body", () =>
    Effect.gen(function*() {
      const { asked, outcome } = yield* setup(() => active, { client: { ...client, method: "post" } })
      yield* outcome("opaque")
      assert.isUndefined(asked[0]?.authorization)
      assert.strictEqual(asked[0]?.form.get("client_secret"), "s3cr:et&")
    }))

  it.effect("refuses what is not in force, of another issuer, or over", () =>
    Effect.gen(function*() {
      const table: ReadonlyArray<readonly [object, string]> = [
        [{ active: false }, "Inactive"],
        [{ ...active, iss: "https://other.example.org" }, "Issuer"],
        [{ ...active, iss: issuerUrl }, "ada"],
        [{ ...active, exp: -30 }, "Expired"],
        [{ active: true, client_id: "robot" }, "robot"],
        [{ active: true }, "Malformed"]
      ]
      for (const [answer, expected] of table) {
        const { outcome } = yield* setup(() => answer)
        assert.strictEqual(yield* outcome("opaque"), expected, JSON.stringify(answer))
      }
    }))

  it.effect("is made once for all that bring a token, and again when a minute is over", () =>
    Effect.gen(function*() {
      const { asked, discovered, outcome } = yield* setup(() => active)
      yield* Effect.forEach([1, 2, 3], () => outcome("opaque"), { concurrency: "unbounded" })
      yield* TestClock.adjust("59 seconds")
      yield* outcome("opaque")
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("1 second")
      yield* outcome("opaque")
      assert.strictEqual(asked.length, 2)
      assert.strictEqual(discovered(), 1)
    }))

  it.effect("is made again for a token that was not in force", () =>
    Effect.gen(function*() {
      let isActive = false
      const { outcome } = yield* setup(() => ({ ...active, active: isActive }))
      assert.strictEqual(yield* outcome("opaque"), "Inactive")
      isActive = true
      assert.strictEqual(yield* outcome("opaque"), "ada")
    }))

  it.effect("is made of so many tokens at once", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { asked, outcome } = yield* setup(
        () => Effect.as(Deferred.await(gate), { body: active }),
        { concurrency: 2, endpoint: `${issuerUrl}/introspect` }
      )
      const all = yield* Effect.forEach(
        ["a", "b", "c", "d"],
        (token) => Effect.forkChild(outcome(token), { startImmediately: true })
      )
      assert.strictEqual(asked.length, 2)
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Effect.forEach(all, Fiber.join), ["ada", "ada", "ada", "ada"])
    }))

  it.effect("that runs, or has refused its token, displaces no token that was found valid", () =>
    Effect.gen(function*() {
      const { asked, outcome } = yield* setup(
        (token) => token === "good" ? active : token.startsWith("slow") ? Effect.never : { active: false },
        { concurrency: 10_000 }
      )
      assert.strictEqual(yield* outcome("good"), "ada")
      for (let count = 0; count < 2_100; count++) {
        yield* Effect.forkChild(outcome(`slow ${count}`), { startImmediately: true })
        yield* outcome(`bad ${count}`)
      }
      const before = asked.length
      assert.strictEqual(yield* outcome("good"), "ada")
      assert.strictEqual(asked.length, before)
    }))

  it.effect("is remembered for other principals when one has too many tokens", () =>
    Effect.gen(function*() {
      const { asked, outcome } = yield* setup((token) => ({ ...active, sub: token.split(" ")[0] }))
      yield* outcome("ada 1")
      for (let count = 0; count < 2_100; count++) yield* outcome(`eve ${count}`)
      const before = asked.length
      assert.deepStrictEqual([yield* outcome("ada 1"), yield* outcome("eve 2099")], ["ada", "eve"])
      assert.strictEqual(asked.length, before)
      assert.strictEqual(yield* outcome("eve 0"), "eve")
      assert.strictEqual(asked.length, before + 1)
    }))

  it.effect("ends when nobody waits for it any more, and is made anew for the next", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { asked, outcome } = yield* setup(() => Effect.as(Deferred.await(gate), { body: active }), {
        concurrency: 1
      })
      const one = yield* Effect.forkChild(outcome("a"), { startImmediately: true })
      const two = yield* Effect.forkChild(outcome("a"), { startImmediately: true })
      yield* Fiber.interrupt(one)
      yield* Fiber.interrupt(two)
      const three = yield* Effect.forkChild(outcome("b"), { startImmediately: true })
      const four = yield* Effect.forkChild(outcome("a"), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual([yield* Fiber.join(three), yield* Fiber.join(four)], ["ada", "ada"])
      assert.deepStrictEqual(asked.map(({ form }) => form.get("token")), ["a", "b", "a"])
    }))

  for (
    const [title, proxied, behind] of [
      ["from another address", undefined, undefined],
      ["from another client of a proxy", { trusted: ["10.0.0.1"], header: "x-forwarded-for" }, "10.0.0.1"]
    ] as const
  ) {
    it.effect(`of a valid token waits for two of a thousand invented ones, ${title}`, () =>
      Effect.gen(function*() {
        const { asked, verifier } = yield* setup(
          (token) => Effect.delay(Effect.succeed({ body: token === "good" ? active : { active: false } }), "1 second"),
          { concurrency: 1, endpoint: `${issuerUrl}/introspect` }
        )
        const guard = ResourceServer.guard(ResourceServer.make({ resource, verifier }), { proxies: proxied })
        const send = (token: string, address: string) =>
          Effect.forkChild(
            guard.authorize(headOf(token, behind ?? address, behind === undefined ? undefined : address)),
            { startImmediately: true }
          )
        const invented = yield* Effect.forEach(Array.from({ length: 1_000 }), (_, at) => send(`bad-${at}`, "192.0.2.1"))
        const valid = yield* send("good", "192.0.2.2")
        yield* TestClock.adjust("3 seconds")
        assert.isDefined(valid.pollUnsafe())
        assert.deepStrictEqual(asked.map(({ form }) => form.get("token")), ["bad-0", "bad-999", "good", "bad-998"])
        // Those who leave give up their turns.
        yield* Effect.forEach(invented.slice(1), Fiber.interrupt)
        const next = yield* send("next", "192.0.2.1")
        // Digests of tokens are made in other threads, in the order in which they are asked for.
        for (let times = 0; times < 900 && next.pollUnsafe() === undefined; times++) {
          yield* Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(1)))
          yield* TestClock.adjust("10 millis")
        }
        assert.strictEqual(asked.at(-1)?.form.get("token"), "next")
        assert.isAtMost(asked.length, 5)
      }))
  }

  it.effect("that fails blames no token, and names no secret", () =>
    Effect.gen(function*() {
      for (const answer of [{ status: 401, body: "" }, { status: 404, body: "" }, { body: "[]" }, { body: {} }]) {
        const { outcome } = yield* setup(() => Effect.succeed<Answer>(answer))
        const message = yield* outcome("opaque")
        assert.include(message, `no access token can be checked now: ${issuerUrl}/introspect `)
        for (const secret of ["s3cr", "opaque"]) assert.notInclude(message, secret)
      }
      const made = IntrospectionVerifier.make(fetcherOf(() => undefined), {
        issuer: issuerUrl,
        endpoint: "http://as.example.org/introspect",
        client
      })
      assert.isTrue(Exit.hasDies(yield* Effect.exit(made)))
    }))

  it.effect.prop("takes any answer, and refuses it for a reason", {
    answer: Schema.Record(Schema.String, Schema.Json),
    isActive: Schema.Boolean
  }, ({ answer, isActive }) =>
    Effect.gen(function*() {
      const { verifier } = yield* setup(() => ({ ...answer, active: isActive }))
      const exit = yield* Effect.exit(verifier.verify(Redacted.make("opaque")))
      assert.isFalse(Exit.hasDies(exit))
      if (!isActive) assert.isTrue(Exit.isFailure(exit))
    }))
})
