/**
 * JSON for a person, or for a pipe.
 */
import { ExactNumber, Relayed } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { printable } from "./output.ts"
import type { Style } from "./style.ts"

export { type Style, styleOf } from "./style.ts"

/** The value of a text of JSON, which is written with the digits that the text has. Partial: throws where it is none. */
export const parseUnsafe = (text: string): Schema.Json => {
  const json: Schema.Json = JSON.parse(text)
  // The other parse takes texts that are JSON, and gives JSON.
  return ExactNumber.mayHave(text) ? Relayed.parseUnsafe(text) as Schema.Json : json
}

/** The text of a value. */
export const render = (value: Schema.Json, { coloured, pretty }: Style): string => {
  if (!pretty) return JSON.stringify(value)
  const text = printable(JSON.stringify(value, undefined, 2))
  return coloured ? text.replace(token, paint) : text
}

/** A member's name, a string, a number or a literal. */
// linear: of JSON that we wrote, so every quote that opens a string has one that closes it
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b/g

const blue = "34"
const green = "32"
const yellow = "33"
const magenta = "35"

const paint = (text: string, string?: string, colon?: string): string => {
  if (string === undefined) return colour(/^[tfn]/.test(text) ? magenta : yellow, text)
  return colon === undefined ? colour(green, string) : colour(blue, string) + colon
}

const colour = (code: string, text: string) => `\u001b[${code}m${text}\u001b[39m`
