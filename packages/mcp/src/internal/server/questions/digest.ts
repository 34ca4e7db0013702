/** The identity of a request: what must be the same when it is sent again. */
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type * as Schema from "effect/Schema"

/** What a retry changes: its answers, its state, and `_meta` with its progress token and its place in a trace. */
const changing = new Set(["_meta", "inputResponses", "requestState"])

/** SHA-256 of the method and of the params that a retry repeats, whatever the order of their members. */
export const digestOf = (method: string, params: Message.Params | undefined): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => {
      const repeated = params === undefined || isArray(params)
        ? params ?? {}
        : Object.fromEntries(Object.entries(params).filter(([name]) => !changing.has(name)))
      return globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalText([method, repeated])))
    }),
    (digest) => Base64Url.encode(new Uint8Array(digest))
  )

const isArray = (params: Message.Params): params is ReadonlyArray<Schema.Json> => Array.isArray(params)

/** JSON with the members of each object in one order. */
export const canonicalText = (json: Schema.Json): string =>
  JSON.stringify(json, (_, value: Schema.Json) => isObject(value) ? sorted(value) : value)

const isObject = (value: Schema.Json): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object lists names that are whole numbers first, always in the same order, and the others as they were added. */
const sorted = (object: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
