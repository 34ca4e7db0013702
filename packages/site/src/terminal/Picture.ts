/**
 * A terminal session as a drawing: a dark window, which can be read on a light and on a dark page.
 *
 * Shiki reads the escape sequences of the terminal; this file places the lines.
 */
import { codeToTokensBase, type ThemedToken } from "shiki"
import { columns, type Step } from "./Session.ts"

const theme = "github-dark"
const foreground = "#e1e4e8"
const background = "#24292e"
const fontSize = 13
const lineHeight = 19
const padding = 18
/** Room for the buttons of the window. */
const bar = 30
/** The widest monospaced fonts have characters of this width. */
const width = Math.ceil(columns * fontSize * 0.605) + 2 * padding

const green = "\u001b[32m"
const bold = "\u001b[1m"
const plain = "\u001b[0m"

/** The drawing of a session, as SVG. */
export const draw = async (steps: ReadonlyArray<Step>): Promise<string> => {
  const text = steps.map(({ command, output }) => `${green}$${plain} ${bold}${command}${plain}\n${folded(output)}`)
    .join("\n")
  const lines = await codeToTokensBase(text.trimEnd(), { lang: "ansi", theme })
  const height = bar + lines.length * lineHeight + padding
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">A terminal: parley serves a Unix socket, calls it, and calls a tool of an MCP server</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${background}" stroke="#6a737d" />`,
    ...["#ff5f57", "#febc2e", "#28c840"].map((fill, index) =>
      `<circle cx="${padding + index * 18}" cy="16" r="5" fill="${fill}" />`
    ),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${fontSize}" fill="${foreground}">`,
    ...lines.map(lineOf),
    "</g>",
    "</svg>",
    ""
  ].join("\n")
}

/** Long lines go on in the next one. */
const folded = (output: string): string => output.split("\n").flatMap((line) => line.match(fold) ?? [line]).join("\n")

/** A sequence that sets a color takes no room. */
const colors = "(?:\\u001b\\[[\\d;]*m)*"
const cells = `${colors}(?:[^\\u001b]${colors}){1,${columns}}`

// linear: a line is taken in pieces of a bounded length
const fold = new RegExp(`${cells}(?: |$)|${cells}`, "g")

const lineOf = (tokens: ReadonlyArray<ThemedToken>, index: number): string => {
  const y = bar + (index + 1) * lineHeight - 4
  return `<text x="${padding}" y="${y}">${tokens.map(spanOf).join("")}</text>`
}

const spanOf = ({ color = foreground, content, fontStyle = 0 }: ThemedToken): string => {
  const fill = color === foreground ? "" : ` fill="${color}"`
  const weight = (fontStyle & boldStyle) === 0 ? "" : ` font-weight="bold"`
  return fill + weight === "" ? escaped(content) : `<tspan${fill}${weight}>${escaped(content)}</tspan>`
}

/** The bit that Shiki sets for bold text. */
const boldStyle = 2

/** Renderers join spaces unless they are of this kind. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0")
