/**
 * TypeScript as text: literals, comments, and lines that are not too long.
 */
import { isObject } from "../schema/subschemas.ts"

/** JSON, or what has `undefined` beside it. @internal */
export const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`
  if (isObject(value)) {
    return object(Object.entries(value).map(([name, inner]) => [name, literal(inner) + kept(name, inner)]))
  }
  return value === undefined ? "undefined" : JSON.stringify(value)
}

/** Members of `Object.prototype`: TypeScript expects their types, and widens a literal. */
const kept = (name: string, value: unknown): string =>
  name in Object.prototype && value !== null && value !== undefined ? " as const" : ""

/** The members of an object literal, whose values are code. @internal */
export type Members = ReadonlyArray<readonly [name: string, code: string]>

/** A member that is a text, where there is one. @internal */
export const text = (name: string, value: string | undefined): Members =>
  value === undefined ? [] : [[name, JSON.stringify(value)]]

/** What is between the brackets of a call. @internal */
export const argument = (code: string, call: string): string => code.slice(call.length, -1)

/** An object literal of these members, whose values are code. @internal */
export const object = (members: Members): string =>
  members.length === 0 ? "{}" : `{ ${members.map(([name, code]) => `${key(name)}: ${code}`).join(", ")} }`

/** A member's name. `"__proto__": …` would set the prototype. @internal */
export const key = (name: string): string => {
  if (name === "__proto__") return `["__proto__"]`
  return identifier.test(name) || /^(0|[1-9][0-9]{0,14})$/.test(name) ? name : JSON.stringify(name)
}

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** A comment of these paragraphs, with a line end, or nothing. @internal */
export const comment = (paragraphs: ReadonlyArray<string | undefined>, indent = ""): string => {
  const said = paragraphs.flatMap((text) => text === undefined || text.trim() === "" ? [] : [linesOf(text)])
  const [first, ...others] = said
  if (first === undefined) return ""
  const lines = [...first, ...others.flatMap((paragraph) => ["", ...paragraph])]
  const [only = "", ...more] = lines
  if (more.length === 0 && indent.length + only.length + 7 <= width) return `${indent}/** ${only} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text.trim().replaceAll("*/", "*\\/").split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trimEnd())

const width = 120

/** Code between brackets and commas, and a group in brackets. */
type Piece = string | Group

interface Group {
  readonly open: string
  readonly close: string
  readonly items: ReadonlyArray<ReadonlyArray<Piece>>
}

/** Breaks an expression or a type that was written on one line into as many lines as it needs. @internal */
export const layout = (code: string, indent = "", column = indent.length): string => broken(parse(code), indent, column)

// linear: the code is ours, so every quote that opens a string has one that closes it
const token = /"(?:[^"\\]|\\.)*"|[()[\]{}]|,\s*|[^"()[\]{},]+/g

const parse = (code: string): ReadonlyArray<Piece> => {
  const tokens = code.match(token) ?? []
  let at = 0
  const list = (close: string): ReadonlyArray<ReadonlyArray<Piece>> => {
    const items: Array<Array<Piece>> = [[]]
    for (let text = tokens[at++]; text !== undefined && text !== close; text = tokens[at++]) {
      const end = closing[text]
      if (end !== undefined) items.at(-1)?.push({ open: text, close: end, items: list(end) })
      else if (text.startsWith(",")) items.push([])
      else items.at(-1)?.push(text.startsWith("\"") && isName(items.at(-1), tokens[at]) ? unquoted(text) : text)
    }
    return items.map(trimmed).filter((item) => item.length > 0)
  }
  return list("").flat()
}

const closing: Readonly<Record<string, string | undefined>> = { "(": ")", "[": "]", "{": "}" }

const isName = (before: ReadonlyArray<Piece> | undefined, after: string | undefined): boolean =>
  /^\??:/.test(after ?? "") &&
  (before ?? []).every((piece) => typeof piece === "string" && /^\s*(readonly )?$/.test(piece))

const unquoted = (text: string): string => {
  const name = text.slice(1, -1)
  return identifier.test(name) && name !== "__proto__" ? name : text
}

const trimmed = (item: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  item.map((piece, index) => {
    if (typeof piece !== "string") return piece
    const started = index === 0 ? piece.trimStart() : piece
    return index === item.length - 1 ? started.trimEnd() : started
  }).filter((piece) => piece !== "")

const flat = (pieces: ReadonlyArray<Piece>): string =>
  pieces.map((piece) => typeof piece === "string" ? piece : flatGroup(piece)).join("")

const flatGroup = ({ close, items, open }: Group): string => {
  const inside = items.map(flat).join(", ")
  return open === "{" && inside !== "" ? `{ ${inside} }` : `${open}${inside}${close}`
}

/** `column` is where the pieces begin, `after` the length of what must follow them on their last line. */
const broken = (pieces: ReadonlyArray<Piece>, indent: string, column: number, after = 1): string => {
  const whole = flat(pieces)
  if (column + whole.length + after <= width) return whole
  let text = ""
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === "string") {
      text += piece
      continue
    }
    const next = pieces[index + 1]
    const line = text.slice(text.lastIndexOf("\n") + 1)
    const start = line.length + (text.includes("\n") ? 0 : column)
    const follows = next === undefined ? after : typeof next === "string" ? next.length : 1
    const one = flatGroup(piece)
    text += start + one.length + follows <= width ? one : brokenGroup(piece, indent, start, follows)
  }
  return text
}

const isLiteral = ([first, ...others]: ReadonlyArray<Piece>): boolean =>
  others.length === 0 && typeof first !== "string" && first?.open !== "("

const spans = (item: ReadonlyArray<Piece>, room: number): boolean =>
  isLiteral(item) || (flat(item).length > room && item.some((piece) => typeof piece !== "string"))

const brokenGroup = ({ close, items, open }: Group, indent: string, column: number, after: number): string => {
  const last = items.at(-1)
  const before = items.slice(0, -1).map((item) => `${flat(item)}, `).join("")
  const inner = `${indent}  `
  // The last argument may span lines by itself, if it has to.
  if (open === "(" && last !== undefined && spans(last, width - inner.length)) {
    const start = column + 1 + before.length
    if (start + (isLiteral(last) ? 1 : 20) <= width) return `(${before}${broken(last, indent, start, after + 1)})`
  }
  if (items.length === 0) return `${open}${close}`
  return `${open}\n${items.map((item) => inner + broken(item, inner, inner.length)).join(",\n")}\n${indent}${close}`
}
