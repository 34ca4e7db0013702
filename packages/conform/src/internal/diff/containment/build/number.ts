/** Builds numbers from facts. */
import type * as Schema from "effect/Schema"
import type { Facts } from "../Facts.ts"
import { type Answer, first, none, unknown } from "../Goal.ts"

/** Multiples that are tried. */
const mostTried = 4_096

/** A number that the facts allow. */
export const number = (facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  const excluded = new Set(facts.excluded)
  const isAllowed = (value: number): boolean =>
    Number.isFinite(value) && !excluded.has(value) && value >= facts.least && value <= facts.most &&
    !(facts.isAboveLeast && value === facts.least) && !(facts.isBelowMost && value === facts.most) &&
    !(facts.isFraction && Number.isInteger(value)) && !facts.nonFactors.some((factor) => isMultiple(value, factor))
  const step = stepOf(facts)
  if (step !== undefined) {
    // A multiple of a multiple of something is one of that, too.
    if (facts.isFraction && Number.isInteger(step)) return none
    if (facts.nonFactors.some((factor) => isMultiple(step, factor))) return none
    const { isWhole, values } = multiples(step, facts)
    return settled(values.filter(isAllowed), isWhole, holds)
  }
  const isPoint = facts.least === facts.most
  return settled(fractions(facts).filter(isAllowed), isPoint, holds)
}

/** Whatever was built is held against the goal; where it does not hold although the facts allow it, nobody knows. */
const settled = (
  values: ReadonlyArray<number>,
  isWhole: boolean,
  holds: (value: Schema.Json) => Answer
): Answer => {
  const answer = first(values.slice(0, 16), holds)
  if (answer._tag === "Found" || (isWhole && values.length === 0)) return answer
  return answer._tag === "Unknown" ? answer : unknown("no number was found, and none was ruled out")
}

const isMultiple = (value: number, factor: number): boolean => {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

/** The number of which every allowed number is a multiple, where there is one. */
const stepOf = ({ factors, isInteger }: Facts): number | undefined => {
  const all = isInteger ? [1, ...factors] : factors
  return all.length === 0 ? undefined : all.reduce(common)
}

/** The least common multiple; of fractions by a power of ten that makes them whole. */
const common = (a: number, b: number): number => {
  let scale = 1
  while (scale < 1e12 && !(isNearInteger(a * scale) && isNearInteger(b * scale))) scale *= 10
  const one = BigInt(Math.round(a * scale))
  const other = BigInt(Math.round(b * scale))
  if (one === 0n || other === 0n) return a
  let [x, y] = [one, other]
  while (y !== 0n) [x, y] = [y, x % y]
  return Number(one * other / x) / scale
}

const isNearInteger = (value: number): boolean =>
  Math.abs(value - Math.round(value)) < 1e-9 * Math.max(1, Math.abs(value))

/** Multiples in the order in which people like them; `isWhole` where these are all. */
const multiples = (step: number, { least, most }: Facts): { isWhole: boolean; values: ReadonlyArray<number> } => {
  // A quotient of fractions may be rounded over a whole number.
  const slack = Number.isInteger(step) ? 0 : 1
  const from = Math.ceil(least / step) - slack
  const to = Math.floor(most / step) + slack
  const count = to - from + 1
  const valueOf = (times: number): number => Number((times * step).toPrecision(15))
  if (count <= mostTried) {
    const times = Array.from({ length: Math.max(0, count) }, (_, at) => from + at)
    return {
      isWhole: Number.isSafeInteger(from) && Number.isSafeInteger(to),
      values: times.map(valueOf).toSorted(byMagnitude)
    }
  }
  const near = Array.from({ length: 64 }, (_, at) => at)
  const times = new Set([
    ...near.filter((at) => at >= from && at <= to),
    ...Number.isFinite(from) ? near.map((at) => from + at) : [],
    ...Number.isFinite(to) ? near.map((at) => to - at) : [],
    ...near.map((at) => -at),
    ...[101, 1_009, 65_537, 1_000_003, 2 ** 31, 2 ** 53, 1e300].flatMap((value) => [value, -value])
  ])
  return { isWhole: false, values: [...times].map(valueOf) }
}

const byMagnitude = (a: number, b: number): number => Math.abs(a) - Math.abs(b) || b - a

const fractions = ({ least, most }: Facts): ReadonlyArray<number> => {
  const bounds = [least, most].filter(Number.isFinite)
  const between = Number.isFinite(least) && Number.isFinite(most)
    ? [1 / 2, 1 / 3, 0.1, 0.123, 0.9].map((part) => least + (most - least) * part)
    : []
  return [
    0,
    1,
    -1,
    0.5,
    1.5,
    ...bounds.flatMap((
      bound
    ) => [bound, bound + 1, bound - 1, bound + 0.5, bound - 0.5, Math.ceil(bound), Math.floor(bound)]),
    ...between,
    0.1,
    1 / 3,
    Math.PI,
    ...[7, 101, 1_009, 1e9, 1e300].flatMap((value) => [value, -value, value + 1 / 3])
  ]
}
