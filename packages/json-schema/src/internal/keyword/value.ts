/** The keywords about a value itself: its type, what it equals, numbers and texts. */
import { Excerpt, JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import * as Pattern from "../pattern/pattern.ts"
import { canonical, type Run } from "../Run.ts"
import type { Steps } from "../Steps.ts"
import type { Keyword } from "./Keyword.ts"

const type: Keyword = (source) => {
  const type = source.get("type")
  if (type === undefined) return undefined
  const names = (source.list("type") ?? [type]).filter((name) => typeof name === "string").slice(0, mostTypes)
  const words = names.join(" or ")
  return (run, value) => names.some((name) => isOf(name, value)) ? undefined : run.issue(`it should be ${words}`)
}

/** There are seven, and each may be there once. */
const mostTypes = 7

const isOf = (type: string, value: Schema.Json): boolean =>
  type === "integer" ? typeof value === "number" && Number.isInteger(value) : type === typeOf(value)

const typeOf = (value: Schema.Json): string =>
  value === null ? "null" : JsonObject.isArray(value) ? "array" : typeof value

const oneOfValues: Keyword = (source) => {
  const values = source.list("enum")
  if (values === undefined) return undefined
  const known = new Values(source.steps, values)
  return (run, value) => known.has(run.steps, value) ? undefined : run.issue("it should be one of the values listed")
}

const constant: Keyword = (source) => {
  if (!source.has("const")) return undefined
  const value = source.get("const") ?? null
  const known = new Values(source.steps, [value])
  const words = typeof value === "object" && value !== null
    ? "what the schema says"
    : typeof value === "string"
    ? JSON.stringify(value.slice(0, 100))
    : String(value)
  return (run, value) => known.has(run.steps, value) ? undefined : run.issue(`it should be ${words}`)
}

/** Values that others are compared with. @internal */
export class Values {
  readonly #simple = new Set<Schema.Json>()
  readonly #texts = new Set<string>()

  constructor(steps: Steps, values: Schema.JsonArray) {
    for (const value of values) this.add(steps, value)
  }

  /** How many there are that differ. */
  get size(): number {
    return this.#simple.size + this.#texts.size
  }

  add(steps: Steps, value: Schema.Json) {
    steps.spend(addingSteps)
    if (isSimple(steps, value)) this.#simple.add(value)
    else this.#texts.add(canonical(value, steps))
  }

  has(steps: Steps, value: Schema.Json): boolean {
    if (isSimple(steps, value)) return this.#simple.has(value)
    return this.#texts.size > 0 && this.#texts.has(canonical(value, steps))
  }
}

/** A set that grows copies itself. */
const addingSteps = 4

const isSimple = (steps: Steps, value: Schema.Json): boolean => {
  if (typeof value === "string") steps.spendFor(value)
  return !JsonObject.isArray(value) && !JsonObject.isObject(value)
}

const bound = (
  keyword: string,
  holds: (value: number, limit: number) => boolean,
  words: string,
  flag?: string
): Keyword =>
(source) => {
  const limit = source.number(keyword)
  if (limit === undefined || (flag !== undefined && source.get(flag) !== true)) return undefined
  return (run, value) =>
    typeof value !== "number" || holds(value, limit) ? undefined : run.issue(`it should be ${words} ${limit}`)
}

/** Tenths and the like are no binary fractions: the quotient may be off by a last digit. */
const isMultiple = (value: number, factor: number): boolean => {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

const numbers: ReadonlyArray<Keyword> = [
  bound("minimum", (value, limit) => value >= limit, "at least"),
  bound("maximum", (value, limit) => value <= limit, "at most"),
  bound("exclusiveMinimum", (value, limit) => value > limit, "more than"),
  bound("exclusiveMaximum", (value, limit) => value < limit, "less than"),
  // Draft-04 has a flag beside the bound.
  bound("minimum", (value, limit) => value > limit, "more than", "exclusiveMinimum"),
  bound("maximum", (value, limit) => value < limit, "less than", "exclusiveMaximum"),
  bound("multipleOf", isMultiple, "a multiple of")
]

const length: Keyword = (source) => {
  const least = source.number("minLength") ?? 0
  const most = source.number("maxLength") ?? Number.POSITIVE_INFINITY
  if (least === 0 && most === Number.POSITIVE_INFINITY) return undefined
  return (run, value) => {
    if (typeof value !== "string") return undefined
    const length = lengthOf(run, value, least, most)
    if (length < least) return run.issue(`it should have ${least} characters or more`)
    return length > most ? run.issue(`it should have ${most} characters or fewer`) : undefined
  }
}

/** Characters, which are one or two UTF-16 units each; they are counted only where that decides something. */
const lengthOf = (run: Run, text: string, least: number, most: number): number => {
  const units = text.length
  const half = Math.ceil(units / 2)
  if (units < least || half > most || (half >= least && units <= most)) return units
  run.steps.spendFor(text)
  let length = 0
  for (const _ of text) length++
  return length
}

const pattern: Keyword = (source) => {
  const text = source.string("pattern")
  if (text === undefined) return undefined
  const pattern = patternOf(source.steps, text)
  if (typeof pattern === "string") {
    return (run, value) => typeof value === "string" ? run.doubted(pattern) : undefined
  }
  return (run, value) =>
    typeof value !== "string" || pattern.test(value, run.steps) ? undefined : run.issue(`it should match ${text}`)
}

/** A tester of a pattern, or the reason why there is none. @internal */
export const patternOf = (steps: Steps, source: string): Pattern.Tester | string => {
  const pattern = Pattern.make(source, steps)
  return typeof pattern === "string"
    ? `the pattern ${Excerpt.quoted(source, 100)} of its schema cannot be run: ${pattern}`
    : pattern
}

/** In the order in which they are looked at. @internal */
export const valueKeywords: ReadonlyArray<Keyword> = [type, oneOfValues, constant, ...numbers, length, pattern]
