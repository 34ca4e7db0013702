/**
 * Text of the other side, as it may stand in our logs and errors: one line, bounded, and nothing that drives a
 * terminal.
 *
 * @since 0.1.0
 */

/** What ends a line, drives a terminal, or changes the direction of what follows; and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The most characters of a quoted text that its caller does not bound itself. */
const usual = 200

/**
 * The beginning of a text in one line, at most so many characters and an ellipsis. What cannot be printed is written as
 * `\uNNNN`, and a line end and what is blank around it as one space.
 *
 * @category encoding
 * @since 0.1.0
 */
export const line = (text: string, most: number = usual): string => {
  // Escapes are longer than what they stand for.
  const start = text.length > most ? text.slice(0, most) : text
  const printed = start.replace(/[ \t]*[\r\n]\s*/g, " ").replace(unprintable, escape)
  return printed.length > most || start !== text ? `${printed.slice(0, most)}…` : printed
}
