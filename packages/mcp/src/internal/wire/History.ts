/**
 * A history names revisions, each with what holds from it on, until the next revision that it names.
 *
 * A member that some revision lacks has its history in the Schema of its record, as an annotation. `encoder` derives from
 * a Schema what a revision encodes.
 */
import { Relayed } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { all, isAtLeast, type Revision } from "../../wire/Revision.ts"
import { isArray, isObject, mapSame } from "../Json.ts"

/** What holds since when. @internal */
export type History<A> = { readonly [R in Revision]?: A }

/** What holds in a revision; `undefined` before the first that the history names. @internal */
export const at = <A>(history: History<A>, revision: Revision): A | undefined => {
  const last = all.findLast((each) => isAtLeast(revision, each) && Object.hasOwn(history, each))
  return last === undefined ? undefined : history[last]
}

/** Encodes a value, or gives `undefined` where the revision has nothing for it. */
type Encoder = (value: Schema.Json) => Schema.Json | undefined

/** Encodes a value as it is. @internal */
export const same = <A>(value: A): A => value

/** Encodes no value. @internal */
export const absent = (): undefined => undefined

const annotation = "~parley/mcp/history"

/** A Schema with what becomes of its values in each revision. They are absent before the first that is named. @internal */
export const encoded = <S extends Schema.Top>(
  schema: S,
  history: History<(value: S["Type"]) => unknown>
): S["Rebuild"] => schema.annotateKey({ [annotation]: history })

/** An optional member that only the core tasks of one revision have. @internal */
export const inCore = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> =>
  encoded(Schema.optionalKey(schema), { "2025-11-25": same, "2026-07-28": absent })

/** An optional member that revisions have since one of them. @internal */
export const since = <S extends Schema.Top>(revision: Revision, schema: S): Schema.optionalKey<S> =>
  encoded(Schema.optionalKey(schema), { [revision]: same })

/** An encoder of the records of a Schema, which copies nothing where nothing has to change. @internal */
export const encoder = <A extends object>(
  schema: Schema.Codec<A>,
  revision: Revision
): (record: A) => Schema.JsonObject =>
  // A record is JSON, and only members of records are absent.
  encoderOf(schema.ast, revision) as (record: A) => Schema.JsonObject

const encoderOf = (ast: SchemaAST.AST, revision: Revision): Encoder => {
  // `encoded` has written it.
  const history = ast.context?.annotations?.[annotation] as History<Encoder> | undefined
  const whole = history === undefined ? same : at(history, revision) ?? absent
  const parts = partsOf(ast, revision)
  if (whole === same || parts === same) return whole === same ? parts : whole
  return (value) => {
    const replaced = whole(value)
    return replaced === undefined ? undefined : parts(replaced)
  }
}

const partsOf = (ast: SchemaAST.AST, revision: Revision): Encoder => {
  switch (ast._tag) {
    case "Objects":
      return membersOf(ast, revision)
    case "Arrays": {
      const [type] = ast.rest
      const element = type === undefined ? same : encoderOf(type, revision)
      return element === same
        ? same
        : (list) => isArray(list) ? mapSame(list, (value) => element(value) ?? value) : list
    }
    case "Union": {
      const types = ast.types.map((type) => ({ type, encode: encoderOf(type, revision) }))
      return types.every(({ encode }) => encode === same)
        ? same
        : (value) => (types.find(({ type }) => isMeant(type, value))?.encode ?? same)(value)
    }
    default:
      return same
  }
}

const membersOf = (ast: SchemaAST.Objects, revision: Revision): Encoder => {
  const members = ast.propertySignatures.map(({ name, type }) => [String(name), encoderOf(type, revision)] as const)
  const changing = new Map(members.filter(([, encode]) => encode !== same))
  const [index] = ast.indexSignatures
  const other = index === undefined ? same : encoderOf(index.type, revision)
  if (changing.size === 0 && other === same) return same
  return (record) => {
    if (!isObject(record)) return record
    let copy: { [key: string]: Schema.Json } | undefined
    for (const key of other === same ? changing.keys() : Object.keys(record)) {
      const value = record[key]
      const replaced = value === undefined ? value : (changing.get(key) ?? other)(value)
      if (replaced === value) continue
      copy ??= { ...record }
      if (replaced === undefined) delete copy[key]
      else copy[key] = replaced
    }
    return copy === undefined ? record : Relayed.carry(copy, record)
  }
}

/** Which type of a union a value is of: its literals tell, or the members that it must have. */
const isMeant = (ast: SchemaAST.AST, value: Schema.Json): boolean => {
  switch (ast._tag) {
    case "Objects":
      return isObject(value) && ast.propertySignatures.every(({ name, type }) =>
        type._tag === "Literal"
          ? value[String(name)] === type.literal
          : SchemaAST.isOptional(type) || Object.hasOwn(value, name)
      )
    case "Union":
      return ast.types.some((type) => isMeant(type, value))
    default:
      return isArray(value) === (ast._tag === "Arrays") && !isObject(value)
  }
}
