/**
 * Writes texts that a regular expression probably matches. What an edge or a look that is negated asks for is left out:
 * the caller tests the text.
 */
import type { Part } from "./syntax.ts"

/** Characters of a text, at most. */
const mostCharacters = 10_000

/** How often a part without an upper bound comes more than it has to, at most. */
const mostTimesMore = 3

/** How many characters an atom may be written as. */
const mostCandidates = 8

/** A text, or `undefined` where an atom takes no character that is looked at, or the text would be too long. @internal */
export const write = (part: Part, choose: (count: number) => number): string | undefined => {
  let text = ""

  const add = (part: Part): boolean => {
    switch (part.type) {
      case "atom": {
        const candidates = candidatesOf(part.takes)
        if (candidates.length === 0 || text.length >= mostCharacters) return false
        text += candidates[choose(candidates.length)] ?? ""
        return true
      }
      case "edge":
        return true
      case "look":
        return part.isNegated || add(part.part)
      case "sequence":
        return part.parts.every(add)
      case "choice": {
        const choice = part.choices[choose(part.choices.length)]
        return choice === undefined || add(choice)
      }
      case "repetition": {
        const more = choose(Math.min(part.most - part.least, mostTimesMore) + 1)
        for (let times = part.least + more; times > 0; times--) {
          const before = text.length
          if (!add(part.part)) return false
          // Nothing is nothing, however often it comes.
          if (text.length === before) break
        }
        return true
      }
    }
  }

  return add(part) ? text : undefined
}

const known = new WeakMap<(code: number) => boolean, ReadonlyArray<string>>()

/** Characters that an atom takes, plain ones first. */
const candidatesOf = (takes: (code: number) => boolean): ReadonlyArray<string> => {
  const before = known.get(takes)
  if (before !== undefined) return before
  const found: Array<string> = []
  for (const code of order) {
    if (!takes(code)) continue
    found.push(String.fromCodePoint(code))
    if (found.length === mostCandidates) break
  }
  known.set(takes, found)
  return found
}

const range = (first: string, last: string): ReadonlyArray<number> => {
  const from = first.charCodeAt(0)
  return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, index) => from + index)
}

/** Ends of the usual ranges, then all of ASCII, then the planes that people write in. */
const order: ReadonlyArray<number> = [
  ...new Set([
    ...["a", "0", "A", "z", "9", "Z", "_", "-", " "].map((char) => char.charCodeAt(0)),
    ...range("a", "z"),
    ...range("0", "9"),
    ...range("A", "Z"),
    ...range("!", "~"),
    ...Array.from({ length: 0x3000 }, (_, code) => code),
    0x4e00,
    0xac00,
    0xfffd,
    0x1_f600
  ])
]
