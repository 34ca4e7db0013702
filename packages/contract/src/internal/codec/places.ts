/**
 * What a Schema says of the places in its JSON. Where it has a union, a place has several Schemas, and each of them once:
 * those of a recursive union would double with each level of a value.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Codec } from "../../shared/Params.ts"

/** The Schema of the JSON of a Schema. */
export const jsonOf = (schema: Codec): SchemaAST.AST => SchemaAST.toEncoded(Schema.toCodecJson(schema).ast)

/** The JSON of a Schema, if that is an object with named fields. @internal */
export const objectOf = (schema: Codec): SchemaAST.Objects | undefined => {
  const encoded = jsonOf(schema)
  const ast = SchemaAST.isSuspend(encoded) ? encoded.thunk() : encoded
  return SchemaAST.isObjects(ast) ? ast : undefined
}

/** Whether something is so of a Schema within this one. @internal */
export const some = (root: SchemaAST.AST, is: (ast: SchemaAST.AST) => boolean): boolean => {
  const seen = new Set<SchemaAST.AST>()
  const look = (ast: SchemaAST.AST): boolean => {
    if (seen.has(ast)) return false
    seen.add(ast)
    return is(ast) || partsOf(ast).some(look)
  }
  return look(root)
}

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isSuspend(ast)) return [ast.thunk()]
  if (SchemaAST.isUnion(ast)) return ast.types
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest]
  if (!SchemaAST.isObjects(ast)) return []
  return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
}

/**
 * The Schemas without unions that may read a value. A member of a union may not whose literals the value has not, unless
 * no other member may.
 */
export const matching = (places: ReadonlyArray<SchemaAST.AST>, json: object): ReadonlyArray<SchemaAST.AST> => {
  const all = distinct(places.flatMap(membersOf))
  if (all.length < 2) return all
  const fitting = all.filter((ast) => hasLiterals(ast, json))
  return fitting.length > 0 ? fitting : all
}

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isSuspend(ast)) return membersOf(ast.thunk())
  return SchemaAST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]
}

const hasLiterals = (ast: SchemaAST.AST, json: object): boolean =>
  !SchemaAST.isObjects(ast) ||
  ast.propertySignatures.every(({ name, type }) =>
    !SchemaAST.isLiteral(type) || !Object.hasOwn(json, name) ||
    // It is there, by the line above.
    (json as Record<PropertyKey, unknown>)[name] === type.literal
  )

const distinct = (places: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<SchemaAST.AST> =>
  places.length < 2 ? places : [...new Set(places)]

/** The Schemas of a member of an object, or of an element of an array. */
export const inside = (places: ReadonlyArray<SchemaAST.AST>, key: string | number): ReadonlyArray<SchemaAST.AST> =>
  places.flatMap((ast) => typeof key === "number" ? elementOf(ast, key) : memberOf(ast, key))

const elementOf = (ast: SchemaAST.AST, index: number): ReadonlyArray<SchemaAST.AST> => {
  if (!SchemaAST.isArrays(ast)) return []
  const element = ast.elements[index]
  return element === undefined ? ast.rest : [element]
}

const memberOf = (ast: SchemaAST.AST, key: string): ReadonlyArray<SchemaAST.AST> => {
  if (!SchemaAST.isObjects(ast)) return []
  const property = ast.propertySignatures.find(({ name }) => name === key)
  return property === undefined ? ast.indexSignatures.map(({ type }) => type) : [property.type]
}
