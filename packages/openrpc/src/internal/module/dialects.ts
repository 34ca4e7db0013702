/**
 * Dialects as JSON, which has null where they have `undefined`, and as code.
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Source from "../code/source.ts"

const progress = { method: Schema.String, member: Schema.String }

const path = Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.String])

/** A member that a document may leave out, because dialects have not always had it. The first value is the default one. */
const later = <const Values extends readonly [string | number, ...ReadonlyArray<string | number>]>(values: Values) =>
  Schema.Literals(values).pipe(
    Schema.withDecodingDefaultTypeKey<Schema.Literals<Values>>(Effect.succeed<Values[number]>(values[0]))
  )

const dialect: Schema.Codec<Dialect.Dialect, unknown> = Schema.Struct({
  name: Schema.String,
  framing: Schema.Literals(["line", "contentLength", "concatenated", "none"]),
  cancellation: Schema.UndefinedOr(Schema.Struct({
    method: Schema.String,
    member: Schema.String,
    reply: Schema.UndefinedOr(Schema.Struct({ code: Schema.Int, message: Schema.String })),
    except: Schema.Array(Schema.String)
  })),
  progress: Schema.UndefinedOr(Schema.Struct({ ...progress, request: path })),
  partialResults: Schema.UndefinedOr(Schema.Struct({ ...progress, request: path, value: Schema.String })),
  subscriptions: Schema.UndefinedOr(Schema.Struct({
    notification: Schema.String,
    close: Schema.String,
    id: Schema.String,
    item: Schema.String,
    error: Schema.UndefinedOr(Schema.String),
    end: Schema.UndefinedOr(Schema.String)
  })),
  traceContext: Schema.UndefinedOr(
    Schema.Struct({ in: Schema.Literals(["message", "params"]), path: Schema.Array(Schema.String) })
  ),
  nullId: Schema.Literals(["request", "notification", "refuse"]),
  nullParams: Schema.Literals(["absent", "refuse"]),
  batches: Schema.Literals(["accept", "read", "refuse"]),
  version: later(["required", "optional", "omit"]),
  responses: later(["one", "any", "both"]),
  notificationId: later(["omit", "null"]),
  params: later(["optional", "null", "array"]),
  unreadableId: Schema.Literals(["null", "omit", "silent"]),
  overloadCode: Schema.Int,
  tooLargeCode: Schema.Int,
  shutDownCode: Schema.Int,
  emptyStatus: later([204, 200])
})

const codec = Schema.toCodecJson(dialect)

const encode = Schema.encodeSync(codec)

/** Nothing where it is the default one. @internal */
export const toJson = (dialect: Dialect.Dialect): Schema.JsonObject | undefined =>
  // The JSON of a struct is an object.
  Equal.equals(dialect, Dialect.jsonRpc) ? undefined : encode(dialect) as Schema.JsonObject

/** What it does not say is as in the default one. @internal */
export const fromJson = (json: Schema.JsonObject): Result.Result<Dialect.Dialect, Schema.SchemaError> =>
  decode({ ...usual, ...json })

const decode = Schema.decodeUnknownResult(codec, { onExcessProperty: "error" })

// The JSON of a struct is an object.
const usual = encode(Dialect.jsonRpc) as Schema.JsonObject

/** @internal */
export const toCode = (dialect: Dialect.Dialect): string => {
  const usual = new Map<string, unknown>(Object.entries(Dialect.jsonRpc))
  const different = Object.entries(dialect).filter(([name, value]) =>
    name === "name" || !Equal.equals(value, usual.get(name))
  )
  return `Dialect.make(${Source.object(different.map(([name, value]) => [name, Source.literal(value)]))})`
}
