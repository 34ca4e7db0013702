/**
 * Looks for a text that some regular expressions match and others do not, or proves that there is none.
 *
 * All expressions are followed at once, and the shortest text is found first (a search of their product in breadth). The
 * characters that are tried stand for all others: two that no part of any expression tells apart lead to the same states.
 */
import { Steps } from "../Steps.ts"
import * as Program from "./program.ts"
import { longestSource, parse } from "./syntax.ts"

/** What is asked of a text. */
export interface Wanted {
  /** The expressions that match it. */
  readonly matched: ReadonlyArray<string>
  /** Those that do not. */
  readonly unmatched: ReadonlyArray<string>
  /** The fewest and the most characters. */
  readonly least: number
  readonly most: number
}

/** A text, `undefined` where there is none, or why nobody knows. */
export type Found = { readonly text: string | undefined } | { readonly unknown: string }

interface Expression {
  readonly program: Program.Program
  readonly isWanted: boolean
}

/** Where the search stands: the states of each expression before the next character. */
interface Place {
  readonly states: ReadonlyArray<ReadonlyArray<number>>
  /** Whether each expression has matched. */
  readonly matched: ReadonlyArray<boolean>
  readonly isBehindWord: boolean
  readonly length: number
  readonly before: Place | undefined
  readonly code: number
}

/** The steps of a search, about a tenth of a second. */
const mostSteps = 2_000_000

/** @internal */
export const search = ({ least, matched, most, unmatched }: Wanted): Found => {
  const expressions: Array<Expression> = []
  const sources = [...matched, ...unmatched]
  let isWhole = true
  for (const [at, source] of sources.entries()) {
    const compiled = compile(source)
    if (typeof compiled === "string") return { unknown: compiled }
    isWhole &&= compiled.isWhole
    expressions.push({ program: compiled.program, isWanted: at < matched.length })
  }
  const found = explore(expressions, symbolsOf(sources, expressions), least, most)
  return "unknown" in found || found.text !== undefined || isWhole
    ? found
    : { unknown: "it has characters that are known by their properties only" }
}

/** `isWhole` says whether the characters that are tried stand for all others. */
const compile = (source: string): { readonly program: Program.Program; readonly isWhole: boolean } | string => {
  if (source.length > longestSource) return `it has more than ${longestSource} characters`
  const flags = isExpression(source, "u") ? "u" : isExpression(source, "") ? "" : undefined
  if (flags === undefined) return "it is no regular expression of ECMAScript"
  const part = parse(source, flags)
  if (typeof part === "string") return part
  const program = Program.make(part, new Steps())
  if (program === undefined) return "it repeats too much"
  if (program.looks.length > 0) return "it looks ahead or behind"
  return { program, isWhole: flags === "u" && !/\\[pP]\{/.test(source) }
}

const isExpression = (source: string, flags: "u" | ""): boolean => {
  try {
    // linear: it is compiled only
    return new RegExp(source, flags).flags === flags
  } catch {
    return false
  }
}

/** One character for each kind that the expressions tell apart, those that people read first. */
const symbolsOf = (sources: ReadonlyArray<string>, expressions: ReadonlyArray<Expression>): ReadonlyArray<number> => {
  const takers = new Set(
    expressions.flatMap(({ program }) => program.states.flatMap((state) => state.type === "atom" ? [state.takes] : []))
  )
  const known = new Map<string, number>()
  const codes = new Set([...readable, ...sources.flatMap(boundariesOf), ...boundaries])
  for (const code of codes) {
    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) continue
    const signature = [...takers].map((takes) => takes(code) ? 1 : 0).join("") + (Program.isWord(code) ? "w" : "")
    if (!known.has(signature)) known.set(signature, code)
  }
  return [...known.values()]
}

const readable = [..."a0A-_ b1B"].map((character) => character.charCodeAt(0))

const around = (codes: Iterable<number>): ReadonlyArray<number> =>
  [...codes].flatMap((code) => [code, code - 1, code + 1])

/** Where `\d`, `\w`, `\s` and the dot begin and end, and a character that is in none of them. */
const boundaries = around([
  ...Array.from({ length: 34 }, (_, code) => code),
  ...[0x30, 0x39, 0x41, 0x5a, 0x5f, 0x61, 0x7a, 0x7f, 0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f],
  ...[0x3000, 0xfeff, 0x4e00, 0x10000, 0x1f600]
])

/** The characters that a source names, and their neighbours: classes begin and end there. */
const boundariesOf = (source: string): ReadonlyArray<number> => [
  ...around(Array.from(source, (character) => character.codePointAt(0) ?? 0)),
  ...around(
    Array.from(
      source.matchAll(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})/g),
      ([, short, long, braced]) => Number.parseInt(short ?? long ?? braced ?? "0", 16)
    )
  )
]

const explore = (
  expressions: ReadonlyArray<Expression>,
  symbols: ReadonlyArray<number>,
  least: number,
  most: number
): Found => {
  let steps = 0
  const start: Place = {
    states: expressions.map(() => [0]),
    matched: expressions.map(() => false),
    isBehindWord: false,
    length: 0,
    before: undefined,
    code: 0
  }
  const seen = new Set<string>()
  let now = [start]
  while (now.length > 0) {
    const next: Array<Place> = []
    for (const place of now) {
      const end = advanced(expressions, place, undefined)
      steps += end.work
      if (place.length >= least && end.matched.every((is, at) => is === expressions[at]?.isWanted)) {
        return { text: textOf(place) }
      }
      if (place.length >= most) continue
      for (const code of symbols) {
        const { matched, states, work } = advanced(expressions, place, code)
        steps += work
        if (steps > mostSteps) return { unknown: "the search takes too many steps" }
        if (isLost(expressions, states, matched)) continue
        // Lengths beyond the least one are alike where there is no most one.
        const length = most === Infinity ? Math.min(place.length + 1, least) : place.length + 1
        const isBehindWord = Program.isWord(code)
        const key = JSON.stringify([states, matched, isBehindWord, length])
        if (seen.has(key)) continue
        seen.add(key)
        next.push({ states, matched, isBehindWord, length, before: place, code })
      }
    }
    now = next
  }
  return { text: undefined }
}

/** Whether an expression has matched that should not, or one can match no more that should. */
const isLost = (
  expressions: ReadonlyArray<Expression>,
  states: ReadonlyArray<ReadonlyArray<number>>,
  matched: ReadonlyArray<boolean>
): boolean =>
  expressions.some(({ isWanted }, at) =>
    isWanted ? matched[at] === false && states[at]?.length === 0 : matched[at] === true
  )

/** What a character, or the end of the text, makes of a place. */
const advanced = (expressions: ReadonlyArray<Expression>, place: Place, code: number | undefined) => {
  let work = 1
  const matched: Array<boolean> = []
  const states = expressions.map(({ program }, at): ReadonlyArray<number> => {
    if (place.matched[at] === true) {
      matched.push(true)
      return []
    }
    const reached = new Set<number>()
    const waiting = [...place.states[at] ?? []]
    const next = new Set<number>()
    let isMatched = false
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (reached.has(index)) continue
      reached.add(index)
      work++
      const state = program.states[index]
      if (state?.type === "end") isMatched = true
      else if (state?.type === "fork") waiting.push(state.to, state.or)
      else if (state?.type === "edge" && holds(state.edge, place, code)) waiting.push(index + 1)
      else if (state?.type === "atom" && code !== undefined && state.takes(code)) next.add(index + 1)
    }
    matched.push(isMatched)
    if (isMatched) return []
    // It may begin at each place.
    if (!program.isAnchored) next.add(0)
    return [...next].toSorted((a, b) => a - b)
  })
  return { states, matched, work }
}

const holds = (edge: "^" | "$" | "\\b" | "\\B", { before, isBehindWord }: Place, code: number | undefined): boolean => {
  switch (edge) {
    case "^":
      return before === undefined
    case "$":
      return code === undefined
    case "\\b":
      return isBehindWord !== Program.isWord(code)
    case "\\B":
      return isBehindWord === Program.isWord(code)
  }
}

const textOf = (place: Place): string => {
  const codes: Array<number> = []
  for (let at: Place | undefined = place; at?.before !== undefined; at = at.before) codes.push(at.code)
  return codes.toReversed().map((code) => String.fromCodePoint(code)).join("")
}
