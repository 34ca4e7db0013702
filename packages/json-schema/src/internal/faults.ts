/**
 * Faults of a schema of this side, found before any value is checked: references that lead to no schema,
 * dialects that nobody knows, and patterns that cannot be run. A schema of the other side is checked as far as it goes.
 */
import { Excerpt, JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { located, tokenOf } from "../Subschemas.ts"
import type { Names, Place } from "./names.ts"
import * as Pattern from "./pattern/pattern.ts"
import { Steps } from "./Steps.ts"

/**
 * The options say which parts of a schema are looked at.
 *
 * @category models
 * @since 0.1.0
 */
export interface FaultOptions {
  /** Whether patterns are among what is checked. */
  readonly patterns: boolean
}

/**
 * The first fault of the schema of `what`, with the JSON pointer of its place. References are followed, as they may lead
 * to schemas that stand below no keyword. @internal
 */
export const faultOf = (what: string, names: Names, steps: Steps, options: FaultOptions): string | undefined => {
  const unusable = (why: string) => `the schema of ${what} cannot be used: ${why}`
  const seen = new Set<Schema.Json>()
  // As many steps as the rules of all patterns may take.
  const run = { steps: new Steps(), sources: new Set<string>() }
  const waiting: Array<Place & { readonly pointer: string }> = [{ ...names.root, pointer: "#" }]
  for (const { pointer, resource: outer, schema } of waiting) {
    if (typeof schema === "boolean") continue
    if (!JsonObject.isObject(schema)) return unusable(noSchemaAt(pointer))
    if (seen.has(schema)) continue
    seen.add(schema)
    steps.spendFor(pointer)
    const resource = names.resourceOf(schema, outer)
    const dialect = JsonObject.own(schema, "$schema")
    if (dialect !== undefined && !names.knows(dialect)) {
      return unusable(
        `the dialect ${written(dialect)} at ${Excerpt.quoted(`${pointer}/$schema`)} is none of ${dialects}`
      )
    }
    const fault = options.patterns ? patternFault(what, schema, pointer, run) : undefined
    if (fault !== undefined) return fault
    for (const keyword of references) {
      const reference = JsonObject.own(schema, keyword)
      if (reference === undefined) continue
      const target = typeof reference === "string" ? names.resolve(reference, resource) : undefined
      if (target === undefined) return unusable(referenceFault(keyword, reference, pointer))
      waiting.push({ ...target, pointer: isLocal(reference) ? reference : `${pointer}/${keyword}` })
    }
    for (const [below, part] of located(schema)) {
      // Drafts before 2019-09 list the names of members in `dependencies`, too.
      const isList = Array.isArray(part) && below.startsWith("/dependencies/")
      if (!isList) waiting.push({ schema: part, resource, pointer: pointer + below })
    }
  }
  return undefined
}

const references = ["$ref", "$dynamicRef", "$recursiveRef"] as const

const isLocal = (reference: Schema.Json): reference is string =>
  typeof reference === "string" && reference.startsWith("#")

const referenceFault = (keyword: string, reference: Schema.Json, pointer: string): string => {
  const text = `the ${keyword} ${written(reference)} at ${Excerpt.quoted(pointer)}`
  return typeof reference !== "string"
    ? `${text} is no text`
    : isLocal(reference)
    ? `${text} leads to no schema in it: correct the reference, or put the schema there`
    : `${text} leads out of it, and nothing is fetched: put the schema into $defs, with its $id, and refer to that`
}

interface PatternRun {
  readonly steps: Steps
  /** The patterns that can be run. */
  readonly sources: Set<string>
}

const patternFault = (
  what: string,
  schema: Schema.JsonObject,
  pointer: string,
  run: PatternRun
): string | undefined => {
  const pattern = JsonObject.own(schema, "pattern")
  const named = JsonObject.own(schema, "patternProperties")
  const patterns: ReadonlyArray<readonly [string, string]> = [
    ...(typeof pattern === "string" ? [[pattern, "/pattern"] as const] : []),
    ...(JsonObject.isObject(named)
      ? Object.keys(named).map((key) => [key, `/patternProperties/${tokenOf(key)}`] as const)
      : [])
  ]
  for (const [source, below] of patterns) {
    if (run.sources.has(source)) continue
    run.sources.add(source)
    const made = Pattern.make(source, run.steps)
    if (typeof made === "string") {
      return `the pattern ${Excerpt.line(source)} of ${what} cannot be run: ${made}; it stands at ` +
        `${Excerpt.quoted(pointer + below)}: use another, or look at the value in the handler`
    }
  }
  return undefined
}

const noSchemaAt = (pointer: string): string =>
  `at ${Excerpt.quoted(pointer)} is no schema: that is an object, true or false`

const written = (value: Schema.Json): string =>
  typeof value === "string" ? Excerpt.quoted(value) : Excerpt.line(JSON.stringify(value))

/** The dialects that are checked. @internal */
export const dialects = "2020-12, 2019-09, draft-07, draft-06 and draft-04, and the schema does not describe it"
