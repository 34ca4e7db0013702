/**
 * Typed errors between their classes and error objects. On the wire the code is
 * the tag: `data` carries the fields of an error without its `_tag`.
 */
import type { RemoteError } from "@parley/peer/CallerError"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Method from "../../Method.ts"
import type * as Params from "../../Params.ts"
import * as Codec from "./json.ts"

/** @internal */
export interface ErrorCodec {
  /** The typed error, if it is one of the contract. */
  readonly decode: (error: RemoteError) => Effect.Effect<unknown>
  /** What is answered, or `undefined` when the contract has no such error. */
  readonly encode: (error: unknown) => Effect.Effect<ErrorResponse.ErrorResponse> | undefined
}

interface Typed {
  readonly code: number
  /** Whether it was made by this very class, and not by one that extends it. */
  readonly isOwn: (error: unknown) => boolean
  readonly is: (error: unknown) => boolean
  readonly encode: (error: unknown) => Effect.Effect<ErrorResponse.ErrorResponse>
  readonly decode: (data: Schema.Json | undefined) => Effect.Effect<unknown, unknown>
}

/** @internal */
export const make = (errors: Method.Errors): ErrorCodec => {
  const all = Object.entries(errors).map(([code, error]) => typed(Number(code), error))
  const byCode = new Map(all.map((error) => [error.code, error]))
  return {
    decode: (error) =>
      Effect.matchCauseEffectEager(byCode.get(error.code)?.decode(error.data) ?? Exit.fail(error), {
        onSuccess: Exit.succeed,
        onFailure: (cause) => Cause.hasInterruptsOnly(cause) ? Exit.failCause(Cause.interrupt()) : Exit.succeed(error)
      }),
    encode: (error) => (all.find(({ isOwn }) => isOwn(error)) ?? all.find(({ is }) => is(error)))?.encode(error)
  }
}

/** A Schema, and the message of its error object. @internal */
export const specOf = (error: Params.Codec | Method.ErrorSpec): Method.ErrorSpec =>
  isSpec(error)
    ? error
    : { schema: error, message: SchemaAST.resolveDescription(error.ast) ?? tagOf(error) ?? "Application error" }

const isSpec = (error: Params.Codec | Method.ErrorSpec): error is Method.ErrorSpec => !Schema.isSchema(error)

/** The literal `_tag` that a Schema's JSON has. @internal */
export const tagOf = (schema: Params.Codec): string | undefined => {
  const encoded = SchemaAST.toEncoded(Schema.toCodecJson(schema).ast)
  const ast = SchemaAST.isSuspend(encoded) ? encoded.thunk() : encoded
  if (!SchemaAST.isObjects(ast)) return undefined
  const tag = ast.propertySignatures.find(({ name }) => name === "_tag")?.type
  return tag !== undefined && SchemaAST.isLiteral(tag) && typeof tag.literal === "string" ? tag.literal : undefined
}

const typed = (code: number, error: Params.Codec | Method.ErrorSpec): Typed => {
  // TypeScript accepts names where the keys of a type are numbers.
  if (!Number.isSafeInteger(code)) throw new TypeError("the key of an error is its code, which must be an integer")
  const { message, schema } = specOf(error)
  const tag = tagOf(schema)
  const maker: unknown = schema
  const encode = Codec.encoder(schema, ErrorResponse.internalError)
  const decode = Codec.decoder(schema, (error) => error)
  return {
    code,
    isOwn: (error) => typeof error === "object" && error !== null && error.constructor === maker,
    is: Schema.is(schema),
    encode: (error) =>
      Effect.matchCauseEffectEager(encode(error), {
        onSuccess: (data) =>
          Exit.succeed(ErrorResponse.make(code, message, tag === undefined ? data : withoutTag(data))),
        onFailure: (cause) => Exit.succeed(ErrorResponse.internalError(cause))
      }),
    decode: (data) => decode(tag === undefined ? data : withTag(tag, data))
  }
}

const withoutTag = (json: Schema.Json): Schema.JsonObject | undefined => {
  // A Schema with a tag has the JSON of an object.
  const { _tag, ...fields } = json as Schema.JsonObject
  return Object.keys(fields).length === 0 ? undefined : fields
}

const withTag = (tag: string, data: Schema.Json | undefined): unknown => {
  if (data === undefined || data === null) return { _tag: tag }
  return typeof data === "object" && !Array.isArray(data) ? { ...data, _tag: tag } : data
}
