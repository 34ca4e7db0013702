/** Text inside XML, HTML and Markdown. */
import { Excerpt } from "@parley/protocol/shared"

/** Escapes a text for XML 1.0 and HTML. Characters that XML cannot have are shown as their escapes. */
export const escaped = (text: string): string =>
  Excerpt.lines(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\"", "&quot;")
    .replaceAll("'", "&#39;")

/** A fence of Markdown that the text does not close. */
export const fenced = (strange: string): string => {
  const text = Excerpt.lines(strange)
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}

/** Escapes a text for one cell or one line of Markdown. */
export const inline = (text: string): string =>
  Excerpt.line(text, Infinity).replace(/[\\`*_{}[\]<>#|~]/g, (character) => `\\${character}`)
