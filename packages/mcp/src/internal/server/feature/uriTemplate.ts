/**
 * URI templates of RFC 6570, levels 1 to 3, read backwards: from a URI that fits
 * to its variables.
 *
 * Operators: `{x}`, `{+x}`, `{#x}`, `{.x}`, `{/x}`, `{;x}`, `{?x}` and `{&x}`, each
 * with several names. The time to match grows with the length of the URI, however
 * strange it is. Template and URI are compared normalised: see `Uri`. Variables keep
 * their case, also where they stand in a host.
 */
import * as Uri from "../../../shared/Uri.ts"

export type Variables = { readonly [name: string]: string }

type Operator = "+" | "#" | "." | "/" | ";" | "?" | "&"

/** What stands between the braces of a template. */
type Expressions<T extends string> = T extends `${string}{${infer E}}${infer Rest}` ? E | Expressions<Rest> : never

type Split<E extends string> = E extends `${infer Name},${infer Rest}` ? Plain<Name> | Split<Rest> : Plain<E>

type Plain<Name extends string> = Name extends `${infer N}*` ? N : Name

type RequiredOf<E extends string> = E extends `+${infer Names}` ? Split<Names>
  : E extends `${Operator}${string}` ? never
  : Split<E>

type OptionalOf<E extends string> = E extends `+${string}` ? never
  : E extends `${Operator}${infer Names}` ? Split<Names>
  : never

/** The names of a template's variables. */
export type NamesOf<T extends string> = string extends T ? string
  : RequiredOf<Expressions<T>> | OptionalOf<Expressions<T>>

/** The variables of a template. */
export type VariablesOf<T extends string> = string extends T ? Variables
  :
    & { readonly [name in RequiredOf<Expressions<T>>]: string }
    & { readonly [name in OptionalOf<Expressions<T>>]?: string }

/** A URI that is longer fits no template. */
const longestUri = 8192

type Part = string | Expression

interface Expression {
  /** Whether a character may stand in it. */
  readonly takes: (char: string) => boolean
  readonly isOptional: boolean
  /** The variables of the text that it stands for. */
  readonly read: (text: string) => ReadonlyArray<readonly [string, string]> | undefined
}

/** Gives what finds the variables of a URI. Partial: throws where it is no template that can be read backwards. */
export const matcher = (template: string): (uri: string) => Variables | undefined => {
  const parts = parse(template)
  return (given) => {
    if (given.length > longestUri) return undefined
    const uri = Uri.normalised(given)
    const cuts = cutsOf(parts, uri)
    return cuts === undefined ? undefined : variablesOf(parts, Uri.encoded(given), cuts)
  }
}

/** The spelling of a template that stands for all equivalent ones. */
export const normalised = (template: string): string => {
  // Expressions stand at odd places.
  const pieces = template.split(expression).map((piece, index) => index % 2 === 0 ? Uri.encoded(piece) : piece)
  // One character stands for each, which ends a host if it begins a path, a query or a fragment, or may be any text.
  const masked = pieces.map((piece, index) => index % 2 === 0 ? piece : "+#/?".includes(piece.charAt(1)) ? "/" : "x")
  const whole = masked.join("")
  if (!Uri.isUri(whole)) return template
  const lowered = Uri.lowered(whole)
  let at = 0
  return pieces.map((piece, index) => {
    const from = at
    at += masked[index]?.length ?? 0
    return index % 2 === 0 ? lowered.slice(from, at) : piece
  }).join("")
}

/** The braces of a template, kept where it is split. */
const expression = /(\{[^{}]*\})/

/**
 * Whether no variable leads out of a folder that it is joined to, or ends a path early: none has the part `..` between
 * slashes or backslashes, or the character NUL. They are looked at decoded, for `%2F` hides a slash.
 */
export const isSafe = (variables: Variables): boolean =>
  Object.values(variables).every((value) => !value.includes("\0") && !value.split(/[/\\]/).includes(".."))

const variablesOf = (
  parts: ReadonlyArray<Part>,
  uri: string,
  cuts: ReadonlyArray<number>
): Variables | undefined => {
  const variables: Array<readonly [string, string]> = []
  for (const [index, part] of parts.entries()) {
    if (typeof part === "string") continue
    const found = part.read(uri.slice(cuts[index], cuts[index + 1]))
    if (found === undefined) return undefined
    variables.push(...found)
  }
  return Object.fromEntries(variables)
}

/**
 * Where each part begins; each takes as much as it can. `undefined` where the URI does not fit.
 *
 * From the last part to the first, and from the last character to the first, so that the work grows with the length
 * and not with the number of ways to cut it.
 */
const cutsOf = (parts: ReadonlyArray<Part>, uri: string): ReadonlyArray<number> | undefined => {
  const [first] = parts
  if (typeof first === "string" && !uri.startsWith(first)) return undefined
  let fits: (at: number) => boolean = (at) => at === uri.length
  const ends = parts.toReversed().map((part) => {
    const end = endsOf(part, uri, fits)
    fits = (at) => (end[at] ?? none) !== none
    return end
  }).toReversed()
  const cuts = [0]
  for (const end of ends) {
    const next = end[cuts.at(-1) ?? 0] ?? none
    if (next === none) return undefined
    cuts.push(next)
  }
  return cuts
}

const none = -1

/** By where a part begins, the last place where it may end so that the rest fits. */
const endsOf = (part: Part, uri: string, fits: (at: number) => boolean): Int32Array => {
  const ends = new Int32Array(uri.length + 1).fill(none)
  if (typeof part === "string") {
    for (let at = uri.indexOf(part); at >= 0; at = uri.indexOf(part, at + 1)) {
      if (fits(at + part.length)) ends[at] = at + part.length
    }
    return ends
  }
  let last = none
  for (let at = uri.length; at >= 0; at--) {
    const after = at < uri.length && part.takes(uri.charAt(at)) ? last : none
    last = after !== none ? after : fits(at) ? at : none
    ends[at] = part.isOptional ? last : after
  }
  return ends
}

/** What stands between braces. */
interface Braces {
  readonly operator: string
  readonly names: Array<string>
}

const parse = (given: string): ReadonlyArray<Part> => {
  const template = normalised(given)
  if (/[{}]/.test(given.replace(/\{[^{}]*\}/g, ""))) {
    throw new TypeError(`the braces of the URI template ${given} do not match`)
  }
  const parts: Array<string | Braces> = []
  const names = new Set<string>()
  let at = 0
  for (const match of template.matchAll(/\{([^{}]*)\}/g)) {
    if (match.index > at) parts.push(template.slice(at, match.index))
    const last = parts.at(-1)
    const braces = bracesOf(template, match[1] ?? "", names)
    const { operator } = braces
    if (last === undefined || typeof last === "string") parts.push(braces)
    else if (goesOn(last.operator, operator)) last.names.push(...braces.names)
    else if (operator === "" || operator === "+") {
      throw new TypeError(`nothing stands between two variables of the URI template ${template}`)
    } else parts.push(braces)
    at = match.index + match[0].length
  }
  if (at < template.length) parts.push(template.slice(at))
  return parts.map((part) => typeof part === "string" ? part : expressionOf(part))
}

/** Whether an expression behind another one says the same as its names in that one: `{/a}{/b}` is `{/a,b}`. */
const goesOn = (before: string, operator: string): boolean =>
  operator === before ? "./;&".split("").includes(operator) : before === "?" && operator === "&"

const bracesOf = (template: string, body: string, known: Set<string>): Braces => {
  const operator = "+#./;?&".includes(body.charAt(0)) ? body.charAt(0) : ""
  const names = body.slice(operator.length).split(",").map((name) => name.endsWith("*") ? name.slice(0, -1) : name)
  for (const name of names) {
    if (!/^[A-Za-z0-9_%.]+$/.test(name)) throw new TypeError(`{${body}} is no expression of a URI template of level 3`)
    if (known.has(name)) throw new TypeError(`the URI template ${template} names ${name} twice`)
    known.add(name)
  }
  return { operator, names }
}

const expressionOf = ({ names, operator }: Braces): Expression => {
  switch (operator) {
    case "+":
      return { takes: () => true, isOptional: false, read: (text) => listed(names, text, ",") }
    case "":
      return { takes: (char) => !"/?#".includes(char), isOptional: false, read: (text) => listed(names, text, ",") }
    case "#":
      return { takes: () => true, isOptional: true, read: (text) => prefixed(names, text, "#", ",") }
    case ".":
      return {
        takes: (char) => !"/?#".includes(char),
        isOptional: true,
        read: (text) => prefixed(names, text, ".", ".")
      }
    case "/":
      return {
        takes: (char) => !"?#".includes(char),
        isOptional: true,
        read: (text) => prefixed(names, text, "/", "/")
      }
    case ";":
      return { takes: (char) => !"/?#".includes(char), isOptional: true, read: (text) => pairs(names, text, ";", ";") }
    case "?":
      return { takes: (char) => char !== "#", isOptional: true, read: (text) => pairs(names, text, "?", "&") }
    default:
      return { takes: (char) => char !== "#", isOptional: true, read: (text) => pairs(names, text, "&", "&") }
  }
}

/** One value per name, in their order. The last takes what is left. */
const listed = (names: ReadonlyArray<string>, text: string, separator: string) => {
  const values = text.split(separator)
  if (values.length < names.length) return undefined
  const last = values.splice(names.length - 1).join(separator)
  return decoded(names.map((name, index) => [name, values[index] ?? last] as const))
}

/** The same behind a prefix; names that have no value are absent. */
const prefixed = (names: ReadonlyArray<string>, text: string, prefix: string, separator: string) => {
  if (text === "") return []
  if (!text.startsWith(prefix)) return undefined
  const values = text.slice(prefix.length).split(separator)
  if (values.length > names.length && separator !== ",") return undefined
  return listed(names.slice(0, values.length), text.slice(prefix.length), separator)
}

/** Values by name, in any order; names that are not there are absent. */
const pairs = (names: ReadonlyArray<string>, text: string, prefix: string, separator: string) => {
  if (text === "") return []
  if (!text.startsWith(prefix)) return undefined
  const entries = text.slice(prefix.length).split(separator).map((pair) => {
    const equals = pair.indexOf("=")
    return equals < 0 ? [pair, ""] as const : [pair.slice(0, equals), pair.slice(equals + 1)] as const
  })
  const found = new Set(entries.map(([name]) => name))
  return found.size === entries.length && entries.every(([name]) => names.includes(name))
    ? decoded(entries)
    : undefined
}

const decoded = (
  entries: ReadonlyArray<readonly [string, string]>
): ReadonlyArray<readonly [string, string]> | undefined => {
  try {
    return entries.map(([name, value]) => [name, decodeURIComponent(value)] as const)
  } catch {
    return undefined
  }
}
