/** Digests as challenges and proofs hold them. */
import * as Base64Url from "effect/encoding/Base64Url"

/** SHA-256, in base64url. @internal */
export const digest = async (text: string): Promise<string> =>
  Base64Url.encode(new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", encoder.encode(text))))

const encoder = new TextEncoder()
