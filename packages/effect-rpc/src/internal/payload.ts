/**
 * Payloads as params: whatever a payload is, params are an object or an array.
 */
import type { Params } from "@parley/contract/shared"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Json from "./json.ts"

/** The params of a payload, `undefined` if there is none. @internal */
export const paramsOf = (payload: Params.Codec): Params.Codec | undefined => {
  if (SchemaAST.isVoid(payload.ast)) return undefined
  if (isKeyed(payload)) return Schema.Struct(payload.fields)
  return Json.every(payload, isStructured) ? payload : only(payload)
}

const isStructured = (ast: SchemaAST.AST) => SchemaAST.isObjects(ast) || SchemaAST.isArrays(ast)

/** Whether params of this Schema have a place for a token: beside named members, but not among entries. @internal */
export const hasPlace = (params: Params.Codec): boolean =>
  Json.every(params, (ast) => SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0)

/** A payload that is neither an object nor an array becomes the only positional parameter. */
const only = (payload: Params.Codec): Params.Codec =>
  Schema.Tuple([payload]).pipe(
    Schema.decodeTo(
      Schema.toType(payload),
      SchemaTransformation.transform({
        decode: ([value]: readonly [unknown]) => value,
        encode: (value: unknown): readonly [unknown] => [value]
      })
    )
  )

/**
 * What `Rpc.make` makes of fields when it is given a primary key: a class. The type says that it is a struct, and so
 * who calls gives a struct; who serves is given the class, which has the key.
 *
 * @internal
 */
export const isKeyed = (payload: Params.Codec): payload is Params.Codec & { readonly fields: Params.Fields } =>
  SchemaAST.isDeclaration(payload.ast) &&
  SchemaAST.resolveIdentifier(payload.ast)?.startsWith("effect/rpc/Rpc/") === true
