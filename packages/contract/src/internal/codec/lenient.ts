/**
 * Reading that leaves out what does not fit: optional members, entries of records, and elements of arrays. It begins
 * where a Schema has refused a value, so that what fits costs nothing and is read as ever.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { LenientOptions } from "../Client.ts"
import type { Lenient } from "./json.ts"
import * as Places from "./places.ts"

/** What does not fit, and where. */
interface Misfit {
  readonly path: ReadonlyArray<string | number>
  readonly reason: string
}

/** Each round leaves out at least one place, and what it is in is the next to misfit. */
const mostRounds = 64

/** Misfits that are named in one line of the log, and the characters of each. */
const mostNamed = 8
const longestReason = 120

/** Reads values that a Schema has refused, and logs what it leaves out. It fails where too much does not fit. @internal */
export const reader = ({ elements = "drop" }: LenientOptions): Lenient => (schema, what) => {
  const parse = SchemaParser.decodeUnknownEffect(Schema.toCodecJson(schema), { errors: "all" })
  const root = Places.jsonOf(schema)

  const read = (
    json: unknown,
    left: ReadonlyArray<Misfit>,
    rounds: number
  ): Effect.Effect<unknown, SchemaIssue.Issue> =>
    Effect.matchEffect(parse(json), {
      onSuccess: (value) => Effect.as(logged(what, left), value),
      onFailure: (issue) => {
        const places = misfitsOf(issue).map((misfit) => ({
          ...misfit,
          path: leavable(json, root, misfit.path, elements)
        }))
        if (rounds === 0 || places.some(({ path }) => path.length === 0)) return Effect.fail(issue)
        return read(without(json, places.map(({ path }) => path)), [...left, ...places], rounds - 1)
      }
    })

  return (json) => read(json, [], mostRounds)
}

const logged = (what: string, misfits: ReadonlyArray<Misfit>): Effect.Effect<void> => {
  const named = misfits.slice(0, mostNamed).map(({ path, reason }) => `${pathText(path)}: ${reason}`)
  const more = misfits.length > mostNamed ? `; and ${misfits.length - mostNamed} more` : ""
  return Effect.logWarning(
    // escaped: `more` is ours
    `${Excerpt.line(what)} does not fit the contract, and this is left out: ${
      Excerpt.line(named.join("; "), Infinity)
    }${more}`
  )
}

const pathText = (path: ReadonlyArray<string | number>): string =>
  path.map((key) => typeof key === "number" ? `[${key}]` : `.${key}`).join("").slice(0, longestReason)

const reasonOf = SchemaIssue.makeFormatterDefault()

/** The places of an issue. A union misfits as a whole, unless one member alone was tried. */
const misfitsOf = (issue: SchemaIssue.Issue, path: ReadonlyArray<string | number> = []): ReadonlyArray<Misfit> => {
  switch (issue._tag) {
    case "Pointer":
      return misfitsOf(issue.issue, [...path, ...issue.path.map((key) => typeof key === "symbol" ? String(key) : key)])
    case "Composite":
      return issue.issues.flatMap((issue) => misfitsOf(issue, path))
    case "Encoding":
      return misfitsOf(issue.issue, path)
    case "AnyOf":
      if (issue.issues.length === 1 && issue.issues[0] !== undefined) return misfitsOf(issue.issues[0], path)
  }
  return [{ path, reason: reasonOf(issue).replaceAll("\n", " ").slice(0, longestReason) }]
}

/** The innermost place on a path that may be left out; no path where there is none. */
const leavable = (
  json: unknown,
  root: SchemaAST.AST,
  path: ReadonlyArray<string | number>,
  elements: "drop" | "refuse"
): ReadonlyArray<string | number> => {
  let places: ReadonlyArray<SchemaAST.AST> = [root]
  let value = json
  let length = 0
  for (const [index, key] of path.entries()) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) break
    const here = Places.matching(places, value)
    const isElement = Array.isArray(value)
    if (
      isElement
        ? elements === "drop" && here.some((ast) => isInRest(ast, Number(key)))
        : mayLack(here, String(key))
    ) {
      length = index + 1
    }
    places = Places.inside(here, isElement ? Number(key) : String(key))
    // It is there, by the line above.
    value = (value as Record<string | number, unknown>)[key]
  }
  return path.slice(0, length)
}

const isInRest = (ast: SchemaAST.AST, index: number): boolean =>
  SchemaAST.isArrays(ast) && index >= ast.elements.length && ast.rest.length === 1

/** Whether an object may lack a member: an optional one, or an entry of a record. */
const mayLack = (places: ReadonlyArray<SchemaAST.AST>, key: string): boolean =>
  places.some((ast) => {
    if (!SchemaAST.isObjects(ast)) return false
    const property = ast.propertySignatures.find(({ name }) => name === key)
    return property === undefined ? ast.indexSignatures.length > 0 : SchemaAST.isOptional(property.type)
  })

/** The value without these places, of which one may be within another. */
const without = (json: unknown, paths: ReadonlyArray<ReadonlyArray<string | number>>): unknown => {
  if (typeof json !== "object" || json === null) return json
  const inner = new Map<string, Array<ReadonlyArray<string | number>>>()
  for (const [key, ...rest] of paths) {
    const paths = inner.get(String(key))
    if (paths === undefined) inner.set(String(key), [rest])
    else paths.push(rest)
  }
  const entries = Object.entries(json).flatMap(([key, value]) => {
    const paths = inner.get(key)
    if (paths === undefined) return [[key, value] as const]
    return paths.some(({ length }) => length === 0) ? [] : [[key, without(value, paths)] as const]
  })
  return Array.isArray(json) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
