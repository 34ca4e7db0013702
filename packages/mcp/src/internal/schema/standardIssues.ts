/**
 * The issues of a Standard Schema as those of a Schema of Effect. A member that the JSON Schema does not allow is reported
 * as every Schema does it, with the name that was probably meant: libraries differ in where and how they report it.
 */
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { isObject, segmentOf } from "../Json.ts"

/** @internal */
export const issueOf = (
  issues: ReadonlyArray<StandardSchemaV1.Issue>,
  jsonSchema: Schema.JsonObject,
  value: unknown
): SchemaIssue.Issue => {
  const allUnexpected = unexpectedIn(jsonSchema, value, [])
  const unexpected = allUnexpected.slice(0, mostIssues)
  const places = new Set(unexpected.map(({ name, path }) => placeOf(path, name)))
  // The list and the path may be of a class whose own `slice` and `map` give something else than a list.
  const reported = [...issues].slice(0, mostIssues)
  const others = reported.map(({ message, path = [] }) => ({ message, path: Array.from(path, segmentOf) }))
    .filter((issue) => !reports(issue, places))
    .map(({ message, path }) => at(path, invalid(unplaced(message, path))))
  const members = unexpected.map(({ name, object, path }) => at([...path, name], new SchemaIssue.UnexpectedKey(object)))
  // The rest of one may be the rest of the other.
  const left = Math.max(issues.length - reported.length, allUnexpected.length - unexpected.length)
  const told = firstOf([...others, ...members], invalid, left)
  const [first = invalid("it does not fit"), ...more] = told
  return new SchemaIssue.Composite(Schema.Unknown.ast, [first, ...more])
}

/**
 * Issues that are told of a value. Every few characters of it may be wrong: an answer with all issues would be many times
 * as long as the value, and refused where it is sent.
 */
const mostIssues = 64

/**
 * The first of some issues, and behind them what `more` makes of a text with the number of the others. `left` counts others
 * that are not in the list.
 *
 * @internal
 */
export const firstOf = <A>(issues: ReadonlyArray<A>, more: (text: string) => A, left = 0): ReadonlyArray<A> => {
  const all = issues.length + left
  if (all <= mostIssues) return issues
  const first = issues.slice(0, mostIssues - 1)
  return [...first, more(`and ${all - first.length} more`)]
}

type Path = ReadonlyArray<string | number>

interface Unexpected {
  readonly path: Path
  readonly name: string
  /** An object with the names that this one may have. */
  readonly object: SchemaAST.AST
}

interface Issue {
  readonly message: string
  readonly path: Path
}

/** The members that a JSON Schema refuses, as far as it names those that it allows. */
const unexpectedIn = (schema: Schema.Json | undefined, value: unknown, path: Path): ReadonlyArray<Unexpected> => {
  if (!isObject(schema) || !isObject(value)) return []
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const { ast: object } = Schema.Struct(Record.map(properties, () => Schema.Unknown))
  const isClosed = schema["additionalProperties"] === false && schema["patternProperties"] === undefined
  return Object.entries(value).flatMap(([name, member]) =>
    Object.hasOwn(properties, name)
      ? unexpectedIn(properties[name], member, [...path, name])
      : isClosed
      ? [{ path, name, object }]
      : []
  )
}

/** Whether an issue is about a member at one of these places: it stands there, or at the object and quotes the name. */
const reports = ({ message, path }: Issue, places: ReadonlySet<string>): boolean =>
  places.has(placeOf(path.slice(0, -1), path.at(-1))) ||
  message.split(`"`).some((part, index) => index % 2 === 1 && places.has(placeOf(path, part)))

const placeOf = (path: Path, name: string | number | undefined): string => JSON.stringify([...path, name])

const at = (path: Path, issue: SchemaIssue.Issue): SchemaIssue.Issue =>
  path.length === 0 ? issue : new SchemaIssue.Pointer(path, issue)

const invalid = (message: string): SchemaIssue.Issue => new SchemaIssue.InvalidValue({ message })

/** A message without the path that some libraries begin it with: the path stands before it already. */
const unplaced = (message: string, path: Path): string => {
  const place = path.map((segment, index) =>
    typeof segment === "number" ? `[${segment}]` : index === 0 ? segment : `.${segment}`
  ).join("")
  return place !== "" && message.startsWith(`${place} `) ? message.slice(place.length + 1) : message
}
