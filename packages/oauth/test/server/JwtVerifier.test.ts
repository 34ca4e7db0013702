import { assert, describe, it } from "@effect/vitest"
import * as JwtVerifier from "@parley/oauth/JwtVerifier"
import type { TokenVerifier } from "@parley/oauth/TokenVerifier"
import { Deferred, Effect, Exit, Fiber, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { CompactSign } from "jose/jws/compact/sign"
import { claims, fetcherOf, issuerUrl, keyPair, makeIssuer, sign } from "../support/issuer.ts"

/** The outcome for a token: its subject, or why it is refused. */
const outcome = ({ verify }: TokenVerifier, token: string): Effect.Effect<string> =>
  Effect.match(verify(Redacted.make(token)), {
    onFailure: (error) => error._tag === "TokenRefused" ? error.reason : `${error._tag}: ${error.rule}`,
    onSuccess: ({ subject }) => subject
  })

const setup = Effect.gen(function*() {
  const key = yield* keyPair("one")
  const issuer = makeIssuer(key)
  const verifier = yield* JwtVerifier.make(issuer.fetcher, { issuer: issuerUrl })
  return { key, issuer, verifier, outcome: (token: string) => outcome(verifier, token) }
})

describe("a token", () => {
  it.effect("says for whom it is, and which scopes it has", () =>
    Effect.gen(function*() {
      const { key, verifier } = yield* setup
      const payload = { ...claims, scp: ["admin"], tenant: "a" }
      const token = yield* verifier.verify(Redacted.make(yield* sign(key, payload)))
      assert.deepStrictEqual(token, {
        issuer: issuerUrl,
        subject: "ada",
        clientId: "cli",
        scopes: new Set(["files:read", "files:write", "admin"]),
        audience: [claims.aud],
        expiresAt: 300_000,
        keyThumbprint: undefined,
        claims: payload
      })
    }))

  it.effect("is refused where a claim is wrong or missing", () =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup
      const table: ReadonlyArray<readonly [object, string]> = [
        [{ iss: "https://as.example.org/" }, "Issuer"],
        [{ iss: undefined }, "Issuer"],
        [{ sub: undefined, client_id: undefined }, "Malformed"],
        [{ sub: "" }, "Malformed"],
        [{ sub: undefined }, "cli"],
        [{ sub: 7 }, "Malformed"],
        [{ exp: undefined }, "Malformed"],
        [{ exp: "300" }, "Malformed"],
        [{ nbf: 31 }, "NotYetValid"],
        [{ nbf: 30 }, "ada"],
        [{ aud: [7] }, "Malformed"],
        [{ cnf: { "x5t#S256": "a" } }, "Bound"],
        [{ token_type: "DPoP" }, "Bound"],
        [{ token_type: "refresh_token" }, "Type"],
        [{ token_use: "id" }, "Type"],
        [{ token_type: "Bearer", token_use: "access" }, "ada"]
      ]
      for (const [change, expected] of table) {
        assert.strictEqual(yield* outcome(yield* sign(key, { ...claims, ...change })), expected, JSON.stringify(change))
      }
      // A number of JSON that is parsed as infinity.
      const endless = JSON.stringify(claims).replace(`"exp":300`, `"exp":1e999`)
      const signed = yield* Effect.promise(() =>
        new CompactSign(new TextEncoder().encode(endless)).setProtectedHeader({ alg: "ES256", kid: "one" })
          .sign(key.privateKey)
      )
      assert.strictEqual(yield* outcome(signed), "Malformed")
    }))

  it.effect("is refused when its time is over, also where its check is remembered", () =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup
      const token = yield* sign(key)
      yield* TestClock.adjust("329 seconds")
      assert.strictEqual(yield* outcome(token), "ada")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* outcome(token), "Expired")
    }))

  it.effect("is refused with a signature of somebody else, of another kind, or with none", () =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup
      const token = yield* sign(key)
      const [header = "", payload = "", signature = ""] = token.split(".")
      const other = yield* keyPair("one")
      assert.strictEqual(yield* outcome(yield* sign(other)), "Signature")
      // Keys that a token brings along, or names, are nobody's.
      const along = { jwk: other.publicJwk, jku: "https://evil.example.org/jwks", x5u: "https://evil.example.org/cert" }
      assert.strictEqual(yield* outcome(yield* sign(other, claims, along)), "Signature")
      const forged = btoa(JSON.stringify({ ...claims, sub: "eve" })).replace(/=/g, "")
      assert.strictEqual(yield* outcome(`${header}.${forged}.${signature}`), "Signature")
      const none = btoa(JSON.stringify({ alg: "none", kid: "one" })).replace(/=/g, "")
      assert.strictEqual(yield* outcome(`${none}.${payload}.`), "Algorithm")
      assert.strictEqual(yield* outcome(yield* sign(key, claims, { typ: "dpop+jwt" })), "Type")
      assert.strictEqual(yield* outcome(yield* sign(key, claims, { typ: "application/at+JWT" })), "ada")
      assert.strictEqual(yield* outcome(yield* sign(key, claims, { kid: "two" })), "UnknownKey")
      assert.strictEqual(yield* outcome(yield* sign(key, claims, { crit: ["b64"], b64: true })), "Malformed")
      assert.strictEqual(yield* outcome("a".repeat(16_385)), "Malformed")
    }))

  it.effect("is refused that is signed with the public key as if it were a secret", () =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup
      const secret = new TextEncoder().encode(JSON.stringify(key.publicJwk))
      const hmac = yield* Effect.promise(() =>
        crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, true, ["sign"])
      )
      const confused = yield* sign({ ...key, alg: "HS256", privateKey: hmac })
      assert.strictEqual(yield* outcome(confused), "Algorithm")
    }))

  it.effect("may be signed with any algorithm that has a key pair, or only with those that are allowed", () =>
    Effect.gen(function*() {
      for (const alg of ["RS256", "PS256", "ES384", "EdDSA"]) {
        const key = yield* keyPair("one", alg)
        const { fetcher } = makeIssuer(key)
        const token = yield* sign(key)
        const anything = yield* JwtVerifier.make(fetcher, { issuer: issuerUrl })
        assert.strictEqual(yield* outcome(anything, token), "ada", alg)
        const few = yield* JwtVerifier.make(fetcher, { issuer: issuerUrl, algorithms: ["ES256"] })
        assert.strictEqual(yield* outcome(few, token), "Algorithm", alg)
      }
      for (const algorithm of ["HS256", "none"]) {
        const made = JwtVerifier.make(makeIssuer().fetcher, { issuer: issuerUrl, algorithms: [algorithm] })
        assert.isTrue(Exit.hasDies(yield* Effect.exit(made)))
      }
    }))

  it.effect.prop("whatever it is, is refused for a reason, and never remembered", {
    token: Schema.Union([
      Schema.String,
      Schema.TemplateLiteral([Schema.String, ".", Schema.String, ".", Schema.String])
    ])
  }, ({ token }) =>
    Effect.gen(function*() {
      const { outcome } = yield* setup
      assert.include(["Malformed", "Algorithm", "Type"], yield* outcome(token))
    }))

  it.effect.prop("whatever its header and claims are, is refused for a reason", {
    header: Schema.Record(Schema.String, Schema.Json),
    alg: Schema.Literals(["ES256", "RS256", "none", "HS256"]),
    kid: Schema.Union([Schema.Literals(["one", "two"]), Schema.Json])
  }, ({ alg, header, kid }) =>
    Effect.gen(function*() {
      const { outcome } = yield* setup
      const text = Buffer.from(JSON.stringify({ ...header, alg, kid })).toString("base64url")
      const payload = Buffer.from(JSON.stringify(claims)).toString("base64url")
      assert.include(
        ["Malformed", "Algorithm", "Type", "UnknownKey", "Signature"],
        yield* outcome(`${text}.${payload}.${"A".repeat(86)}`)
      )
    }))
})

describe("the keys of an issuer", () => {
  it.effect("are fetched once for all that wait, and not for each token", () =>
    Effect.gen(function*() {
      const { issuer, key, outcome } = yield* setup
      const tokens = yield* Effect.forEach(Array.from({ length: 20 }, (_, n) => n), (n) =>
        sign(key, { ...claims, sub: `${n}` }))
      const subjects = yield* Effect.forEach(tokens, outcome, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        subjects,
        tokens.map((_, n) =>
          `${n}`
        )
      )
      assert.strictEqual(issuer.asked, 1)
    }))

  it.effect("are fetched again for a key that is not known, but not for everybody who makes one up", () =>
    Effect.gen(function*() {
      const { issuer, key, outcome } = yield* setup
      assert.strictEqual(yield* outcome(yield* sign(key)), "ada")
      const next = yield* keyPair("two")
      issuer.keys = [next]
      yield* TestClock.adjust("30 seconds")
      const tokens = yield* Effect.forEach([1, 2, 3], (n) => sign(next, { ...claims, sub: `${n}` }))
      assert.deepStrictEqual(yield* Effect.forEach(tokens, outcome, { concurrency: "unbounded" }), ["1", "2", "3"])
      assert.strictEqual(issuer.asked, 2)
      for (const n of [1, 2, 3]) {
        assert.strictEqual(yield* outcome(yield* sign(next, claims, { kid: `made up ${n}` })), "UnknownKey")
      }
      assert.strictEqual(issuer.asked, 2)
      // A token that the first key has signed is refused, once its check is forgotten.
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* outcome(yield* sign(key)), "UnknownKey")
    }))

  it.effect("are looked for once, also where those who asked go away", () =>
    Effect.gen(function*() {
      const key = yield* keyPair("one")
      const next = yield* keyPair("two")
      const gate = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      let asked = 0
      const fetcher = fetcherOf(() => {
        if (asked++ === 0) return { body: { keys: [key.publicJwk] } }
        const answer = Effect.as(Deferred.await(gate), { body: { keys: [next.publicJwk] } })
        return Effect.andThen(Deferred.succeed(begun, undefined), answer)
      })
      const verifier = yield* JwtVerifier.make(fetcher, { issuer: issuerUrl, jwksUri: `${issuerUrl}/jwks` })
      assert.strictEqual(yield* outcome(verifier, yield* sign(key)), "ada")
      yield* TestClock.adjust("30 seconds")
      for (const n of [1, 2, 3]) {
        const leaving = yield* Effect.forkChild(outcome(verifier, yield* sign(key, claims, { kid: `made up ${n}` })))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(leaving)
      }
      const staying = yield* Effect.forkChild(outcome(verifier, yield* sign(next)), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(staying), "ada")
      assert.strictEqual(asked, 2)
    }))

  it.effect("blame no token while the issuer is gone that may have new ones", () =>
    Effect.gen(function*() {
      const { issuer, key, outcome } = yield* setup
      assert.strictEqual(yield* outcome(yield* sign(key)), "ada")
      const next = yield* keyPair("two")
      issuer.keys = [key, next]
      issuer.isThere = false
      yield* TestClock.adjust("30 seconds")
      const token = yield* sign(next)
      for (const _ of [1, 2]) assert.include(yield* outcome(token), "VerifierUnavailable: ")
      assert.strictEqual(yield* outcome(yield* sign(key)), "ada")
      issuer.isThere = true
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* outcome(token), "ada")
      assert.strictEqual(yield* outcome(yield* sign(next, claims, { kid: "made up" })), "UnknownKey")
    }))

  it.effect("are used for an hour where the issuer is gone, and no longer", () =>
    Effect.gen(function*() {
      const { issuer, key, outcome } = yield* setup
      const token = yield* sign(key, { ...claims, exp: 10_000 })
      assert.strictEqual(yield* outcome(token), "ada")
      issuer.isThere = false
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* outcome(token), "ada")
      yield* TestClock.adjust("2 minutes")
      assert.include(yield* outcome(token), "VerifierUnavailable: ")
      issuer.isThere = true
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* outcome(token), "ada")
    }))

  it.effect("are asked for once a second where there are none, however many tokens come", () =>
    Effect.gen(function*() {
      const key = yield* keyPair("one")
      let asked = 0
      const fetcher = fetcherOf(() => {
        asked++
        return undefined
      })
      const verifier = yield* JwtVerifier.make(fetcher, { issuer: issuerUrl })
      const flood = Effect.gen(function*() {
        const before = asked
        for (let count = 0; count < 20; count++) {
          const token = yield* sign(key, { ...claims, jti: `${count}` })
          assert.include(yield* outcome(verifier, token), "VerifierUnavailable: ")
        }
        return asked - before
      })
      assert.deepStrictEqual([yield* flood, yield* flood], [1, 0])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* flood, 1)
    }))

  it.effect("are not taken from whatever answers", () =>
    Effect.gen(function*() {
      const key = yield* keyPair("one")
      const token = yield* sign(key)
      const metadata = { issuer: issuerUrl, jwks_uri: `${issuerUrl}/jwks` }
      const answers = (document: unknown, keys: unknown, status = 200) =>
        fetcherOf((url) => url.endsWith("/jwks") ? { status, body: keys } : { body: document })
      const keys = { keys: [key.publicJwk] }
      const deepKeys = `{"keys":[{"kty":"EC","kid":"one","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}]}`
      const table: ReadonlyArray<readonly [Parameters<typeof answers>, string]> = [
        [[{ ...metadata, issuer: "https://other.example.org" }, keys], "does not say that it is of the issuer"],
        [
          [{ ...metadata, jwks_uri: "http://as.example.org/jwks" }, keys],
          "has no `jwks_uri` that is safe in its metadata"
        ],
        [
          [{ ...metadata, jwks_uri: "http://127.0.0.1:6379/jwks" }, keys],
          "has no `jwks_uri` that is safe in its metadata"
        ],
        [[{ ...metadata, jwks_uri: "no URL" }, keys], "has no `jwks_uri` that is safe in its metadata"],
        [[metadata, "<html>"], "answered with what is no JSON"],
        [[metadata, [key.publicJwk]], "answered with what is no JSON Web Key Set"],
        [[metadata, { keys: ["key"] }], "answered with what is no JSON Web Key Set"],
        [[metadata, deepKeys], "answered with what is no JSON Web Key Set"],
        [[metadata, { keys: Array.from({ length: 101 }, () => key.publicJwk) }], "has more than 100 keys"],
        [[metadata, { ...keys, more: "a".repeat(262_144) }], "larger than the limit of 262144 bytes"],
        [[metadata, keys, 302], "answered with HTTP status 302, not 200"],
        [[metadata, { keys: [{ kty: "EC", kid: "one" }] }], "UnknownKey"]
      ]
      for (const [given, rule] of table) {
        const verifier = yield* JwtVerifier.make(answers(...given), { issuer: issuerUrl })
        assert.include(yield* outcome(verifier, token), rule)
      }
    }))

  it.effect("are not waited for longer than five seconds", () =>
    Effect.gen(function*() {
      const silent = fetcherOf(() => Effect.never)
      const verifier = yield* JwtVerifier.make(silent, { issuer: issuerUrl })
      const token = yield* sign(yield* keyPair("one"))
      const waiting = yield* Effect.forkChild(outcome(verifier, token), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.include(yield* Fiber.join(waiting), "did not answer within 5s")
    }))

  it.effect("do not come over an open network", () =>
    Effect.gen(function*() {
      const { fetcher } = makeIssuer()
      for (const options of [{ issuer: "http://as.example.org" }, { issuer: issuerUrl, jwksUri: "http://a.b/jwks" }]) {
        assert.isTrue(Exit.hasDies(yield* Effect.exit(JwtVerifier.make(fetcher, options))))
      }
      yield* JwtVerifier.make(fetcher, { issuer: "http://127.0.0.1:4000" })
    }))
})
