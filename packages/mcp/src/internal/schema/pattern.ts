/**
 * Regular expressions of the other side, run only where they cannot take long.
 *
 * JavaScript's engine backtracks, and nothing can stop it: one expression such as
 * `(a+)+$` holds up the program for as long as its author likes. So the ways to
 * match are counted first: a choice doubles them, what may take any number of
 * characters multiplies them by the length of the text. What has too many is not
 * run at all.
 */

/** What tests texts. */
export interface Pattern {
  /** Whether the text matches; `undefined` where finding out could take long. */
  readonly test: (text: string) => boolean | undefined
}

/** The ways to match that may have to be tried, as a power of two: a tenth of a second. */
const mostWays = 24

/** How many of them the pattern alone may have, as a power of two. */
const mostChoices = 16

/** How much longer a way takes where there are choices, as a power of two: the engine has to remember each. */
const costOfChoices = 4

/** How often a group may come in a row, within groups that do: a pattern of a few characters must not be a long one. */
const mostTurns = 1_000

/** UTF-16 units of a pattern. */
const longestPattern = 1_000

const unknown: Pattern = { test: () => undefined }

/** Makes what tests a pattern. What is no pattern, or one that could take long, tells nothing of any text. */
export const make = (source: string): Pattern => {
  const shape = shapeOf(source)
  if (shape === undefined) return unknown
  try {
    // linear: `longest` bounds the text so that no pattern takes long
    const regExp = new RegExp(source, "u")
    const longest = longestText(shape)
    return {
      test: (text) => text.length > longest ? undefined : regExp.test(text)
    }
  } catch {
    return unknown
  }
}

/** The UTF-16 units of a text that a pattern may be run on. */
const longestText = ({ choices, isAnchored, repeats }: Shape): number => {
  // Without an anchor, each place of the text is where it may begin.
  const places = repeats + (isAnchored ? 0 : 1)
  if (places === 0 || (places === 1 && choices === 0)) return Number.POSITIVE_INFINITY
  return Math.floor(2 ** ((mostWays - choices - (choices === 0 ? 0 : costOfChoices)) / places))
}

/** How much a pattern leaves open. */
interface Shape {
  /** How many ways its alternatives and what may be left out give, as a power of two. */
  readonly choices: number
  /** How many of its places take any number of characters. */
  readonly repeats: number
  /** Whether it can match at the beginning of a text only. */
  readonly isAnchored: boolean
}

/** A group that is being read, or the pattern. */
interface Group {
  choices: number
  repeats: number
  alternatives: number
  turns: number
}

const begun = (): Group => ({ choices: 0, repeats: 0, alternatives: 1, turns: 1 })

// linear: a pattern has at most `longestPattern` characters
const tokens = /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?:?)?|\{\d+(?:,\d*)?\}|[^]/gu

/** What a token that begins a quantifier may follow. */
type Before = "atom" | "group" | "quantifier" | undefined

/** How much a pattern leaves open; `undefined` where that is too much, or cannot be told. */
const shapeOf = (source: string): Shape | undefined => {
  if (source.length > longestPattern) return undefined
  const outer: Array<Group> = []
  let group = begun()
  let before: Before
  const all = source.match(tokens) ?? []
  for (const [index, token] of all.entries()) {
    if (token === "(" || token === "(?:") {
      outer.push(group)
      group = begun()
      before = undefined
    } else if (token === ")") {
      const parent = outer.pop()
      const count = timesOf(all[index + 1])
      if (parent === undefined || count === undefined) return undefined
      addTo(parent, group, count)
      group = parent
      before = "group"
    } else if (token === "|") {
      group.alternatives++
      before = undefined
    } else if (/^[*+?{]/.test(token)) {
      // Behind another quantifier, a question mark makes that one lazy.
      if (before !== "quantifier") {
        if (token === "?") group.choices++
        else if (before === "atom" && !exact.test(token)) group.repeats++
      }
      before = "quantifier"
    } else {
      // Looking around matches the rest more than once, and a back-reference repeats what a group took.
      if (token === "(?" || /^\\[1-9k]/.test(token)) return undefined
      before = "atom"
    }
  }
  const isAnchored = all[0] === "^" && group.alternatives === 1
  const whole = begun()
  addTo(whole, group, 1)
  const { choices, repeats, turns } = whole
  return outer.length > 0 || choices > mostChoices || turns > mostTurns ? undefined : { choices, repeats, isAnchored }
}

const exact = /^\{\d+\}$/

/** How often the group before a token comes; `undefined` where that is left open, so that the ways cannot be counted. */
const timesOf = (token: string | undefined): number | undefined => {
  if (token !== undefined && exact.test(token)) return Number(token.slice(1, -1))
  return token === "*" || token === "+" || token?.startsWith("{") === true ? undefined : 1
}

const addTo = (parent: Group, { alternatives, choices, repeats, turns }: Group, count: number) => {
  parent.choices += (choices + Math.log2(alternatives)) * count
  parent.repeats += repeats * count
  parent.turns = Math.max(parent.turns, turns * count)
}
