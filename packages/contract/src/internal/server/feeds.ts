/**
 * The encoders of feeds, and the items that they are of: what one has encoded needs no other encoder, where the Schema of the
 * item is the same.
 */
import { InvalidArguments } from "@parley/peer/Caller"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Codec } from "../../shared/Params.ts"
import * as Json from "../codec/json.ts"

const items = new WeakMap<object, Codec>()

/** The encoder of a feed, which fails with the name of a method. @internal */
export const encoder = (
  item: Codec,
  method: string
): (item: unknown) => Effect.Effect<Schema.Json, InvalidArguments> => {
  const encode = Json.encoder(item, (cause) => new InvalidArguments({ method, cause }))
  items.set(encode, item)
  return encode
}

/** The Schema of the items that an encoder is for, if it is one of these. @internal */
export const itemOf = (encode: unknown): Codec | undefined =>
  typeof encode === "function" ? items.get(encode) : undefined
