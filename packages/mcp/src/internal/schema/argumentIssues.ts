/**
 * The reasons for which arguments were refused, in words that a model can act on: an argument that the tool does not have
 * is told together with the one that was probably meant. However much is wrong, the reasons are short enough to be read.
 */
import type { ErrorObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import * as Nearest from "../../shared/Nearest.ts"
import { segmentOf } from "../Json.ts"
import { firstOf } from "./standardIssues.ts"

/**
 * Whether a Schema looks for all issues of arguments, so that a model needs one more call and not many, or for the first
 * one. It knows nothing between: where all elements of a long list are wrong, all issues take seconds.
 *
 * @internal
 */
export const errorsOf = (args: unknown): "all" | "first" => hasMoreValues(args, mostValues) ? "first" : "all"

/** Values within arguments of which all issues are looked for. Each may lack all the members that the Schema names. */
const mostValues = 512

const hasMoreValues = (value: unknown, most: number): boolean => {
  const open = [value]
  for (let count = 0; open.length > 0; count++) {
    if (count + open.length > most) return true
    const value = open.pop()
    if (typeof value !== "object" || value === null) continue
    for (const inner of Object.values(value)) open.push(inner)
  }
  return false
}

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
  const more = (message: string): StandardSchemaV1.Issue => ({ message })
  let hints = 0
  return firstOf(format(issue).issues, more).map(({ message, path = [] }) => {
    const segments = shortPath(path.map(segmentOf))
    const names = message === unknown ? known[hints++] : undefined
    return {
      path: segments,
      message: names === undefined || hints > mostHints
        ? cut(message, longestReason)
        : unknown + hint(String(segments.at(-1)), names)
    }
  })
}

/** The names in a path are foreign, and many issues may be below a long one. */
const shortPath = (path: ReadonlyArray<string | number>): ReadonlyArray<string | number> =>
  (path.length > longestPath ? [...path.slice(0, longestPath), "…"] : path)
    .map((segment) => typeof segment === "string" ? cut(segment, longestName) : segment)

const longestPath = 64
const longestName = 128

/** Libraries of schemas quote foreign names in their reasons. */
const longestReason = 2_048

const cut = (text: string, most: number): string => text.length > most ? `${text.slice(0, most)}…` : text

/** How many foreign names are compared with those that there are. */
const mostHints = 16

const unknown = "There is no such argument"

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

const hint = (name: string, known: ReadonlyArray<string>): string => {
  const meant = Nearest.of(name, known)
  if (meant !== undefined) return `; did you mean ${JSON.stringify(meant)}?`
  return known.length === 0 || known.length > mostListed
    ? ""
    : `; there is ${known.map((name) => JSON.stringify(name)).join(", ")}`
}

/** How many names are listed where none is near. */
const mostListed = 20
