/** The keywords of numbers and texts. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Alternative, Facts } from "../Facts.ts"
import type { Kinded } from "./Kinded.ts"

/** The number of a keyword. */
export const numberOf = (schema: Schema.JsonObject, keyword: string): number | undefined => {
  const value = JsonObject.own(schema, keyword)
  return typeof value === "number" ? value : undefined
}

const stringOf = (schema: Schema.JsonObject, keyword: string): string | undefined => {
  const value = JsonObject.own(schema, keyword)
  return typeof value === "string" ? value : undefined
}

interface Bound {
  readonly limit: number
  readonly isExclusive: boolean
}

/** The bounds of a side. Draft 04 has a flag beside the limit. */
const boundsOf = (schema: Schema.JsonObject, plain: string, exclusive: string): ReadonlyArray<Bound> => {
  const limit = numberOf(schema, plain)
  const other = numberOf(schema, exclusive)
  return [
    ...limit === undefined ? [] : [{ limit, isExclusive: JsonObject.own(schema, exclusive) === true }],
    ...other === undefined ? [] : [{ limit: other, isExclusive: true }]
  ]
}

export const numbers: Kinded = {
  fit: (facts, _, schema) => {
    const factor = numberOf(schema, "multipleOf")
    if (factor !== undefined && factor > 0) facts.factors = [...facts.factors, factor]
    return boundsOf(schema, "minimum", "exclusiveMinimum").every(({ isExclusive, limit }) =>
      facts.atLeast(limit, isExclusive)
    ) &&
      boundsOf(schema, "maximum", "exclusiveMaximum").every(({ isExclusive, limit }) =>
        facts.atMost(limit, isExclusive)
      )
  },
  misfit: (_, __, schema) => {
    const factor = numberOf(schema, "multipleOf")
    return [
      ...boundsOf(schema, "minimum", "exclusiveMinimum").map(({ isExclusive, limit }): Alternative => (facts) =>
        facts.atMost(limit, !isExclusive)
      ),
      ...boundsOf(schema, "maximum", "exclusiveMaximum").map(({ isExclusive, limit }): Alternative => (facts) =>
        facts.atLeast(limit, !isExclusive)
      ),
      ...factor === undefined || factor <= 0 ? [] : [(facts: Facts) => {
        facts.nonFactors = [...facts.nonFactors, factor]
        return true
      }]
    ]
  }
}

/** How many parts a value has: what `min…` and `max…` ask for. */
export const counted = (suffix: string): Kinded => ({
  fit: (facts, _, schema) =>
    facts.counting(numberOf(schema, `min${suffix}`) ?? 0, numberOf(schema, `max${suffix}`) ?? Infinity),
  misfit: (_, __, schema) => {
    const fewest = numberOf(schema, `min${suffix}`)
    const most = numberOf(schema, `max${suffix}`)
    return [
      ...fewest === undefined ? [] : [(facts: Facts) => facts.counting(0, Math.ceil(fewest) - 1)],
      ...most === undefined ? [] : [(facts: Facts) => facts.counting(Math.floor(most) + 1, Infinity)]
    ]
  }
})

const lengths = counted("Length")

export const texts: Kinded = {
  fit: (facts, node, schema, expand) => {
    const pattern = stringOf(schema, "pattern")
    if (pattern !== undefined && !facts.patterns.includes(pattern)) facts.patterns = [...facts.patterns, pattern]
    return (pattern === undefined || !facts.nonPatterns.includes(pattern)) && lengths.fit(facts, node, schema, expand)
  },
  misfit: (facts, node, schema, expand) => {
    const pattern = stringOf(schema, "pattern")
    return [
      ...lengths.misfit(facts, node, schema, expand),
      ...pattern === undefined ? [] : [(facts: Facts) => {
        facts.nonPatterns = [...facts.nonPatterns, pattern]
        return !facts.patterns.includes(pattern)
      }]
    ]
  }
}
