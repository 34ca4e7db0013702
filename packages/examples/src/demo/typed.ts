/** A call whose result a Schema decodes: where the peer answers something else, that is an error with a type. */
import type { Caller, CallerError } from "@parley/peer"
import type { Message } from "@parley/protocol"
import { Effect, Schema } from "effect"

/** Calls a method, and decodes its result. */
export const typed = <A, I>(
  peer: Caller.Caller["Service"],
  method: string,
  params: Message.Params | undefined,
  result: Schema.Codec<A, I>,
  options?: Caller.CallOptions
): Effect.Effect<A, CallerError.CallError | Schema.SchemaError> =>
  Effect.flatMap(peer.request(method, params, options), Schema.decodeUnknownEffect(result))
