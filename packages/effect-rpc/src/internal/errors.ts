/**
 * The errors of an Rpc by their codes.
 */
import type * as Method from "@parley/contract/Method"
import type { Params } from "@parley/contract/shared"
import { ErrorCode } from "@parley/protocol/shared"
import * as SchemaAST from "effect/SchemaAST"
import { codeKey, type Codes } from "./annotations.ts"
import * as Json from "./json.ts"

/** Tells what is wrong with an Rpc. @internal */
export type Report = (problem: string) => void

/** @internal */
export const make = (schemas: ReadonlyArray<Params.Codec>, codes: Codes, report: Report): Method.Errors => {
  const errors: Record<number, Params.Codec> = {}
  for (const schema of new Set(schemas.flatMap((schema) => split(schema, codes)))) {
    const name = nameOf(schema)
    const code = codeOf(schema, codes)
    const other = code === undefined ? undefined : errors[code]
    if (code === undefined) report(`fails with ${name}, which has no code`)
    else if (!isOurs(code)) report(`fails with ${name}, whose code ${code} is reserved, or no integer`)
    else if (other !== undefined) report(`fails with ${name}, whose code ${code} is that of ${nameOf(other)}`)
    else errors[code] = schema
  }
  return errors
}

/** The members of a union, unless it has a code as one. */
const split = (schema: Params.Codec, codes: Codes): ReadonlyArray<Params.Codec> => {
  if (SchemaAST.isNever(schema.ast)) return []
  return isUnion(schema) && codeOf(schema, codes) === undefined
    ? schema.members.flatMap((member) => split(member, codes))
    : [schema]
}

const isUnion = (schema: Params.Codec): schema is Params.Codec & { readonly members: ReadonlyArray<Params.Codec> } =>
  SchemaAST.isUnion(schema.ast) && Object.hasOwn(schema, "members")

const codeOf = (schema: Params.Codec, codes: Codes): number | undefined => {
  const name = nameOf(schema)
  return Object.hasOwn(codes, name) ? codes[name] : SchemaAST.resolveAt<number>(codeKey)(schema.ast)
}

/** What `ErrorCodes` calls an error. */
const nameOf = (schema: Params.Codec): string => {
  const { ast } = schema
  return Json.tagOf(schema) ?? SchemaAST.resolveIdentifier(ast) ??
    (SchemaAST.isLiteral(ast) ? String(ast.literal) : ast._tag)
}

/** Applications may use the codes outside of the reserved range, and -32099 to -32000 within it. */
const isOurs = (code: number): boolean =>
  Number.isSafeInteger(code) && (!ErrorCode.isReserved(code) || ErrorCode.isServerError(code))
