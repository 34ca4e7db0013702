/**
 * Texts that change with time and that only a holder of the key can foretell: the MAC of the number of the slot of time.
 * Nothing is remembered of those that were given out.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Redacted from "effect/Redacted"
import { minSecretLength } from "./bounds.ts"

/** Milliseconds in which the same nonce is given out. */
const slot = 300_000

const encoder = new TextEncoder()

/** @internal */
export class Nonces {
  readonly #secret: Uint8Array<ArrayBuffer>
  #key: Promise<CryptoKey> | undefined
  /** By their slots, the newest last. */
  readonly #made = new Map<number, string>()

  /** Throws where the key is too short. */
  constructor(key: "random" | Redacted.Redacted) {
    this.#secret = key === "random" ? globalThis.crypto.getRandomValues(new Uint8Array(32)) : secretOf(key)
  }

  /** The nonce to give out now. */
  readonly current: Effect.Effect<string> = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => this.#of(Math.floor(now / slot))
  )

  /** Whether a nonce counts now: that of this slot, or of the one before. */
  has(nonce: string | undefined, now: number): Effect.Effect<boolean> {
    const current = Math.floor(now / slot)
    return Effect.map(
      Effect.all([this.#of(current), this.#of(current - 1)]),
      (known) => nonce !== undefined && known.includes(nonce)
    )
  }

  #of(number: number): Effect.Effect<string> {
    const made = this.#made.get(number)
    if (made !== undefined) return Effect.succeed(made)
    return Effect.map(Effect.promise(() => this.#mac(String(number))), (mac) => {
      const nonce = Base64Url.encode(new Uint8Array(mac))
      this.#made.set(number, nonce)
      for (const oldest of this.#made.keys()) {
        if (this.#made.size <= 2) break
        this.#made.delete(oldest)
      }
      return nonce
    })
  }

  async #mac(text: string): Promise<ArrayBuffer> {
    const { subtle } = globalThis.crypto
    this.#key ??= subtle.importKey("raw", this.#secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
    return subtle.sign("HMAC", await this.#key, encoder.encode(`parley dpop nonce ${text}`))
  }
}

const secretOf = (secret: Redacted.Redacted): Uint8Array<ArrayBuffer> => {
  const text = Redacted.value(secret)
  if (text.length >= minSecretLength) return encoder.encode(text)
  throw new TypeError(`the key of \`nonce\` has at least ${minSecretLength} characters`)
}
