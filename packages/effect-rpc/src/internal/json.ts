/**
 * What a Schema's JSON looks like.
 */
import type { Params } from "@parley/contract/shared"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** @internal */
export const astOf = (schema: Params.Codec): SchemaAST.AST => SchemaAST.toEncoded(Schema.toCodecJson(schema).ast)

/** The literal `_tag` that a Schema's JSON has. @internal */
export const tagOf = (schema: Params.Codec): string | undefined => {
  const ast = astOf(schema)
  if (!SchemaAST.isObjects(ast)) return undefined
  const tag = ast.propertySignatures.find(({ name }) => name === "_tag")?.type
  return tag !== undefined && SchemaAST.isLiteral(tag) && typeof tag.literal === "string" ? tag.literal : undefined
}

/** Whether all that a Schema's JSON may be passes a test. @internal */
export const every = (schema: Params.Codec, test: (ast: SchemaAST.AST) => boolean): boolean => {
  const seen = new Set<SchemaAST.AST>()
  const check = (ast: SchemaAST.AST): boolean => {
    // Seen before, in a Schema that contains itself: its other parts decide.
    if (seen.has(ast)) return true
    seen.add(ast)
    if (SchemaAST.isUnion(ast)) return ast.types.every(check)
    return SchemaAST.isSuspend(ast) ? check(ast.thunk()) : test(ast)
  }
  return check(astOf(schema))
}
