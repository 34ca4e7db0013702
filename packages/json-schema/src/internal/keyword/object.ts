/** The keywords about the members of objects. */
import { JsonObject } from "@parley/protocol/shared"
import type { Issue, Node, Run } from "../Run.ts"
import { counted, type Keyword } from "./Keyword.ts"
import { patternOf } from "./value.ts"

/** @internal */
export const memberCount: Keyword = counted(
  "Properties",
  "members",
  (run, value) => JsonObject.isObject(value) ? run.keysOf(value).length : undefined
)

/** The first of the members that is missing. */
const missing = (run: Run, keys: ReadonlyArray<string>, value: object): Issue | undefined => {
  run.steps.spend(keys.length)
  const key = keys.find((key) => !Object.hasOwn(value, key))
  if (key === undefined) return undefined
  run.path.push(key)
  const issue = run.issue("it is missing")
  run.path.pop()
  return issue
}

const textsOf = (value: ReadonlyArray<unknown>): ReadonlyArray<string> => value.filter((key) => typeof key === "string")

/** @internal */
export const required: Keyword = (source) => {
  const list = source.list("required")
  if (list === undefined) return undefined
  const keys = textsOf(list)
  return (run, value) => JsonObject.isObject(value) ? missing(run, keys, value) : undefined
}

/** What a member asks for where it is there: other members, or that the whole fits a schema. */
const dependent = (keyword: string): Keyword => (source) => {
  const members = source.members(keyword)
  if (members === undefined) return undefined
  const dependents = members.map(([key, dependent]) => {
    if (!JsonObject.isArray(dependent)) return [key, source.below(dependent)] as const
    source.steps.spend(dependent.length)
    return [key, textsOf(dependent)] as const
  })
  return (run, value, evaluated) => {
    if (!JsonObject.isObject(value)) return undefined
    run.steps.spend(dependents.length)
    for (const [key, dependent] of dependents) {
      if (!Object.hasOwn(value, key)) continue
      const issue = "schema" in dependent
        ? run.visit(dependent, value, evaluated)
        : missing(run, dependent, value)
      if (issue !== undefined) return issue
    }
    return undefined
  }
}

/** @internal */
export const dependentRequired = dependent("dependentRequired")

/** @internal */
export const dependentSchemas = dependent("dependentSchemas")

/** What drafts before 2019-09 had in place of both. @internal */
export const dependencies = dependent("dependencies")

/** @internal */
export const names: Keyword = (source) => {
  const node = source.schema("propertyNames")
  return node === undefined ? undefined : (run, value) => {
    if (!JsonObject.isObject(value)) return undefined
    for (const key of run.keysOf(value)) {
      const issue = run.visitAt(node, key, key)
      if (issue !== undefined) return issue
    }
    return undefined
  }
}

/** @internal */
export const members: Keyword = (source) => {
  const named = source.members("properties")
  const patterns =
    source.members("patternProperties")?.map(([pattern, schema]) =>
      [patternOf(source.steps, pattern), source.below(schema)] as const
    ) ?? []
  const unrun = patterns.map(([pattern]) => pattern).find((pattern) => typeof pattern === "string")
  const rest = source.schema("additionalProperties")
  if (named === undefined && patterns.length === 0 && rest === undefined) return undefined
  const properties = new Map(named?.map(([key, schema]) => [key, source.below(schema)]))
  return (run, value, evaluated) => {
    if (!JsonObject.isObject(value)) return undefined
    for (const key of run.keysOf(value)) {
      const nodes: Array<Node> = []
      const property = properties.get(key)
      if (property !== undefined) nodes.push(property)
      for (const [pattern, node] of patterns) {
        if (typeof pattern !== "string" && pattern.test(key, run.steps)) nodes.push(node)
      }
      if (unrun !== undefined) run.doubted(unrun)
      else if (nodes.length === 0 && rest !== undefined) nodes.push(rest)
      if (nodes.length === 0 && unrun === undefined) continue
      evaluated?.members.add(key)
      for (const node of nodes) {
        const issue = run.visitAt(node, key, value[key] ?? null)
        if (issue !== undefined) return issue
      }
    }
    return undefined
  }
}

/** @internal */
export const unevaluatedMembers: Keyword = (source) => {
  const node = source.schema("unevaluatedProperties")
  return node === undefined ? undefined : (run, value, evaluated) => {
    if (!JsonObject.isObject(value)) return undefined
    for (const key of run.keysOf(value)) {
      if (evaluated?.members.has(key) === true) continue
      evaluated?.members.add(key)
      const issue = run.visitAt(node, key, value[key] ?? null)
      if (issue !== undefined) return issue
    }
    return undefined
  }
}
