import { assert, describe, it } from "@effect/vitest"
import * as ProofVerifier from "@parley/oauth/ProofVerifier"
import * as Handshake from "@parley/transport/Handshake"
import { Effect, Exit, Redacted, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { TestClock } from "effect/testing"
import { calculateJwkThumbprint } from "jose/jwk/thumbprint"
import { createHash } from "node:crypto"
import { type KeyPair, keyPair, resource, sign } from "../support/issuer.ts"
import { protect } from "../support/protected.ts"

const thumbprintOf = ({ publicJwk }: KeyPair) => Effect.promise(() => calculateJwkThumbprint(publicJwk as never))

const athOf = (token: string) => createHash("sha256").update(token).digest("base64url")

let ids = 0

/** A proof of a POST to the resource, with claims and a header changed. */
const proofOf = (
  { alg, kid, privateKey, publicJwk }: KeyPair,
  token: string,
  change: object = {},
  header: object = {}
) => {
  const { alg: _, kid: __, use: ___, ...jwk } = publicJwk
  const claims = { jti: `${ids++}`, htm: "POST", htu: resource, iat: 0, ath: athOf(token), ...change }
  return sign({ alg, kid, privateKey, publicJwk }, claims, { typ: "dpop+jwt", kid: undefined, jwk, ...header })
}

const setup = Effect.fnUntraced(function*(options: ProofVerifier.ProofVerifierOptions = {}, alg?: string) {
  const verifier = yield* ProofVerifier.make(options)
  const key = yield* keyPair("client", alg)
  const thumbprint = yield* thumbprintOf(key)
  const expected = { method: "POST", url: new URL(resource), token: "token", thumbprint }
  const outcome = (proof: string | undefined) =>
    Effect.match(verifier.verify(proof, expected), { onFailure: ({ reason }) => reason, onSuccess: () => "taken" })
  return { verifier, key, expected, outcome }
})

describe("a proof of a key", () => {
  for (
    const [ahead, iat, young] of [
      ["", 0, "90 seconds"],
      [", also at the last moment of one from a clock that is ahead", 30, "2 minutes"]
    ] as const
  ) {
    it.effect(`is taken once${ahead}`, () =>
      Effect.gen(function*() {
        const { key, outcome } = yield* setup()
        const proof = yield* proofOf(key, "token", { iat })
        const outcomes = yield* Effect.forEach([proof, proof, proof], outcome, { concurrency: "unbounded" })
        assert.deepStrictEqual(outcomes.toSorted(), ["Replayed", "Replayed", "taken"])
        yield* TestClock.adjust(young)
        assert.strictEqual(yield* outcome(proof), "Replayed")
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* outcome(proof), "Stale")
      }))
  }

  it.effect("is of this method, URL and token, by the key of the token, and young", () =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup()
      const other = yield* keyPair("other")
      const table: ReadonlyArray<readonly [object, string]> = [
        [{}, "taken"],
        [{ htu: "HTTPS://mcp.example.org:443/mcp?a#b" }, "taken"],
        [{ htm: "GET" }, "Request"],
        [{ htm: "post" }, "Request"],
        [{ htu: "https://mcp.example.org/mcp/" }, "Request"],
        [{ htu: "https://other.example.org/mcp" }, "Request"],
        [{ htu: "/mcp" }, "Request"],
        [{ ath: athOf("other") }, "Token"],
        [{ ath: undefined }, "Malformed"],
        [{ iat: 30 }, "taken"],
        [{ iat: 31 }, "Stale"],
        [{ iat: -90 }, "taken"],
        [{ iat: -91 }, "Stale"],
        [{ jti: undefined }, "Malformed"],
        [{ jti: "" }, "Malformed"],
        [{ jti: "a".repeat(257) }, "Malformed"],
        [{ jti: 7 }, "Malformed"]
      ]
      for (const [change, expected] of table) {
        assert.strictEqual(yield* outcome(yield* proofOf(key, "token", change)), expected, JSON.stringify(change))
      }
      assert.strictEqual(yield* outcome(yield* proofOf(other, "token")), "Key")
      const { publicJwk } = key
      assert.strictEqual(yield* outcome(yield* proofOf(other, "token", {}, { jwk: publicJwk })), "Signature")
      assert.strictEqual(yield* outcome(yield* proofOf(key, "token", {}, { jwk: { ...publicJwk, d: "a" } })), "Key")
      assert.strictEqual(yield* outcome(yield* proofOf(key, "token", {}, { jwk: undefined })), "Key")
      assert.strictEqual(yield* outcome(yield* proofOf(key, "token", {}, { typ: "jwt" })), "Type")
      assert.strictEqual(yield* outcome(undefined), "Missing")
      const two = [yield* proofOf(key, "token"), yield* proofOf(key, "token")].join(", ")
      assert.strictEqual(yield* outcome(two), "Malformed")
      assert.strictEqual(yield* outcome("a".repeat(16_385)), "Malformed")
    }))

  it.effect("is not signed with a key of which its owner says what a check costs, unless that is wanted", () =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup({}, "RS256")
      assert.strictEqual(yield* outcome(yield* proofOf(key, "token")), "Algorithm")
      const wanted = yield* setup({ algorithms: ["RS256"] }, "RS256")
      assert.strictEqual(yield* wanted.outcome(yield* proofOf(wanted.key, "token")), "taken")
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ProofVerifier.make({ algorithms: ["HS256"] }))))
    }))

  it.effect("is not taken where there is no room to remember it, until there is", () =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup({ replays: 2 })
      const proofs = yield* Effect.forEach([1, 2, 3], () => proofOf(key, "token"))
      assert.deepStrictEqual(yield* Effect.forEach(proofs, outcome), ["taken", "taken", "Full"])
      yield* TestClock.adjust("121 seconds")
      assert.strictEqual(yield* outcome(yield* proofOf(key, "token", { iat: 120 })), "taken")
    }))

  it.effect("is taken from others when one principal has used its share of the memory, with however many keys", () =>
    Effect.gen(function*() {
      const { expected, key, verifier } = yield* setup({ replays: 20 })
      const send = (key: KeyPair, principal: string | undefined, iat = 0) =>
        Effect.gen(function*() {
          const proof = yield* proofOf(key, "token", { iat })
          const thumbprint = yield* thumbprintOf(key)
          return yield* Effect.match(verifier.verify(proof, { ...expected, thumbprint, principal }), {
            onFailure: ({ reason }) => reason,
            onSuccess: () => "taken"
          })
        })
      const keys = [key, yield* keyPair("second"), yield* keyPair("third")] as const
      const greedy = yield* Effect.forEach(Array.from({ length: 30 }), (_, at) => send(keys[at % 3] ?? key, "eve"))
      assert.deepStrictEqual(greedy, [...Array(11).fill("taken"), ...Array(19).fill("Full")])
      for (const principal of ["ada", "bob", "cem"]) assert.strictEqual(yield* send(keys[1], principal), "taken")
      // Without the name of a principal each key has a share.
      assert.deepStrictEqual([yield* send(keys[2], undefined), yield* send(keys[1], "eve")], ["taken", "Full"])
      yield* TestClock.adjust("121 seconds")
      assert.strictEqual(yield* send(keys[1], "eve", 120), "taken")
    }))

  it.effect("repeats the nonce that this server gives, of these five minutes or those before", () =>
    Effect.gen(function*() {
      const secret = Redacted.make("a secret of thirty-two characters")
      const { expected, key, outcome, verifier } = yield* setup({ nonce: secret })
      const refused = yield* Effect.flip(verifier.verify(yield* proofOf(key, "token"), expected))
      const { nonce } = refused
      assert.strictEqual(refused.reason, "Nonce")
      const withNonce = (nonce: unknown, iat = 0) => Effect.flatMap(proofOf(key, "token", { nonce, iat }), outcome)
      assert.strictEqual(yield* withNonce(nonce), "taken")
      assert.strictEqual(yield* withNonce("made up"), "Nonce")
      assert.strictEqual(yield* withNonce(7), "Malformed")
      const elsewhere = yield* setup({ nonce: secret })
      const next = yield* Effect.flip(
        elsewhere.verifier.verify(yield* proofOf(elsewhere.key, "token"), elsewhere.expected)
      )
      assert.strictEqual(next.nonce, nonce)
      const other = yield* setup({ nonce: "random" })
      assert.strictEqual(yield* other.outcome(yield* proofOf(other.key, "token", { nonce })), "Nonce")
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(yield* withNonce(nonce, 540), "taken")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* withNonce(nonce, 600), "Nonce")
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ProofVerifier.make({ nonce: Redacted.make("short") }))))
    }))

  it.effect.prop("whatever it is, is refused for a reason", {
    proof: Schema.Union([
      Schema.String,
      Schema.TemplateLiteral([Schema.String, ".", Schema.String, ".", Schema.String])
    ])
  }, ({ proof }) =>
    Effect.gen(function*() {
      const { outcome } = yield* setup()
      assert.include(["Malformed", "Algorithm", "Type"], yield* outcome(proof))
    }))

  it.effect.prop("whatever key its header has, is refused for a reason", {
    jwk: Schema.Union([Schema.Json, Schema.Record(Schema.Literals(["kty", "crv", "x", "y", "n", "e"]), Schema.Json)])
  }, ({ jwk }) =>
    Effect.gen(function*() {
      const { key, outcome } = yield* setup()
      assert.strictEqual(yield* outcome(yield* proofOf(key, "token", {}, { jwk })), "Key")
    }))

  it.effect("whose key is deeper than can be written is refused for a reason", () =>
    Effect.gen(function*() {
      const { outcome } = yield* setup()
      const header = `{"alg":"ES256","typ":"dpop+jwt","jwk":${"[".repeat(6_000)}${"]".repeat(6_000)}}`
      assert.strictEqual(yield* outcome(`${Base64Url.encode(header)}.e30.AA`), "Key")
    }))
})

describe("a resource that takes proofs", () => {
  const place = "https://mcp.example.org/.well-known/oauth-protected-resource/mcp"

  const ask = Effect.fnUntraced(function*(options: ProofVerifier.ProofVerifierOptions = {}) {
    const proofs = yield* ProofVerifier.make(options)
    const { auth, headersWith } = yield* protect({ proofs })
    const key = yield* keyPair("client")
    const jkt = yield* thumbprintOf(key)
    const send = (headers: Readonly<Record<string, string>>) =>
      Effect.map(
        Effect.result(
          auth.authorize({ method: "POST", url: "/mcp", address: undefined, header: (name) => headers[name] })
        ),
        (result) => Result.isSuccess(result) ? "taken" : result.failure
      )
    const tokenWith = (claims: object) =>
      Effect.map(headersWith(claims), ({ authorization }) => authorization.slice("Bearer ".length))
    return { auth, key, send, bound: yield* tokenWith({ cnf: { jkt } }), plain: yield* tokenWith({}) }
  })

  const challengeOf = (outcome: "taken" | Handshake.Refused) => outcome === "taken" ? outcome : outcome.challenge ?? ""

  it.effect("takes a token that is bound with its proof, and one that is not without", () =>
    Effect.gen(function*() {
      const { auth, bound, key, plain, send } = yield* ask()
      assert.strictEqual(yield* send({ authorization: `Bearer ${plain}` }), "taken")
      assert.strictEqual(yield* send({ authorization: `DPoP ${bound}`, dpop: yield* proofOf(key, bound) }), "taken")
      const stolen = yield* send({ authorization: `Bearer ${bound}` })
      assert.include(challengeOf(stolen), `error="invalid_token"`)
      assert.include(challengeOf(stolen), "(Bound)")
      const unbound = yield* send({ authorization: `DPoP ${plain}`, dpop: yield* proofOf(key, plain) })
      assert.include(challengeOf(unbound), "(Unbound)")
      assert.strictEqual(
        challengeOf(yield* send({ authorization: `DPoP ${bound}` })),
        `Bearer resource_metadata="${place}", DPoP resource_metadata="${place}", error="invalid_dpop_proof", ` +
          `error_description="the proof of the key is refused (Missing): the request has no header DPoP", ` +
          `algs="ES256 ES384 ES512 EdDSA Ed25519"`
      )
      assert.deepInclude(auth.metadata, {
        dpop_signing_alg_values_supported: ["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
        dpop_bound_access_tokens_required: false
      })
    }))

  it.effect("may take no others", () =>
    Effect.gen(function*() {
      const { bound, key, plain, send } = yield* ask({ isRequired: true })
      assert.strictEqual(yield* send({ authorization: `DPoP ${bound}`, dpop: yield* proofOf(key, bound) }), "taken")
      const refused = challengeOf(yield* send({ authorization: `Bearer ${plain}` }))
      assert.match(refused, /^DPoP .*error="invalid_token".*\(Unbound\)/)
      assert.match(challengeOf(yield* send({})), /^DPoP resource_metadata="[^"]*", algs="[^"]*"$/)
    }))

  it.effect("gives the nonce that a proof has to repeat", () =>
    Effect.gen(function*() {
      const { bound, key, send } = yield* ask({ nonce: "random" })
      const refused = yield* send({ authorization: `DPoP ${bound}`, dpop: yield* proofOf(key, bound) })
      if (refused === "taken") return assert.fail("taken")
      assert.include(challengeOf(refused), `error="use_dpop_nonce"`)
      const nonce = refused.headers?.["dpop-nonce"]
      const again = yield* send({ authorization: `DPoP ${bound}`, dpop: yield* proofOf(key, bound, { nonce }) })
      assert.strictEqual(again, "taken")
    }))

  it.effect("says that it is busy where it cannot remember another proof", () =>
    Effect.gen(function*() {
      assert.throws(() => Effect.runSync(ProofVerifier.make({ replays: Number.NaN })), RangeError)
      const { bound, key, send } = yield* ask({ replays: 1 })
      assert.strictEqual(yield* send({ authorization: `DPoP ${bound}`, dpop: yield* proofOf(key, bound) }), "taken")
      const refused = yield* send({ authorization: `DPoP ${bound}`, dpop: yield* proofOf(key, bound) })
      assert.strictEqual(refused === "taken" ? refused : refused.status, 503)
    }))
})
