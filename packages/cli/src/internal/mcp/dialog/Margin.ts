/**
 * The output on stderr during a call: log messages, a line each, and the progress of the call. On a terminal, the progress
 * is a bar, which stays below the lines.
 */
import type { Progress } from "@parley/mcp/McpClient"
import { printableLine } from "../../terminal/output.ts"
import type { Stream } from "../../terminal/Spinner.ts"
import { usualColumns } from "../../terminal/style.ts"
import * as wrap from "../../terminal/wrap.ts"

export class Margin {
  readonly #stream: Stream
  #bar = ""

  constructor(stream: Stream) {
    this.#stream = stream
  }

  /** Writes a line. */
  say(text: string): void {
    const bar = this.#bar
    this.clear()
    this.#stream.write(`${printableLine(text)}\n`)
    if (bar !== "") this.#draw(bar)
  }

  /** Shows how far the call is. */
  show(progress: Progress): void {
    if (this.#stream.isTTY === true) {
      this.clear()
      this.#draw(barOf(progress, this.#stream.columns || usualColumns))
    } else {
      this.say(`progress: ${wordsOf(progress)}`)
    }
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#bar !== "") this.#stream.write("\r\u001b[K")
    this.#bar = ""
  }

  #draw(bar: string): void {
    this.#bar = bar
    this.#stream.write(bar)
  }
}

const wordsOf = ({ message, progress, total }: Progress): string =>
  [total === undefined ? String(progress) : `${progress}/${total}`, ...message === undefined ? [] : [message]].join(" ")

/** How many columns the bar itself takes. */
const width = 24

const barOf = (progress: Progress, columns: number): string => {
  const { total } = progress
  const share = total === undefined || !(total > 0) ? 0 : Math.min(1, Math.max(0, progress.progress / total))
  const full = Math.round(share * width)
  const text = printableLine(wordsOf(progress).replace(/\s+/gu, " "))
  const bar = total === undefined ? text : `${"█".repeat(full)}${"░".repeat(width - full)} ${text}`
  return wrap.cut(bar, columns)
}
