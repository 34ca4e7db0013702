/** The identity of a request: what must be the same when it is sent again. */
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { canonical, isArray } from "../../Json.ts"

/** What a retry changes: its answers, its state, and `_meta` with its progress token and its place in a trace. */
const changing = new Set(["_meta", "inputResponses", "requestState"])

/** SHA-256 of the method and of the params that a retry repeats, whatever the order of their members. */
export const digestOf = (method: string, params: Message.Params | undefined): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => {
      const repeated = params === undefined || isArray(params)
        ? params ?? {}
        : Object.fromEntries(Object.entries(params).filter(([name]) => !changing.has(name)))
      return globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical([method, repeated])))
    }),
    (digest) => Base64Url.encode(new Uint8Array(digest))
  )
