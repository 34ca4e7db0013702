/**
 * A codec of JSON-RPC 2.0 messages, as the laws see one: three functions.
 *
 * ```ts run
 * import { Codec, CodecLaws } from "@parley/conformance/shared"
 * import { Message } from "@parley/protocol"
 * import { Effect } from "effect"
 *
 * const mine: Codec.Codec = { ...Codec.parley, encode: (message) => Message.encode(message) }
 *
 * for (const law of CodecLaws.total(mine, { runs: 5 })) await Effect.runPromise(law.check)
 * console.log("every text has an outcome") // => every text has an outcome
 * ```
 *
 * @since 0.1.0
 */
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import type { RequestId } from "@parley/protocol/shared"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Wire from "./Wire.ts"

/**
 * Why a text is not a message, and the id of the answer: null if no id can be read.
 *
 * @category models
 * @since 0.1.0
 */
export type Refusal =
  | { readonly _tag: "ParseError" }
  | { readonly _tag: "InvalidRequest"; readonly id: RequestId.RequestId }
  | { readonly _tag: "InvalidResponse"; readonly id: RequestId.RequestId }

/** A message, or why a text is none. @category models @since 0.1.0 */
export type Decoded = Result.Result<Message.Message, Refusal>

/**
 * The bounds of a decoder: levels of one text, members of one batch.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bounds {
  /** Levels of arrays and objects in one text. */
  readonly depth: number
  /** Members of one batch. */
  readonly batch: number
}

/**
 * A codec under test. Without bounds it accepts at least ten levels and ten members.
 *
 * @category models
 * @since 0.1.0
 */
export interface Codec {
  /** Reads a text that is one message. */
  readonly decode: (text: string, bounds?: Bounds) => Decoded
  /** Reads a text that is one message or a batch of them. */
  readonly decodeBatch: (text: string, bounds?: Bounds) => Decoded | ReadonlyArray<Decoded>
  /** Writes a message. The error may be anything. */
  readonly encode: (message: Message.Message) => Result.Result<string, unknown>
  /** The JSON objects of its dialect. Without it they are those of JSON-RPC 2.0. */
  readonly wire?: Schema.Codec<Message.Message, { readonly [member: string]: unknown }> | undefined
}

/**
 * The codec of `@parley/protocol` for a dialect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (dialect: Dialect.Dialect): Codec => ({
  decode: (text, bounds) => Message.decode(text, { ...dialect, ...bounds }),
  decodeBatch: (text, bounds) => {
    const batch = Batch.decode(text, { ...dialect, ...bounds })
    return batch
  },
  encode: (message) => Message.encode(message, dialect),
  wire: Wire.of(dialect)
})

/**
 * The codec of `@parley/protocol`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parley: Codec = {
  decode: Message.decode,
  decodeBatch: (text, bounds) => {
    const batch = Batch.decode(text, bounds)
    return batch
  },
  encode: Message.encode
}
