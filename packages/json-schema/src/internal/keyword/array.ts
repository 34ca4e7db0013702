/** The keywords about the items of arrays. */
import { JsonObject } from "@parley/protocol/shared"
import type { Issue } from "../Run.ts"
import { counted, type Keyword } from "./Keyword.ts"
import { Values } from "./value.ts"

/** @internal */
export const itemCount: Keyword = counted(
  "Items",
  "items",
  (_, value) => JsonObject.isArray(value) ? value.length : undefined
)

/** Drafts before 2020-12 wrote tuples as `items`, and the rest as `additionalItems`. @internal */
export const items: Keyword = (source) => {
  const isOld = JsonObject.isArray(source.get("items"))
  const tuple = source.schemasOf("prefixItems") ?? (isOld ? source.schemasOf("items") : undefined) ?? []
  const rest = source.schema(isOld ? "additionalItems" : "items")
  if (tuple.length === 0 && rest === undefined) return undefined
  return (run, value, evaluated) => {
    if (!JsonObject.isArray(value)) return undefined
    const count = rest === undefined ? Math.min(tuple.length, value.length) : value.length
    for (let index = 0; index < count; index++) {
      const node = tuple[index] ?? rest
      const issue = node === undefined ? undefined : run.visitAt(node, index, value[index] ?? null)
      if (issue !== undefined) return issue
    }
    if (evaluated !== undefined) evaluated.items = Math.max(evaluated.items, count)
    return undefined
  }
}

/** @internal */
export const contains: Keyword = (source) => {
  const node = source.schema("contains")
  if (node === undefined) return undefined
  const least = source.number("minContains") ?? 1
  const most = source.number("maxContains") ?? Number.POSITIVE_INFINITY
  return (run, value, evaluated) => {
    if (!JsonObject.isArray(value)) return undefined
    let count = 0
    let doubts = 0
    let doubt: Issue | undefined
    for (const [index, item] of value.entries()) {
      const answer = run.fits(node, item)
      if (answer === false) continue
      if (answer === true) count++
      else {
        doubts++
        doubt ??= answer
      }
      evaluated?.others.add(index)
    }
    if (count > most || count + doubts < least) return run.issue(`${count} of its items are what it should contain`)
    return doubt !== undefined && (count < least || count + doubts > most) ? run.doubted(doubt.rule) : undefined
  }
}

/** @internal */
export const unique: Keyword = (source) =>
  source.get("uniqueItems") !== true ? undefined : (run, value) => {
    if (!JsonObject.isArray(value)) return undefined
    run.steps.spend(value.length)
    return new Values(run.steps, value).size < value.length ? run.issue("its items should differ") : undefined
  }

/** @internal */
export const unevaluatedItems: Keyword = (source) => {
  const node = source.schema("unevaluatedItems")
  return node === undefined ? undefined : (run, value, evaluated) => {
    if (!JsonObject.isArray(value)) return undefined
    for (let index = evaluated?.items ?? 0; index < value.length; index++) {
      run.steps.spend(1)
      if (evaluated?.others.has(index) === true) continue
      const issue = run.visitAt(node, index, value[index] ?? null)
      if (issue !== undefined) return issue
    }
    if (evaluated !== undefined) evaluated.items = Math.max(evaluated.items, value.length)
    return undefined
  }
}
