/** Writes numbers: those at the bounds first, then some between them. */
import type { Choices } from "../Choices.ts"
import { type Demand, numbersOf, valuesOf } from "../Demands.ts"

/** How far from zero a number is where the schema says nothing: a server may do something as often, or wait as long. */
const usual = 100

/** How many numbers between the bounds can be chosen. */
const between = 1_000

export const write = (
  demands: ReadonlyArray<Demand>,
  isInteger: boolean,
  choices: Choices
): number | undefined => {
  const bounds = boundsOf(demands)
  const factors = numbersOf(demands, "multipleOf").filter((factor) => factor > 0)
  const step = stepOf(isInteger ? [1, ...factors] : factors)
  const fits = (value: number) =>
    Number.isFinite(value) && isAbove(value, bounds.least) && isBelow(value, bounds.most) &&
    (!isInteger || Number.isInteger(value)) && factors.every((factor) => Number.isInteger(value / factor))
  const size = step ?? sizeOf(bounds)
  // The nearest to a value that is a multiple, from below and from above.
  const near = (value: number): ReadonlyArray<number> =>
    step === undefined
      ? [value, value + size, value - size]
      : [Math.ceil(value / step) * step, Math.floor(value / step) * step].flatMap((one) =>
        [one, one + step, one - step].map((value) => rounded(value, step))
      )
  const ends = [bounds.least.value, bounds.most.value].filter(Number.isFinite).flatMap(near)
  const plain = step === undefined ? [1, 0, -1, 0.5, 2] : [step, 0, -step, step * 2]
  const all = [...new Set([...plain, ...ends].map((value) => value === 0 ? 0 : value))].filter(fits)
  const chosen = choices.next(all.length + 1)
  if (chosen < all.length) return all[chosen]
  const least = Number.isFinite(bounds.least.value) ? bounds.least.value : Math.min(-usual, bounds.most.value - usual)
  const most = Number.isFinite(bounds.most.value) ? bounds.most.value : Math.max(usual, bounds.least.value + usual)
  const value = least + (most - least) * (choices.next(between) / between)
  return near(value).find(fits)
}

/** A bound, and whether the value itself is beyond it. */
interface Bound {
  readonly value: number
  readonly isExclusive: boolean
}

const boundsOf = (demands: ReadonlyArray<Demand>): { readonly least: Bound; readonly most: Bound } => {
  let least: Bound = { value: Number.NEGATIVE_INFINITY, isExclusive: false }
  let most: Bound = { value: Number.POSITIVE_INFINITY, isExclusive: false }
  const raise = (value: number, isExclusive: boolean) => {
    if (value > least.value || (value === least.value && isExclusive)) least = { value, isExclusive }
  }
  const lower = (value: number, isExclusive: boolean) => {
    if (value < most.value || (value === most.value && isExclusive)) most = { value, isExclusive }
  }
  for (const demand of demands) {
    const one = [demand]
    // Draft-04 has a flag beside the bound.
    for (const value of numbersOf(one, "minimum")) raise(value, valuesOf(one, "exclusiveMinimum")[0] === true)
    for (const value of numbersOf(one, "maximum")) lower(value, valuesOf(one, "exclusiveMaximum")[0] === true)
    for (const value of numbersOf(one, "exclusiveMinimum")) raise(value, true)
    for (const value of numbersOf(one, "exclusiveMaximum")) lower(value, true)
  }
  return { least, most }
}

const isAbove = (value: number, { isExclusive, value: bound }: Bound) => isExclusive ? value > bound : value >= bound

const isBelow = (value: number, { isExclusive, value: bound }: Bound) => isExclusive ? value < bound : value <= bound

/** A small part of what lies between the bounds. */
const sizeOf = ({ least, most }: { readonly least: Bound; readonly most: Bound }): number => {
  const width = most.value - least.value
  return Number.isFinite(width) && width > 0 ? Math.min(1, width / 16) : 1
}

/** The smallest number that is a multiple of all factors. */
const stepOf = (factors: ReadonlyArray<number>): number | undefined => {
  const [first, ...others] = factors
  if (first === undefined) return undefined
  return others.reduce((step, factor) => {
    for (let times = 1; times <= between; times++) {
      const value = rounded(step * times, step)
      if (Number.isInteger(value / factor)) return value
    }
    return step
  }, first)
}

/** Without the last digits that binary fractions bring. */
const rounded = (value: number, step: number): number => Number.isInteger(step) ? value : Number(value.toPrecision(12))
