/**
 * The reasons for which arguments were refused, in words that a model can act on: an argument that the tool does not have
 * is told together with the one that was probably meant.
 */
import type { ErrorObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { segmentOf } from "../Json.ts"

/** @internal */
export const issuesOf = ({ issue }: Schema.SchemaError): ReadonlyArray<ErrorObject.ParamIssue> => {
  // In the order of the issues, so that each finds the names that stand beside its own.
  const known: Array<ReadonlyArray<string>> = []
  const format = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (leaf) => {
      if (leaf._tag !== "UnexpectedKey") return SchemaIssue.defaultLeafHook(leaf)
      known.push(namesOf(leaf.ast))
      return unknown
    }
  })
  let hints = 0
  return format(issue).issues.map(({ message, path = [] }) => {
    const segments = path.map(segmentOf)
    const names = message === unknown ? known[hints++] : undefined
    return {
      path: segments,
      message: names === undefined || hints > mostHints ? message : unknown + hint(String(segments.at(-1)), names)
    }
  })
}

/** How many foreign names are compared with those that there are. */
const mostHints = 16

const unknown = "There is no such argument"

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

const hint = (name: string, known: ReadonlyArray<string>): string => {
  const meant = nearest(name, known)
  if (meant !== undefined) return `; did you mean ${JSON.stringify(meant)}?`
  return known.length === 0 || known.length > mostListed
    ? ""
    : `; there is ${known.map((name) => JSON.stringify(name)).join(", ")}`
}

/** How many names are listed where none is near. */
const mostListed = 20

/** The name that differs least, if it differs by at most a third of its characters. */
const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const written = plain(name)
  const [best] = known
    .map((known) => {
      const meant = plain(known)
      const most = Math.floor(Math.max(written.length, meant.length) / 3)
      return { known, most, distance: distance(written, meant, most) }
    })
    .filter(({ distance, most }) => distance <= most)
    .sort((one, other) => one.distance - other.distance)
  return best?.known
}

/** `userId`, `user_id` and `User-ID` are one name to whoever remembers it. */
const plain = (name: string): string => name.slice(0, longest).toLowerCase().replace(/[_\-. ]/g, "")

/** A foreign name is compared as far as names of arguments go. */
const longest = 64

/** How many characters must be inserted, removed or replaced (Levenshtein); infinite where their number says enough. */
const distance = (one: string, other: string, most: number): number => {
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= other.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (other[column - 1] === character ? 0 : 1)
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    above = current
  }
  return above.at(-1) ?? 0
}
