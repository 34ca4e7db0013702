/**
 * Params between their types and the wire: by name, by position, or not at all.
 */
import { InvalidArguments } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Params from "../../shared/Params.ts"
import * as Digits from "./digits.ts"
import * as Codec from "./json.ts"
import * as Places from "./places.ts"

export interface ParamsCodec {
  /** For the wire. What the Schema refuses is not sent. */
  readonly encode: (params: unknown) => Effect.Effect<Message.Params | undefined, InvalidArguments>
  /** For a handler. What the Schema refuses is answered with -32602 and the path of each issue. */
  readonly decode: (params: Message.Params | undefined) => Effect.Effect<unknown, ErrorResponse.ErrorResponse>
}

interface Declared {
  readonly params: Params.Params
  readonly paramStructure: Params.ParamStructure | undefined
}

/** `method` is the name on the wire. */
export const make = (
  method: string,
  { params, paramStructure }: Declared,
  reading?: Codec.Reading
): ParamsCodec => {
  if (params === undefined) return nothing
  const shape = shapeOf(params)
  const codec = schemaCodec(method, shape.schema, reading)
  if (shape.fields !== undefined) return named(method, codec, shape.fields, paramStructure ?? "either")
  return { encode: codec.encode, decode: (params) => codec.decode(params ?? shape.absent) }
}

interface Shape {
  readonly schema: Params.Codec
  /** The names of fields, in their order. */
  readonly fields: ReadonlyArray<string> | undefined
  /** What stands for the params of a message that has none. */
  readonly absent: Message.Params
}

/** Which Schema reads the params, and what is known of its names. @internal */
export const shapeOf = (params: Params.Codec | Params.Fields | ReadonlyArray<Params.Codec>): Shape => {
  if (Array.isArray(params)) {
    // The elements are codecs, which the widest tuple forgets.
    return { schema: Schema.Tuple(params) as unknown as Params.Codec, fields: undefined, absent: [] }
  }
  // No array, by the line above, which does not narrow a readonly one.
  const other = params as Params.Codec | Params.Fields
  if (!Schema.isSchema(other)) {
    // No Schema, by the same line.
    const fields = other as Params.Fields
    return { schema: Schema.Struct(fields), fields: Object.keys(fields), absent: {} }
  }
  // A Schema of the declared type.
  const schema = other as Params.Codec & { readonly fields?: Params.Fields }
  if (schema.fields !== undefined) return { schema, fields: Object.keys(schema.fields), absent: {} }
  const json = Places.jsonOf(schema)
  return { schema, fields: undefined, absent: SchemaAST.isArrays(json) ? [] : {} }
}

/** Whether params ask for the digits of numbers. @internal */
export const askForDigits = (params: Params.Params): boolean =>
  params !== undefined && Digits.asksFor(shapeOf(params).schema)

/** A handler without params ignores named params, and refuses positional ones. */
const nothing: ParamsCodec = {
  encode: () => absent,
  decode: (params) => Array.isArray(params) && params.length > 0 ? refused("this method takes no params") : absent
}

const absent = Exit.succeed(undefined)

const refused = (message: string) => Exit.fail(ErrorResponse.invalidParams([{ path: [], message }]))

const schemaCodec = (method: string, schema: Params.Codec, reading: Codec.Reading | undefined): ParamsCodec => {
  const invalid = (cause: unknown) => new InvalidArguments({ method, cause })
  const encode = Codec.encoder(schema, invalid)
  const decode = Codec.decoder(schema, ErrorResponse.fromSchemaError, `what ${method} was called with`, reading)
  const json = Places.jsonOf(schema)
  // The type of most Schemas says that their JSON is an object or an array: it needs no check.
  if (SchemaAST.isObjects(json) || SchemaAST.isArrays(json)) {
    // By the line above.
    return { encode: encode as ParamsCodec["encode"], decode }
  }
  if (isScalar(json)) {
    throw new TypeError(
      "params are fields, a tuple, or a Schema whose JSON is an object or an array, and this one's is neither"
    )
  }
  return {
    encode: (params) =>
      Effect.flatMapEager(encode(params), (encoded) =>
        typeof encoded === "object" && encoded !== null
          // An object or an array, by the line above.
          ? Exit.succeed(encoded as Message.Params)
          : Exit.fail(invalid(new TypeError("params are an object or an array")))),
    decode
  }
}

/** Whether no object and no array has this Schema. */
const isScalar = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnion(ast) ? ast.types.every(isScalar) : scalars.has(ast._tag)

const scalars: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Literal", "TemplateLiteral", "Enum"])

const named = (
  method: string,
  codec: ParamsCodec,
  names: ReadonlyArray<string>,
  structure: Params.ParamStructure
): ParamsCodec => ({
  encode: structure !== "by-position"
    ? codec.encode
    : (params) =>
      Effect.flatMapEager(codec.encode(params), (encoded) => {
        // The JSON of a struct is an object.
        const positions = toPositions(names, encoded as Schema.JsonObject)
        if (positions !== undefined) return Exit.succeed(positions)
        const cause = new TypeError("by position, only the last params may be left out")
        return Exit.fail(new InvalidArguments({ method, cause }))
      }),
  decode: (params) => {
    if (params === undefined) return codec.decode({})
    if (!Array.isArray(params)) {
      return structure === "by-position" ? refused("params must be an array") : codec.decode(params)
    }
    if (structure === "by-name") return refused("params must be an object")
    if (params.length > names.length) return refused(`there are at most ${names.length} params`)
    return codec.decode(fromPositions(names, params))
  }
})

/** Gives `undefined` if a param is left out before one that is there. */
const toPositions = (names: ReadonlyArray<string>, params: Schema.JsonObject): Array<Schema.Json> | undefined => {
  const present = names.filter((name) => Object.hasOwn(params, name))
  if (present.some((name, index) => names[index] !== name)) return undefined
  return present.map((name) => params[name] ?? null)
}

const fromPositions = (names: ReadonlyArray<string>, positions: ReadonlyArray<Schema.Json>): Schema.JsonObject =>
  Object.fromEntries(positions.map((value, index) => [names[index] ?? "", value]))
