/**
 * Messages as the JSON objects that travel, as a Schema.
 *
 * `Message.decode` and `Message.encode` do the same by hand, on texts; the laws of a codec hold them against this.
 *
 * ```ts run
 * import { Wire } from "@parley/conformance/shared"
 * import { Dialect } from "@parley/protocol"
 * import { Schema } from "effect"
 *
 * const notification = { _tag: "Notification", method: "tick" } as const
 *
 * console.log(Schema.encodeSync(Wire.Wire)(notification)) // => { jsonrpc: '2.0', method: 'tick' }
 * console.log(Schema.encodeSync(Wire.of(Dialect.jsonRpc1))(notification)) // => { method: 'tick', id: null, params: [] }
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import { Failure, type Message, Notification, Params, Request, Success } from "@parley/protocol/Message"
import { ErrorObject, RequestId } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { normalized, written } from "../internal/codec/rules.ts"

type Open = { readonly [member: string]: unknown }

/** One kind of message: its own members are told from the rest, which is kept as `extra`. */
const kind = <Model extends Message>(
  model: Schema.Codec<Model>,
  _tag: Model["_tag"],
  own: ReadonlyArray<string>,
  fields: Schema.Struct.Fields
): Schema.Codec<Model, Open> => {
  const wire = Schema.StructWithRest(Schema.Struct({ jsonrpc: Schema.Literal("2.0"), ...fields }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
  const isOwn = (key: string) => own.includes(key)
  const transformation = SchemaTransformation.transform<Model, Open>({
    decode: (json) => {
      const entries = Object.entries(json).filter(([key]) => key !== "jsonrpc")
      const rest = entries.filter(([key]) => !isOwn(key))
      const members = Object.fromEntries(entries.filter(([key]) => isOwn(key)))
      const extra = rest.length === 0 ? {} : { extra: Object.fromEntries(rest) }
      // The Schema of the model checks this value next.
      return { _tag, ...members, ...extra } as Model
    },
    encode: ({ _tag, extra, ...members }) => ({ jsonrpc: "2.0", ...members, ...extra })
  })
  // The fields are generic here, so that TypeScript cannot see that `wire` is an open object with no services.
  return (wire as unknown as Schema.Codec<Open>).pipe(Schema.decodeTo(model, transformation))
}

const absent = Schema.optionalKey(Schema.Never)
const call = { method: Schema.String, params: Schema.optionalKey(Params) }

/**
 * The JSON object of a message, decoded to its model. Members that no kind names become `extra`.
 *
 * @category models
 * @since 0.1.0
 */
export const Wire: Schema.Codec<Message, Open> = Schema.Union([
  kind(Request, "Request", ["id", "method", "params"], { ...call, id: RequestId.RequestId }),
  kind(Notification, "Notification", ["method", "params"], { ...call, id: absent }),
  kind(Success, "Success", ["id", "result"], {
    id: RequestId.RequestId,
    method: absent,
    result: Schema.Json,
    error: absent
  }),
  kind(Failure, "Failure", ["id", "error"], {
    id: RequestId.RequestId,
    method: absent,
    result: absent,
    error: ErrorObject.ErrorObject
  })
])

/**
 * The same for a dialect: the JSON objects that its rules allow stand for those that JSON-RPC 2.0 has.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (dialect: Dialect.Dialect): Schema.Codec<Message, Open> => {
  if (dialect === Dialect.jsonRpc) return Wire
  return Schema.Record(Schema.String, Schema.Unknown).pipe(Schema.decodeTo(
    Wire,
    SchemaTransformation.transform<Open, Open>({
      decode: (json) => normalized(dialect, json),
      encode: (json) => written(dialect, json)
    })
  ))
}
