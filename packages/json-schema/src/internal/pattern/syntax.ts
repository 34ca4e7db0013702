/**
 * The parts of a regular expression of ECMAScript.
 *
 * The engine of the runtime has accepted the expression before, so nothing is checked here. That engine also says which
 * characters fit an atom: a class, an escape or a dot is run on single characters only, which takes no time.
 */

/** @internal */
export type Part =
  | { readonly type: "atom"; readonly takes: (code: number) => boolean }
  | { readonly type: "sequence"; readonly parts: ReadonlyArray<Part> }
  | { readonly type: "choice"; readonly choices: ReadonlyArray<Part> }
  | { readonly type: "repetition"; readonly part: Part; readonly least: number; readonly most: number }
  | { readonly type: "edge"; readonly edge: Edge }
  | Look

/** A place between two characters: the begin or the end of the text, the edge of a word, or what is none. @internal */
export type Edge = "^" | "$" | "\\b" | "\\B"

/** Looks ahead or behind. @internal */
export interface Look {
  readonly type: "look"
  readonly isBehind: boolean
  readonly isNegated: boolean
  readonly part: Part
}

/** UTF-16 units of an expression. @internal */
export const longestSource = 4_096

// linear: an expression has at most `longestSource` characters
const tokens = new RegExp(
  [
    String.raw`\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}`,
    String.raw`|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|\d+|[^])`,
    String.raw`|\[(?:\\[^]|[^\]\\])*\]`,
    String.raw`|\((?:\?(?:<?[=!]|<[^>]*>|[^<=!:]*:))?`,
    String.raw`|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]`
  ].join(""),
  "gu"
)

/** A group that is being read: its choices so far, and the parts of the last one. */
interface Group {
  readonly opening: string
  readonly choices: Array<Part>
  parts: Array<Part>
}

/** The parts of an expression, or why it cannot be run in linear time. @internal */
export const parse = (source: string, flags: "u" | ""): Part | string => {
  const outer: Array<Group> = []
  let group = begun("")
  const atoms = new Map<string, Part>()
  for (const token of source.match(tokens) ?? []) {
    if (token.startsWith("(")) {
      if (modifiers.test(token)) return "it changes flags for a part of it"
      outer.push(group)
      group = begun(token)
    } else if (token === ")") {
      const part = ended(group)
      group = outer.pop() ?? begun("")
      group.parts.push(part)
    } else if (token === "|") {
      group.choices.push(sequence(group.parts))
      group.parts = []
    } else if (quantifier.test(token)) {
      const part = group.parts.pop()
      if (part !== undefined) group.parts.push({ type: "repetition", part, ...timesOf(token) })
    } else if (reference.test(token)) {
      return "it refers back to what a group has matched"
    } else if (isEdge(token)) {
      group.parts.push({ type: "edge", edge: token })
    } else {
      let part = atoms.get(token)
      if (part === undefined) atoms.set(token, part = { type: "atom", takes: taker(token, flags) })
      group.parts.push(part)
    }
  }
  return ended(group)
}

const begun = (opening: string): Group => ({ opening, choices: [], parts: [] })

const modifiers = /^\(\?[a-z-]+:$/

const quantifier = /^(?:[*+?]|\{\d)/

const reference = /^\\[1-9k]/

const isEdge = (token: string): token is Edge => token === "^" || token === "$" || token === "\\b" || token === "\\B"

const sequence = (parts: ReadonlyArray<Part>): Part => {
  const [first] = parts
  return first !== undefined && parts.length === 1 ? first : { type: "sequence", parts }
}

const ended = ({ choices, opening, parts }: Group): Part => {
  const last = sequence(parts)
  const part: Part = choices.length === 0 ? last : { type: "choice", choices: [...choices, last] }
  return look.test(opening)
    ? { type: "look", isBehind: opening.includes("<"), isNegated: opening.endsWith("!"), part }
    : part
}

const look = /^\(\?<?[=!]$/

const timesOf = (token: string): { readonly least: number; readonly most: number } => {
  switch (token.charAt(0)) {
    case "*":
      return { least: 0, most: Number.POSITIVE_INFINITY }
    case "+":
      return { least: 1, most: Number.POSITIVE_INFINITY }
    case "?":
      return { least: 0, most: 1 }
  }
  const [least = "", most] = token.slice(1, token.indexOf("}")).split(",")
  return {
    least: Number(least),
    most: most === undefined ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most)
  }
}

/** Which characters fit an atom. What is known of ASCII is kept. */
const taker = (token: string, flags: "u" | ""): (code: number) => boolean => {
  if (token.length === 1 && token !== ".") {
    const only = token.charCodeAt(0)
    return (code) => code === only
  }
  // linear: it is run on one character
  const regExp = new RegExp(`^(?:${token})$`, flags)
  const known = new Int8Array(128)
  return (code) => {
    if (code >= known.length) return regExp.test(String.fromCodePoint(code))
    if (known[code] === 0) known[code] = regExp.test(String.fromCharCode(code)) ? 1 : -1
    return known[code] === 1
  }
}
