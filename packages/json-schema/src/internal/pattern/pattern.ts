/**
 * Runs regular expressions: by the engine of the runtime, where that has few ways to match, else by a program of our own.
 */
import type { Steps } from "../Steps.ts"
import * as Program from "./program.ts"
import { looksOf, shapeOf } from "./shape.ts"
import { longestSource, parse, type Part } from "./syntax.ts"

/** What tests texts. */
export interface Tester {
  /** Whether it matches somewhere in a text. Throws `Undecided` where there are too few steps. */
  readonly test: (text: string, steps: Steps) => boolean
  /** What was read. Who writes texts from it is loaded by nobody who only tests them. */
  readonly part: Part
}

/** What tests texts, or why nothing can. */
export const make = (source: string, steps: Steps): Tester | string => {
  steps.spend(making + makingOne * source.length)
  if (source.length > longestSource) return `it has more than ${longestSource} characters`
  const regExp = compiled(source, "u") ?? compiled(source, "")
  if (regExp === undefined) return "it is no regular expression of ECMAScript"
  const flags = regExp.unicode ? "u" : ""
  const part = parse(source, flags)
  if (typeof part === "string") return part
  const program = Program.make(part, steps)
  if (program === undefined) return "it repeats too much"
  const shape = shapeOf(part, program.isAnchored)
  return {
    part,
    test: (text, steps) => {
      const work = looksOf(shape, text.length) / looksPerStep
      if (work <= text.length * leastOfOurs + steps.left * partForOne) {
        steps.spend(work)
        return regExp.test(text)
      }
      steps.spend(text.length)
      return Program.matches(program, codesOf(text, flags), steps)
    }
  }
}

/** What it costs to make a pattern, and each of its characters. The runtime reads it, too. */
const making = 1_000
const makingOne = 20

/** How often the engine of the runtime looks at a character in the time of one step. */
const looksPerStep = 4

/** The steps that a run of our own takes for each character, at the least. */
const leastOfOurs = 4

/**
 * How much of the steps that are left one text may take where that saves a run of our own: a few texts are tested faster
 * so, and many end up with ours, which is frugal.
 */
const partForOne = 1 / 1_024

const compiled = (source: string, flags: "u" | ""): RegExp | undefined => {
  try {
    // linear: it is run where it has few ways to match only
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

/** The characters that an expression sees: code points, or without the flag `u` UTF-16 units. */
const codesOf = (text: string, flags: "u" | ""): ReadonlyArray<number> => {
  const codes: Array<number> = []
  for (let at = 0; at < text.length; at++) {
    const code = flags === "u" ? text.codePointAt(at) ?? 0 : text.charCodeAt(at)
    if (code > 0xffff) at++
    codes.push(code)
  }
  return codes
}
