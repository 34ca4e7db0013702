/**
 * How often the engine of the runtime looks at a character to match a regular expression, at most. It tries one way after
 * the other, and nothing can stop it. Where it looks seldom it is the faster one, and may run.
 *
 * Each part is looked at once for each way that leads to it. A choice adds the ways of its alternatives; a place that may
 * take any number of characters multiplies the ways by the length of the text.
 */
import type { Part } from "./syntax.ts"

/** The looks at a text, by power of its length: the factor of each power. @internal */
export type Shape = ReadonlyArray<number>

/** The looks at a text of so many UTF-16 units; infinitely many where they cannot be counted. @internal */
export const looksOf = (shape: Shape, length: number): number =>
  shape.reduceRight((looks, factor) => looks * (length + 1) + factor, 0)

/** The parts that are counted, each as often as it is copied: an expression of a few characters must not be a long one. */
const mostParts = 1_000

/** The places that may take any number of characters. */
const mostRepeats = 8

/** The ways that lead to a place: so many, times a power of the length of the text. */
interface Ways {
  readonly factor: number
  readonly power: number
}

/** @internal */
export const shapeOf = (part: Part, isAnchored: boolean): Shape => {
  const looks = new Array<number>(mostRepeats + 2).fill(0)
  let left = mostParts

  const lookAt = ({ factor, power }: Ways): Ways => {
    if (--left < 0) throw tooMany
    looks[power] = (looks[power] ?? 0) + factor
    return { factor, power }
  }

  /** The ways that lead behind a part, from those that lead to it. */
  const through = (part: Part, ways: Ways): Ways => {
    switch (part.type) {
      case "atom":
      case "edge":
        return lookAt(ways)
      case "sequence":
        return part.parts.reduce((ways, part) => through(part, ways), ways)
      case "choice":
        return part.choices.map((choice) => through(choice, ways)).reduce(either)
      case "repetition":
        return repeated(part.part, part.least, part.most, ways)
      case "look":
        // It matches the rest more than once.
        throw tooMany
    }
  }

  const repeated = (part: Part, least: number, most: number, ways: Ways): Ways => {
    if (most === 1 && least === 0) return either(ways, through(part, ways))
    if (least === most) {
      let behind = ways
      // A part that has nothing is counted, too.
      for (let times = 0; times < least; times++) behind = through(part, lookAt(behind))
      return behind
    }
    // Within a group that may come again, the ways multiply each time.
    if (part.type !== "atom" || ways.power === mostRepeats) throw tooMany
    return lookAt({ factor: ways.factor, power: ways.power + 1 })
  }

  try {
    // Without an anchor, each place of the text is where it may begin.
    through(part, { factor: 1, power: isAnchored ? 0 : 1 })
    return looks.slice(0, looks.findLastIndex((factor) => factor > 0) + 1)
  } catch (error) {
    if (error === tooMany) return [Number.POSITIVE_INFINITY]
    throw error
  }
}

const either = (one: Ways, other: Ways): Ways => ({
  factor: one.factor + other.factor,
  power: Math.max(one.power, other.power)
})

const tooMany = new Error("too many looks")
