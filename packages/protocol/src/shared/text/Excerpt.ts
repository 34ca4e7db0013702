/**
 * Foreign text in lines of a log, in messages of errors, in questions and on terminals: the one place that escapes it.
 *
 * A text of the other side may hold escape sequences that drive a terminal, line ends that forge lines of a log, marks
 * that change the direction of the text around them, and characters that no font draws. The last make two names look
 * alike, and hide instructions from a person that a model reads. Here all of them become visible, as JSON would escape
 * them. Letters that only look like others stay, except in a `name`.
 *
 * | Variant  | Shows                             | Escapes                                               |
 * | -------- | --------------------------------- | ----------------------------------------------------- |
 * | `line`   | a part of one line, cut short     | what is hidden, and line ends and tabs                |
 * | `lines`  | a whole text of several lines     | what is hidden                                        |
 * | `name`   | a name that people compare        | all but ASCII letters, digits, `_`, `.` and `-`       |
 * | `value`  | a value of JSON, in its shape     | as `line`, in each text and name                      |
 * | `quoted` | a string of JSON whose ends count | all but printable ASCII, and quotes and backslashes   |
 * | `cause`  | the cause beside a line of a log  | as `lines`; a line that starts at the margin is moved |
 *
 * ```ts run
 * import { Excerpt } from "@parley/protocol/shared"
 *
 * const foreign = "done\u001b[2J\nERROR forged"
 *
 * console.log(Excerpt.line(foreign)) // => done\u001b[2J\u000aERROR forged
 * console.log(Excerpt.line(foreign, 4)) // => done…
 * console.log(Excerpt.name("send\u200b mail")) // => send\u200b\u0020mail
 * console.log(Excerpt.quoted("exämple.org")) // => "ex\u00e4mple.org"
 * ```
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Relayed from "./Relayed.ts"

/**
 * A foreign text as a part of one line: at most `most` characters of it, 256 by default, and an ellipsis where some are
 * cut off. Hidden characters and line ends are escaped.
 *
 * @category formatting
 * @since 0.1.0
 */
export const line = (text: string, most = longest): string => {
  const cut = text.slice(0, most)
  const visible = hidden.test(cut) ? cut.replace(everyHidden, escape) : cut
  return cut.length === text.length ? visible : `${visible}…`
}

/**
 * The name of something that people approve or tell from others, such as a tool: everything but ASCII letters, digits,
 * `_`, `.` and `-` is escaped, so that two different names never look alike. At most `most` characters of it.
 *
 * @category formatting
 * @since 0.1.0
 */
export const name = (text: string, most = longest): string => {
  const escaped = text.slice(0, most).replace(/[^\w.-]/g, escape)
  return text.length > most ? `${escaped}…` : escaped
}

/**
 * The same as `line` as a string of JSON in ASCII, for texts whose end a reader could not tell otherwise, or that could
 * pass for others: a path, a host, an origin.
 *
 * @category formatting
 * @since 0.1.0
 */
export const quoted = (text: string, most = longest): string =>
  JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text).replace(/[^ -~]/g, escape)

/**
 * A foreign text of any length for a terminal. Line ends and tabs stay, as they do nothing but lay out the text. A text
 * that comes back as it was hides nothing.
 *
 * @category formatting
 * @since 0.1.0
 */
export const lines = (text: string): string =>
  hidden.test(text)
    ? text.replace(everyHidden, (character) => character === "\n" || character === "\t" ? character : escape(character))
    : text

/**
 * A foreign value of JSON for an annotation or a message of a log: the same value, whose texts and names are each a `line`
 * of at most `most` characters, 4,096 by default. Digits that are relayed stay with it.
 *
 * @category formatting
 * @since 0.1.0
 */
export const value = (json: unknown, most = longestInValue): unknown => visible(json, most, deepest)

/**
 * A cause as a log can print it: the message of an error may quote what the other side, or a third one, has said. Its
 * stack keeps its lines. A line that starts at the margin, where a line of the log starts, is indented, so that no text
 * within a message looks like such a line. A cause that comes back as it was hides nothing.
 *
 * @category formatting
 * @since 0.1.0
 */
export const cause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> => {
  const printed = Cause.pretty(cause)
  // The lone brace closes the cause of an error.
  const stack = lines(printed).replace(/\n(?=[^\s}]|\}.)/g, "\n    ")
  if (stack === printed) return cause
  const [, name = "Error", message = stack] = /^(\w+): (.*)/.exec(stack) ?? []
  return Cause.die(Object.assign(new Error(message), { name, stack }))
}

const visible = (json: unknown, most: number, depth: number): unknown => {
  if (typeof json === "string") return line(json, most)
  if (typeof json !== "object" || json === null) return json
  if (depth === 0) return "…"
  const copy = Array.isArray(json)
    ? json.map((item) => visible(item, most, depth - 1))
    : Object.fromEntries(
      Object.entries(json).map(([key, item]) => [line(key, most), visible(item, most, depth - 1)])
    )
  return Relayed.carry(copy, json)
}

/**
 * Controls, formats (of which are the marks of direction and the tags), halves of surrogate pairs, characters of private
 * use or without a meaning; the other line ends of Unicode; what a renderer may ignore (variation selectors, fillers);
 * and two symbols that are drawn as nothing.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u

// linear: it has no loop
const everyHidden = new RegExp(hidden, "gu")

/** Each unit of UTF-16, of which a character beyond the first 65,536 has two. */
const escape = (character: string): string => {
  let escaped = ""
  for (let at = 0; at < character.length; at++) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  }
  return escaped
}

/** Characters of a foreign text that a line has. */
const longest = 256

/** Characters of each text in a foreign value, and how deep one may be. */
const longestInValue = 4_096
const deepest = 64
