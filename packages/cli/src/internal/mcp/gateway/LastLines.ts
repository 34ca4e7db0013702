/**
 * The last lines that a server has written to stderr, without secrets: they mostly say why it has not started.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Redaction from "@parley/traffic/Redaction"

const mostLines = 8

/** Characters of a line. */
const longest = 300

export class LastLines {
  #lines: ReadonlyArray<string> = []

  add(line: string) {
    this.#lines = [...this.#lines, Excerpt.line(Redaction.text(line.trim()), longest)].slice(-mostLines)
  }

  /** What has been said, and behind it the lines that it does not have. */
  after(said: string, separator: string): string {
    const others = new Set(this.#lines.filter((line) => !said.includes(line)))
    return others.size === 0 ? said : `${said}${separator}${[...others].join(" | ")}`
  }
}
