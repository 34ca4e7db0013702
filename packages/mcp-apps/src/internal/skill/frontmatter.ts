/**
 * The frontmatter of a `SKILL.md`: YAML between lines of three hyphens, as JSON.
 *
 * A server may have written it, so that it is bounded before it is parsed: by its length, because the time of the parser
 * may grow with its square, and by what it becomes, because aliases may write much with little.
 */
import { JsonObject } from "@parley/protocol/shared"
import * as Yaml from "effect/encoding/Yaml"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** Characters of a frontmatter: its longest fields, a description and a compatibility, have 1,524. */
const longest = 16 * 1024

/** Values in a frontmatter, at any depth. */
const mostValues = 10_000

/** Levels of values in a frontmatter. */
const deepest = 32

/** Reads it, or says in words why it cannot be read. */
export const read = (text: string): Result.Result<Schema.JsonObject, string> => {
  const yaml = between(text)
  if (yaml === undefined) return Result.fail("it does not begin with a frontmatter between two lines `---`")
  if (yaml.length > longest) return Result.fail(`its frontmatter has more than ${longest} characters`)
  try {
    const json = jsonOf(Yaml.parse(yaml), { left: mostValues }, 0)
    return JsonObject.isObject(json) ? Result.succeed(json) : Result.fail("its frontmatter is no mapping")
  } catch (cause) {
    return Result.fail(`its frontmatter cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

const between = (text: string): string | undefined => {
  const first = text.startsWith("\uFEFF") ? 1 : 0
  const begun = ["---\n", "---\r\n"].find((line) => text.startsWith(line, first))
  if (begun === undefined) return undefined
  const from = first + begun.length
  for (let at = from; at <= text.length;) {
    const next = text.indexOf("\n", at)
    const line = text.slice(at, next === -1 ? text.length : next)
    if (line.trimEnd() === "---") return text.slice(from, at)
    if (next === -1) return undefined
    at = next + 1
  }
  return undefined
}

/** The value as JSON, each alias as a value of its own. Throws for what JSON has no word for, and beyond the bounds. */
const jsonOf = (value: unknown, budget: { left: number }, depth: number): Schema.Json => {
  if (--budget.left < 0) throw new Error(`it has more than ${mostValues} values`)
  if (depth > deepest) throw new Error(`it has more than ${deepest} levels`)
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`JSON has no ${value}`)
  if (Array.isArray(value)) return value.map((one) => jsonOf(one, budget, depth + 1))
  if (typeof value !== "object" || value === null) {
    // The parser gives strings, numbers, booleans and null.
    return value as Schema.Json
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, jsonOf(one, budget, depth + 1)]))
}
