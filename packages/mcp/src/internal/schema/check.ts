/**
 * Holds JSON against a JSON Schema of the other side (2020-12, and what older
 * drafts write differently).
 *
 * Nothing is fetched: a `$ref` is looked up in the schema itself, and one that
 * leads elsewhere allows everything. `format` is an annotation. Time is bounded by
 * steps and depth; what goes beyond is an issue, never a wait. A `pattern` that
 * could take long is not run.
 */
import type * as Schema from "effect/Schema"
import { isArray, isObject, own } from "../Json.ts"
import * as SchemaNames from "./names.ts"
import * as Pattern from "./pattern.ts"

/** What does not fit: where in the value, and what it should be. */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly rule: string
}

/** Gives the first issue of a value, or nothing. */
export type Check = (value: Schema.Json) => Issue | undefined

type Path = ReadonlyArray<string | number>

/** How many values and schemas one check may meet. */
const mostSteps = 500_000

/** How deep schemas may lead into one another. */
const mostDepth = 1_024

/** The members that a schema has evaluated, for `unevaluated…`. It is kept only where the schema has such a keyword. */
interface Looked {
  readonly keys: Set<string>
  items: number
}

type Seen = Looked | undefined

interface Run {
  readonly names: SchemaNames.Names
  readonly patterns: Map<string, Pattern.Pattern>
  readonly newSeen: () => Seen
  steps: number
  depth: number
  /** Set where a bound was met: what was found after that means nothing. */
  excess: Issue | undefined
}

/** What holds values against a schema, made once for it. */
export const make = (root: Schema.Json): Check => {
  const names = SchemaNames.make(root)
  const patterns = new Map<string, Pattern.Pattern>()
  return (value) => {
    const run: Run = {
      names,
      patterns,
      newSeen: names.hasUnevaluated ? looked : unasked,
      steps: 0,
      depth: 0,
      excess: undefined
    }
    const issue = visit(run, root, value, [], run.newSeen())
    return run.excess ?? issue
  }
}

const looked = (): Seen => ({ keys: new Set(), items: 0 })

const unasked = (): Seen => undefined

const visit = (run: Run, schema: Schema.Json, value: Schema.Json, path: Path, seen: Seen): Issue | undefined => {
  if (schema === false) return { path, rule: "nothing is allowed here" }
  if (!isObject(schema)) return undefined
  if (run.excess !== undefined) return run.excess
  if (++run.steps > mostSteps) return run.excess = { path, rule: `it takes more than ${mostSteps} steps to check` }
  if (run.depth >= mostDepth) {
    return run.excess = { path, rule: `it takes more than ${mostDepth} schemas in one another to check` }
  }
  run.depth++
  const issue = typed(schema, value, path) ??
    scalar(run, schema, value, path) ??
    applied(run, schema, value, path, seen) ??
    (isObject(value)
      ? object(run, schema, value, path, seen)
      : isArray(value)
      ? array(run, schema, value, path, seen)
      : undefined)
  run.depth--
  return issue
}

const typeOf = (value: Schema.Json): string => value === null ? "null" : isArray(value) ? "array" : typeof value

const isOf = (type: Schema.Json, value: Schema.Json): boolean =>
  type === "integer" ? typeof value === "number" && Number.isInteger(value) : type === typeOf(value)

const typed = (schema: Schema.JsonObject, value: Schema.Json, path: Path): Issue | undefined => {
  const type = own(schema, "type")
  if (type === undefined) return undefined
  const types = isArray(type) ? type : [type]
  return types.some((type) => isOf(type, value)) ? undefined : { path, rule: `it should be ${types.join(" or ")}` }
}

const scalar = (run: Run, schema: Schema.JsonObject, value: Schema.Json, path: Path): Issue | undefined => {
  const values = own(schema, "enum")
  if (isArray(values)) {
    const text = canonical(run, value)
    if (!values.some((one) => canonical(run, one) === text)) {
      return { path, rule: "it should be one of the values listed" }
    }
  }
  if (Object.hasOwn(schema, "const") && canonical(run, schema["const"] ?? null) !== canonical(run, value)) {
    return { path, rule: `it should be ${canonical(run, schema["const"] ?? null).slice(0, 100)}` }
  }
  if (typeof value === "number") return numeric(schema, value, path)
  if (typeof value === "string") return textual(run, schema, value, path)
  return undefined
}

const numeric = (schema: Schema.JsonObject, value: number, path: Path): Issue | undefined => {
  const bound = (key: string, holds: (limit: number) => boolean, words: string) => {
    const limit = own(schema, key)
    return typeof limit === "number" && !holds(limit) ? { path, rule: `it should be ${words} ${limit}` } : undefined
  }
  return bound("minimum", (limit) => value >= limit, "at least") ??
    bound("maximum", (limit) => value <= limit, "at most") ??
    bound("exclusiveMinimum", (limit) => value > limit, "more than") ??
    bound("exclusiveMaximum", (limit) => value < limit, "less than") ??
    bound("multipleOf", (factor) => isMultiple(value, factor), "a multiple of")
}

/** Tenths and the like are no binary fractions: the quotient may be off by a last digit. */
const isMultiple = (value: number, factor: number): boolean => {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

const textual = (run: Run, schema: Schema.JsonObject, value: string, path: Path): Issue | undefined => {
  const least = own(schema, "minLength")
  const most = own(schema, "maxLength")
  if (typeof least === "number" || typeof most === "number") {
    let length = 0
    for (const _ of value) length++
    if (typeof least === "number" && length < least) return { path, rule: `it should have ${least} characters or more` }
    if (typeof most === "number" && length > most) return { path, rule: `it should have ${most} characters or fewer` }
  }
  const pattern = own(schema, "pattern")
  if (typeof pattern === "string" && patternOf(run, pattern).test(value) === false) {
    return { path, rule: `it should match ${pattern}` }
  }
  return undefined
}

const patternOf = (run: Run, source: string): Pattern.Pattern => {
  const known = run.patterns.get(source)
  if (known !== undefined) return known
  const made = Pattern.make(source)
  run.patterns.set(source, made)
  return made
}

const references = ["$ref", "$dynamicRef", "$recursiveRef"]

/** The keywords that apply other schemas to the same value. */
const applied = (
  run: Run,
  schema: Schema.JsonObject,
  value: Schema.Json,
  path: Path,
  seen: Seen
): Issue | undefined => {
  for (const key of references) {
    const ref = own(schema, key)
    const target = typeof ref === "string" ? run.names.resolve(ref) : undefined
    const issue = target === undefined ? undefined : visit(run, target, value, path, seen)
    if (issue !== undefined) return issue
  }
  const all = own(schema, "allOf")
  if (isArray(all)) {
    for (const one of all) {
      const issue = visit(run, one, value, path, seen)
      if (issue !== undefined) return issue
    }
  }
  const any = own(schema, "anyOf")
  if (isArray(any) && fitting(run, any, value, path, seen) === 0) return { path, rule: "it fits none of the choices" }
  const one = own(schema, "oneOf")
  if (isArray(one)) {
    const count = fitting(run, one, value, path, seen)
    if (count !== 1) return { path, rule: `it should fit one of the choices, and fits ${count}` }
  }
  const not = own(schema, "not")
  if (not !== undefined && visit(run, not, value, path, run.newSeen()) === undefined) {
    return { path, rule: "it is what it should not be" }
  }
  const condition = own(schema, "if")
  if (condition === undefined) return undefined
  const branch = own(schema, fitting(run, [condition], value, path, seen) === 1 ? "then" : "else")
  return branch === undefined ? undefined : visit(run, branch, value, path, seen)
}

/** How many of the schemas the value fits. What those evaluated counts as evaluated. */
const fitting = (run: Run, schemas: Schema.JsonArray, value: Schema.Json, path: Path, seen: Seen): number => {
  let count = 0
  for (const schema of schemas) {
    const own = run.newSeen()
    if (visit(run, schema, value, path, own) !== undefined) continue
    count++
    if (own === undefined || seen === undefined) continue
    for (const key of own.keys) seen.keys.add(key)
    seen.items = Math.max(seen.items, own.items)
  }
  return count
}

const object = (
  run: Run,
  schema: Schema.JsonObject,
  value: Schema.JsonObject,
  path: Path,
  seen: Seen
): Issue | undefined => {
  const keys = Object.keys(value)
  const issue = counted(schema, keys.length, path, "minProperties", "maxProperties", "members") ??
    demanded(run, schema, value, path, seen)
  if (issue !== undefined) return issue
  const properties = own(schema, "properties")
  const patterns = own(schema, "patternProperties")
  const rest = own(schema, "additionalProperties")
  const names = own(schema, "propertyNames")
  for (const key of keys) {
    const at = [...path, key]
    const member = value[key] ?? null
    const named = names === undefined ? undefined : visit(run, names, key, at, run.newSeen())
    if (named !== undefined) return named
    const schemas: Array<Schema.Json> = []
    const property = isObject(properties) ? own(properties, key) : undefined
    if (property !== undefined) schemas.push(property)
    if (isObject(patterns)) {
      for (const [pattern, one] of Object.entries(patterns)) {
        const matches = patternOf(run, pattern).test(key)
        // Where the pattern cannot be run, `additionalProperties` must not judge the member either.
        if (matches !== false) schemas.push(matches === true ? one : true)
      }
    }
    if (schemas.length === 0 && rest !== undefined) schemas.push(rest)
    if (schemas.length > 0) seen?.keys.add(key)
    for (const one of schemas) {
      const issue = visit(run, one, member, at, run.newSeen())
      if (issue !== undefined) return issue
    }
  }
  const unseen = own(schema, "unevaluatedProperties")
  if (unseen === undefined) return undefined
  for (const key of keys) {
    if (seen?.keys.has(key) === true) continue
    seen?.keys.add(key)
    const issue = visit(run, unseen, value[key] ?? null, [...path, key], run.newSeen())
    if (issue !== undefined) return issue
  }
  return undefined
}

/** What must be there, by itself or because of something else. */
const demanded = (
  run: Run,
  schema: Schema.JsonObject,
  value: Schema.JsonObject,
  path: Path,
  seen: Seen
): Issue | undefined => {
  const missing = (keys: Schema.Json | undefined): Issue | undefined => {
    const key = isArray(keys) ? keys.find((key) => typeof key === "string" && !Object.hasOwn(value, key)) : undefined
    return typeof key === "string" ? { path: [...path, key], rule: "it is missing" } : undefined
  }
  const issue = missing(own(schema, "required"))
  if (issue !== undefined) return issue
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    const dependents = own(schema, keyword)
    if (!isObject(dependents)) continue
    for (const [key, dependent] of Object.entries(dependents)) {
      if (!Object.hasOwn(value, key)) continue
      const issue = isArray(dependent) ? missing(dependent) : visit(run, dependent, value, path, seen)
      if (issue !== undefined) return issue
    }
  }
  return undefined
}

const counted = (
  schema: Schema.JsonObject,
  count: number,
  path: Path,
  leastKey: string,
  mostKey: string,
  what: string
): Issue | undefined => {
  const least = own(schema, leastKey)
  if (typeof least === "number" && count < least) return { path, rule: `it should have ${least} ${what} or more` }
  const most = own(schema, mostKey)
  if (typeof most === "number" && count > most) return { path, rule: `it should have ${most} ${what} or fewer` }
  return undefined
}

const array = (
  run: Run,
  schema: Schema.JsonObject,
  value: Schema.JsonArray,
  path: Path,
  seen: Seen
): Issue | undefined => {
  const issue = counted(schema, value.length, path, "minItems", "maxItems", "items")
  if (issue !== undefined) return issue
  const items = own(schema, "items")
  // Drafts before 2020-12 wrote tuples as `items`, and the rest as `additionalItems`.
  const first = own(schema, "prefixItems") ?? items
  const tuple = isArray(first) ? first : []
  const rest = isArray(items) ? own(schema, "additionalItems") : items
  const contains = own(schema, "contains")
  let containing = 0
  for (const [index, item] of value.entries()) {
    const at = [...path, index]
    const one = index < tuple.length ? tuple[index] : rest
    const issue = one === undefined ? undefined : visit(run, one, item, at, run.newSeen())
    if (issue !== undefined) return issue
    if (one !== undefined && seen !== undefined) seen.items = Math.max(seen.items, index + 1)
    if (contains !== undefined && visit(run, contains, item, at, run.newSeen()) === undefined) containing++
  }
  if (contains !== undefined) {
    const least = own(schema, "minContains") ?? 1
    const most = own(schema, "maxContains")
    if ((typeof least === "number" && containing < least) || (typeof most === "number" && containing > most)) {
      return { path, rule: `${containing} of its items are what it should contain` }
    }
  }
  if (own(schema, "uniqueItems") === true) {
    const texts = new Set(value.map((item) => canonical(run, item)))
    if (texts.size < value.length) return { path, rule: "its items should differ" }
  }
  const unseen = own(schema, "unevaluatedItems")
  if (unseen === undefined) return undefined
  for (let index = seen?.items ?? 0; index < value.length; index++) {
    const issue = visit(run, unseen, value[index] ?? null, [...path, index], run.newSeen())
    if (issue !== undefined) return issue
  }
  return undefined
}

/** One text for all JSON that is equal: members in the order of their names. */
const canonical = (run: Run, value: Schema.Json): string => {
  run.steps++
  if (isArray(value)) return `[${value.map((item) => canonical(run, item)).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(run, value[key] ?? null)}`)
  return `{${members.join()}}`
}
