/**
 * How a stream shows what is written to it: a terminal has a width, and colours unless `NO_COLOR` is set.
 */

/** The style of a stream: on a terminal, JSON is indented, and coloured unless `NO_COLOR` is set. */
export interface Style {
  readonly pretty: boolean
  readonly coloured: boolean
}

/** The style that fits a stream. */
export const styleOf = (stream: NodeJS.WriteStream): Style => {
  const { NO_COLOR = "" } = process.env
  return { pretty: stream.isTTY, coloured: stream.isTTY && NO_COLOR === "" && !isDumb() }
}

/** Whether the terminal takes no commands, such as one that takes a line away. */
export const isDumb = (): boolean => process.env["TERM"] === "dumb"

/** What is between the edges of a page: a terminal, or a pipe without a width. */
export interface Screen {
  readonly width: number | undefined
  readonly coloured: boolean
}

/** The screen of a stream. */
export const screenOf = (stream: NodeJS.WriteStream): Screen => ({
  width: stream.isTTY ? stream.columns || usualColumns : undefined,
  coloured: styleOf(stream).coloured
})

/** The width of a terminal that reports none, or 0. */
export const usualColumns = 80

/** The codes of ANSI, which `paint` takes. */
export const bold = "1"
export const dim = "2"
export const red = "31"

/** A text in a colour. */
export const paint = (coloured: boolean, code: string, text: string): string =>
  coloured && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text
