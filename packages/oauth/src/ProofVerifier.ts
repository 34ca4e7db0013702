/**
 * Checks that the sender of an access token has the key that the token is bound to (DPoP, RFC 9449): each request brings
 * a proof, signed with that key, of its method, its URL and its token.
 *
 * A proof is taken once, and only for `maxAge`. Each process remembers the proofs that it has taken: where several
 * processes serve one resource, a `nonce` bounds the time in which a copied proof is of use.
 *
 * ```ts run
 * import * as ProofVerifier from "@parley/oauth/ProofVerifier"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const proofs = yield* ProofVerifier.make({ isRequired: true, nonce: "random" })
 *   const url = new URL("https://api.example.org/rpc")
 *   // A `ResourceServer` with the option `proofs` does this for each request.
 *   const expected = { method: "POST", url, token: "t0ken", thumbprint: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" }
 *   console.log((yield* Effect.flip(proofs.verify(undefined, expected))).message)
 *   // => the proof of the key is refused (Missing): the request has no header DPoP
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import { JsonObject } from "@parley/protocol/shared"
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { calculateJwkThumbprint } from "jose/jwk/thumbprint"
import { importJWK } from "jose/key/import"
import * as bounds from "./internal/server/bounds.ts"
import * as jws from "./internal/server/jws.ts"
import { Nonces } from "./internal/server/Nonces.ts"
import * as Digest from "./shared/Digest.ts"

/**
 * The rules by which proofs are taken.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProofVerifierOptions {
  /** Whether a token that is bound to no key is refused. False by default: then clients may choose. */
  readonly isRequired?: boolean | undefined
  /**
   * The algorithms of proofs. ES256, ES384, ES512 and EdDSA by default: with RSA, a client would decide what a check
   * costs.
   */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /** How old a proof may be. A minute by default. */
  readonly maxAge?: Duration.Input | undefined
  /** By how much the clock of a client may differ from ours. 30 seconds by default. */
  readonly clockTolerance?: Duration.Input | undefined
  /**
   * How many proofs are remembered. 100,000 by default. Beyond it requests get 503, so that no proof is taken twice. One
   * principal may have no more than the room that is left for others, which is half of all while it is alone.
   */
  readonly replays?: number | undefined
  /**
   * The key of the nonces that proofs must repeat. A nonce changes every five minutes, and counts for five more. Processes
   * that serve one resource need the same key, of 32 characters or more; `"random"` is for one process. By default proofs
   * need no nonce.
   */
  readonly nonce?: "random" | Redacted.Redacted | undefined
}

/**
 * The request and the token that a proof must name.
 *
 * @category models
 * @since 0.1.0
 */
export interface Expected {
  /** The method of the request. */
  readonly method: string
  /** The URL of the resource. A query and a fragment do not count. */
  readonly url: URL
  /** The text of the token. */
  readonly token: string
  /** The thumbprint of the key that the token is bound to. */
  readonly thumbprint: string
  /** The principal that the token is for, whose share the proof counts on. By default each key has a share. */
  readonly principal?: string | undefined
}

/**
 * Checks proofs.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProofVerifier {
  /** Whether a token that is bound to no key is refused. */
  readonly isRequired: boolean
  /** The algorithms that proofs may be signed with. */
  readonly algorithms: ReadonlyArray<string>
  /** Checks the header `dpop` of a request. */
  readonly verify: (proof: string | undefined, expected: Expected) => Effect.Effect<void, ProofRefused>
}

/**
 * The reason for which a proof is refused.
 *
 * - `Missing`: the request has no proof.
 * - `Malformed`: it cannot be read, lacks a claim, or is too long; or there are two.
 * - `Algorithm`, `Type`: it is signed in a way that is not allowed, or is something else.
 * - `Key`: its key is not the one that the token is bound to, or not a public one.
 * - `Signature`: its key has not signed it.
 * - `Request`, `Token`: it is of another method or URL, or of another token.
 * - `Stale`: it is too old, or from the future.
 * - `Replayed`: it was taken before.
 * - `Full`: more proofs were taken lately than can be remembered.
 * - `Nonce`: it does not repeat the nonce of this server, which comes with the refusal.
 *
 * @category models
 * @since 0.1.0
 */
export const Reason = Schema.Literals([
  "Missing",
  "Malformed",
  "Algorithm",
  "Type",
  "Key",
  "Signature",
  "Request",
  "Token",
  "Stale",
  "Replayed",
  "Full",
  "Nonce"
])

/** @category models @since 0.1.0 */
export type Reason = typeof Reason.Type

/**
 * The proof is not taken. The client is told the reason.
 *
 * @category errors
 * @since 0.1.0
 */
export class ProofRefused extends Schema.TaggedError<ProofRefused>()("ProofRefused", {
  reason: Reason,
  /** The nonce that the next proof has to repeat. */
  nonce: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return `the proof of the key is refused (${this.reason}): ${meanings[this.reason]}`
  }
}

const meanings: Readonly<Record<Reason, string>> = {
  Missing: "the request has no header DPoP",
  Malformed: "it is no proof, lacks a claim, is too long, or there are two",
  Algorithm: "the algorithm of its signature is not allowed",
  Type: "it is not of the type dpop+jwt",
  Key: "the token is not bound to its key",
  Signature: "its key has not signed it",
  Request: "it is of another method or URL",
  Token: "it is of another token",
  Stale: "it is too old, or from the future",
  Replayed: "it was taken before",
  Full: "more proofs were taken lately than are remembered",
  Nonce: "it does not repeat the nonce of this server"
}

const Claims = Schema.Struct({
  jti: Schema.String.check(Schema.isBetweenLength(1, 256)),
  htm: Schema.String,
  htu: Schema.String,
  iat: Schema.Finite,
  ath: Schema.String,
  nonce: Schema.optionalKey(Schema.String)
})

const decode = Schema.decodeUnknownResult(Claims)

/**
 * A verifier with a memory of its own. An algorithm that is not allowed and a key that is too short are defects.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: ProofVerifierOptions = {}): Effect.Effect<ProofVerifier> =>
  Effect.map(readKeys, (keys) => {
    const algorithms = jws.allowedAlgorithms(options.algorithms ?? elliptic)
    const maxAge = millis(options.maxAge ?? "1 minute")
    const tolerance = millis(options.clockTolerance ?? bounds.defaultTolerance)
    const nonces = options.nonce === undefined ? undefined : new Nonces(options.nonce)
    // A proof may be from the future at first, and is young until it is too old.
    const bound = Limits.checked({ replays: options.replays ?? mostReplays })
    const replays = new Replays(bound.replays, maxAge + 2 * tolerance)

    const check = Effect.fnUntraced(function*(
      proof: string | undefined,
      { method, thumbprint, token, url, principal = thumbprint }: Expected
    ): Effect.fn.Return<void, Reason> {
      if (proof === undefined) return yield* Effect.fail("Missing" as const)
      if (proof.length > bounds.longestToken) return yield* Effect.fail("Malformed" as const)
      const header = yield* Effect.fromResult(jws.headerOf(proof, { algorithms, types: ["dpop+jwt"] }))
      const written = Result.try(() => JSON.stringify([header.alg, header.jwk]))
      // A key can be nested deeper than can be written.
      const key = Result.isSuccess(written) ? yield* Cache.get(keys, written.success) : undefined
      if (key === undefined || key.thumbprint !== thumbprint) return yield* Effect.fail("Key" as const)
      const payload = yield* Effect.fromResult(yield* jws.claimsOf(proof, header, key.key))
      const { ath, htm, htu, iat, jti, nonce } = yield* Effect.fromResult(Result.mapError(decode(payload), malformed))
      if (htm !== method || !isAt(htu, url)) return yield* Effect.fail("Request" as const)
      if (ath !== (yield* Effect.promise(() => Digest.sha256(token)))) return yield* Effect.fail("Token" as const)
      const now = yield* Clock.currentTimeMillis
      const age = now - iat * 1_000
      if (age > maxAge + tolerance || age < -tolerance) return yield* Effect.fail("Stale" as const)
      if (nonces !== undefined && !(yield* nonces.has(nonce, now))) return yield* Effect.fail("Nonce" as const)
      const refused = replays.take(`${thumbprint}.${jti}`, principal, now)
      if (refused !== undefined) return yield* Effect.fail(refused)
    })

    const refused = (reason: Reason): Effect.Effect<never, ProofRefused> =>
      nonces === undefined || reason !== "Nonce"
        ? Effect.fail(new ProofRefused({ reason }))
        : Effect.flatMap(nonces.current, (nonce) => Effect.fail(new ProofRefused({ reason, nonce })))

    return {
      isRequired: options.isRequired === true,
      algorithms,
      verify: (proof, expected) => Effect.catch(check(proof, expected), refused)
    }
  })

const elliptic = ["ES256", "ES384", "ES512", "EdDSA", "Ed25519"]

const mostReplays = 100_000

const malformed = (): Reason => "Malformed"

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

/** The public key of a text with the algorithm and the key in the header of a proof. */
const keyOf = (text: string) =>
  Effect.promise(async () => {
    try {
      const [alg, jwk] = JSON.parse(text)
      if (!JsonObject.isObject(jwk) || Object.hasOwn(jwk, "d")) return undefined
      const [key, thumbprint] = await Promise.all([importJWK(jwk, alg), calculateJwkThumbprint(jwk, "sha256")])
      return key instanceof Uint8Array ? undefined : { key, thumbprint }
    } catch {
      return undefined
    }
  })

/** The keys of clients: to read one takes as long as to check what it has signed. */
const readKeys = Cache.makeWith(keyOf, {
  capacity: 1_024,
  timeToLive: (exit) => Exit.isSuccess(exit) && exit.value !== undefined ? Duration.infinity : Duration.zero
})

/** Whether a URL of a proof is this one; a query and a fragment do not count (RFC 9449, section 4.3). */
const isAt = (htu: string, { origin, pathname }: URL): boolean => {
  const url = URL.parse(htu)
  return url !== null && url.origin === origin && url.pathname === pathname
}

/** The names of proofs, so that each counts once. One is forgotten when its proof would not count any more anyway. */
class Replays {
  /** When each is forgotten, and whose it is. All are kept for the same time, so the oldest is the first. */
  readonly #taken = new Map<string, { readonly until: number; readonly party: string }>()
  /** How many names of each party there are. */
  readonly #parties = new Map<string, number>()
  readonly #most: number
  readonly #keep: number

  constructor(most: number, keep: number) {
    this.#most = most
    this.#keep = keep
  }

  /** Takes a name, or gives the reason why it cannot. */
  take(name: string, party: string, now: number): "Replayed" | "Full" | undefined {
    for (const [oldest, { party, until }] of this.#taken) {
      // In its last millisecond a name could still be taken again.
      if (until >= now) break
      this.#taken.delete(oldest)
      const left = this.#of(party) - 1
      if (left === 0) this.#parties.delete(party)
      else this.#parties.set(party, left)
    }
    if (this.#taken.has(name)) return "Replayed"
    // So many parties that take all they can leave room for one more, and one that is alone has half.
    const free = this.#most - this.#taken.size
    if (free <= 0 || this.#of(party) > free) return "Full"
    this.#taken.set(name, { party, until: now + this.#keep })
    this.#parties.set(party, this.#of(party) + 1)
    return undefined
  }

  #of(party: string): number {
    return this.#parties.get(party) ?? 0
  }
}
