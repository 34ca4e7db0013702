/**
 * Which Schemas ask for the digits of numbers, and what they read. A message that was read with digits has them at all
 * places; where a Schema does not ask for them, a number is a double again.
 */
import { ExactNumber } from "@parley/protocol/shared"
import * as SchemaAST from "effect/SchemaAST"
import type { Codec } from "../../shared/Params.ts"
import * as Places from "./places.ts"

/** The annotation of Schemas that ask for digits. @internal */
export const asked = { "~parley/contract/digits": true }

const isAsked = (ast: SchemaAST.AST): boolean => ast.annotations?.["~parley/contract/digits"] === true

/** Whether a Schema asks for digits at some place. It throws a `TypeError` where the runtime has none. @internal */
export const asksFor = (schema: Codec | undefined): boolean => {
  if (schema === undefined || !Places.some(Places.jsonOf(schema), isAsked)) return false
  if (ExactNumber.isSupported) return true
  throw new TypeError("this runtime has no JSON.rawJSON, which the Schemas of `Digits` need")
}

/** The JSON with the digits that a Schema asks for, and with doubles elsewhere. @internal */
export const keeper = (schema: Codec): (json: unknown) => unknown => {
  const places = [Places.jsonOf(schema)]
  return (json) => hasDigits(json) ? keep(json, places) : json
}

const hasDigits = (json: unknown): boolean => {
  if (typeof json !== "object" || json === null) return false
  return ExactNumber.isExactNumber(json) || Object.values(json).some(hasDigits)
}

const keep = (json: unknown, places: ReadonlyArray<SchemaAST.AST>): unknown => {
  if (typeof json !== "object" || json === null) return json
  const here = Places.matching(places, json)
  if (ExactNumber.isExactNumber(json)) return here.some(isAsked) ? json : Number(json.rawJSON)
  if (Array.isArray(json)) return json.map((value, index) => keep(value, Places.inside(here, index)))
  // Entries, because an assignment to `__proto__` would change the prototype.
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, keep(value, Places.inside(here, key))]))
}
