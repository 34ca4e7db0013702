/** Signed texts of others: their headers are read before their signatures are checked, and trusted for nothing else. */
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { CryptoKey, JWSHeaderParameters } from "jose"
import { decodeProtectedHeader } from "jose/decode/protected_header"
import { compactVerify } from "jose/jws/compact/verify"

/** Why a signed text is refused, whatever it is. @internal */
export type Fault = "Malformed" | "Algorithm" | "Type" | "Signature"

/** A header whose algorithm and type are allowed. @internal */
export interface SignedHeader extends JWSHeaderParameters {
  readonly alg: string
}

/** Which signed texts are looked at. @internal */
export interface Allowed {
  readonly algorithms: ReadonlyArray<string>
  /** Without the `application/` before them, in lower case. */
  readonly types: ReadonlyArray<string>
}

/** The header of a text. @internal */
export const headerOf = (text: string, { algorithms, types }: Allowed): Result.Result<SignedHeader, Fault> => {
  const decoded = compact.test(text)
    ? Result.try((): JWSHeaderParameters => decodeProtectedHeader(text))
    : Result.fail(undefined)
  if (Result.isFailure(decoded)) return Result.fail("Malformed")
  const header = decoded.success
  const { alg, crit, kid, typ } = header
  if (typeof alg !== "string" || !algorithms.includes(alg)) return Result.fail("Algorithm")
  const type: unknown = typ ?? ""
  if (typeof type !== "string" || !types.includes(type.toLowerCase().replace(/^application\//, ""))) {
    return Result.fail("Type")
  }
  // An extension that must be understood is one that nobody here understands.
  if (crit !== undefined || (kid !== undefined && typeof kid !== "string")) return Result.fail("Malformed")
  return Result.succeed({ ...header, alg })
}

/** RFC 7515, section 7.1. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** The claims of a text that was signed with a key, by the algorithm that its header names. @internal */
export const claimsOf = (
  text: string,
  { alg }: SignedHeader,
  key: CryptoKey
): Effect.Effect<Result.Result<Schema.JsonObject, Fault>> =>
  Effect.map(
    Effect.result(Effect.tryPromise(() => compactVerify(text, key, { algorithms: [alg] }))),
    (verified) => {
      if (Result.isFailure(verified)) return Result.fail("Signature")
      const claims = Result.try((): unknown => JSON.parse(utf8.decode(verified.success.payload)))
      return Result.isSuccess(claims) && JsonObject.isObject(claims.success)
        ? Result.succeed(claims.success)
        : Result.fail("Malformed")
    }
  )

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The algorithms with a private and a public key. With others, anyone who can check a text could have signed it. */
const asymmetric: ReadonlyArray<string> = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519"
]

/** These algorithms, or all that are allowed. Throws for one that has no key pair. @internal */
export const allowedAlgorithms = (given = asymmetric): ReadonlyArray<string> => {
  for (const algorithm of given) {
    if (!asymmetric.includes(algorithm)) {
      throw new TypeError(`\`algorithms\` may have ${asymmetric.join(", ")}: it has ${algorithm}`)
    }
  }
  return given
}
