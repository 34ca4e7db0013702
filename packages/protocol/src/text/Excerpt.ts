/**
 * Foreign text in lines of a log, in messages of errors and on terminals.
 *
 * A text of the other side may hold escape sequences that drive a terminal, line ends that forge lines of a log, and
 * marks that change the direction of the text around them. Here they become visible, as JSON would escape them.
 *
 * ```ts run
 * import { Excerpt } from "@parley/protocol"
 *
 * const foreign = "done\u001b[2J\nERROR forged"
 *
 * console.log(Excerpt.line(foreign)) // => done\u001b[2J\u000aERROR forged
 * console.log(Excerpt.line(foreign, 4)) // => done…
 * console.log(Excerpt.quoted("exämple.org")) // => "ex\u00e4mple.org"
 * ```
 *
 * @since 0.1.0
 */

/**
 * A foreign text as a part of one line: at most `most` characters of it, 256 by default, and an ellipsis where some are
 * cut off. Characters that cannot be printed are escaped.
 *
 * @category formatting
 * @since 0.1.0
 */
export const line = (text: string, most = longest): string => {
  const cut = text.slice(0, most)
  const printable = unprintable.test(cut) ? cut.replace(everyUnprintable, escape) : cut
  return cut.length === text.length ? printable : `${printable}…`
}

/**
 * The same as a string of JSON in ASCII, for texts whose end a reader could not tell otherwise, or that could pass for
 * others: a path, a host, an origin.
 *
 * @category formatting
 * @since 0.1.0
 */
export const quoted = (text: string, most = longest): string =>
  JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text).replace(/[^ -~]/g, escape)

/**
 * A foreign text of any length for a terminal. Line ends and tabs stay, as they do nothing but lay out the text.
 *
 * @category formatting
 * @since 0.1.0
 */
export const lines = (text: string): string =>
  unprintable.test(text)
    ? text.replace(everyUnprintable, (character) =>
      character === "\n" || character === "\t" ? character : escape(character))
    : text

/**
 * Control characters, the other line ends of Unicode, marks of direction, halves of surrogate pairs, and the byte order
 * mark, which no terminal shows.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\ufeff]/u

// linear: it has no loop
const everyUnprintable = new RegExp(unprintable, "gu")

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Characters of a foreign text that a line has. */
const longest = 256
