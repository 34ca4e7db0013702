/**
 * Digests of texts, as challenges and proofs write them.
 *
 * ```ts run
 * import { Digest } from "@parley/oauth/shared"
 *
 * console.log(await Digest.sha256("")) // => 47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU
 * ```
 *
 * @since 0.1.0
 */
import * as Base64Url from "effect/encoding/Base64Url"

/** SHA-256, in base64url. @category constructors @since 0.1.0 */
export const sha256 = async (text: string): Promise<string> =>
  Base64Url.encode(new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", encoder.encode(text))))

const encoder = new TextEncoder()
