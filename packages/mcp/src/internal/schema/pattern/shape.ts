/**
 * How many ways a regular expression has to match a text, at most. The engine of the runtime tries one after the other,
 * and nothing can stop it. Where they are few it is the faster one, and may run.
 *
 * A choice doubles the ways; a place that may take any number of characters multiplies them by the length of the text.
 */

/** How many of them the expression alone may have, as a power of two. */
const mostChoices = 16

/** How much longer a way takes where there are choices, as a power of two: the engine has to remember each. */
const costOfChoices = 4

/** How often a group may come in a row, within groups that do: an expression of a few characters must not be a long one. */
const mostTurns = 1_000

/** UTF-16 units of an expression whose ways are counted. */
const longestPattern = 1_000

/** The ways to match a text of so many UTF-16 units; infinitely many where they cannot be counted. @internal */
export const waysOf = (shape: Shape | undefined, length: number): number => {
  if (shape === undefined) return Number.POSITIVE_INFINITY
  const { choices, isAnchored, repeats } = shape
  // Without an anchor, each place of the text is where it may begin.
  const places = repeats + (isAnchored ? 0 : 1)
  return 2 ** (choices === 0 ? 0 : choices + costOfChoices) * Math.max(1, length) ** places
}

/** How much an expression leaves open. @internal */
export interface Shape {
  /** How many ways its alternatives and what may be left out give, as a power of two. */
  readonly choices: number
  /** How many of its places take any number of characters. */
  readonly repeats: number
  /** Whether it can match at the beginning of a text only. */
  readonly isAnchored: boolean
}

/** A group that is being read, or the expression. */
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

/** How much an expression leaves open; `undefined` where that is too much, or cannot be told. @internal */
export const shapeOf = (source: string): Shape | undefined => {
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
