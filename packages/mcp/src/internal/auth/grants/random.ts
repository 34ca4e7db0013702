/** Texts that nobody can guess. */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"

/** 256 bits, as 43 characters that a URL holds as they are. @internal */
export const secret: Effect.Effect<string> = Effect.sync(() =>
  Base64Url.encode(globalThis.crypto.getRandomValues(new Uint8Array(32)))
)
