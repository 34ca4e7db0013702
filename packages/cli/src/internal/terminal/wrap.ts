/**
 * Long lines, broken between words: a terminal breaks them anywhere.
 */
import { displayWidth } from "effect/cli/CliOutput"

/** Columns that a text needs at least: with less, the terminal breaks the line better. */
const least = 10

/**
 * A line that begins with `left`, and whose text goes on below with `indent`, which is blank by default. A word that is
 * wider than the line stays whole.
 */
export const line = (
  left: string,
  text: string,
  width: number,
  indent = " ".repeat(displayWidth(left))
): string => {
  const room = width - displayWidth(indent)
  if (room < least) return left + text
  const [first = "", ...words] = text.split(" ")
  let wrapped = left + first
  let column = displayWidth(left) + displayWidth(first)
  for (const word of words) {
    const needed = displayWidth(word)
    const fits = column + 1 + needed <= width
    wrapped += fits ? ` ${word}` : `\n${indent}${word}`
    column = fits ? column + 1 + needed : displayWidth(indent) + needed
  }
  return wrapped
}

/** The beginning of a line that a terminal of this width does not wrap: one that wraps cannot be taken away again. */
export const cut = (text: string, width: number): string => {
  let column = 0
  let end = 0
  for (const { segment } of characters.segment(text)) {
    column += displayWidth(segment)
    if (column >= width) break
    end += segment.length
  }
  return text.slice(0, end)
}

const characters = new Intl.Segmenter()
