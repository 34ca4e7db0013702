/**
 * The features of a server, as the hint of an error.
 */
import { Nearest } from "@parley/mcp/shared"
import { Excerpt } from "@parley/protocol/shared"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { printableLine, printableParagraph } from "../../terminal/output.ts"

/** The number of names that a hint lists. */
const most = 50

/** The server has no feature of a name. */
export const unknown = (
  kind: "prompt" | "tool",
  wanted: string,
  known: ReadonlyArray<{ readonly name: string }>,
  { instructions }: { readonly instructions: string | undefined }
): CommandError => {
  // One that has none at all may say why.
  const said = known.length > 0 || instructions === undefined ? "" : `, and says: ${printableLine(instructions)}`
  return usage(
    `the server has no ${kind} ${JSON.stringify(wanted)}`,
    `${names(wanted, known.map(({ name }) => name))}${said}`
  )
}

/** The name that was probably meant, or else the names of a server. */
const names = (wanted: string, known: ReadonlyArray<string>): string => {
  const meant = Nearest.of(wanted, known)
  if (meant !== undefined) return `did you mean ${Excerpt.line(meant)}?`
  return known.length === 0
    ? "it has none of them"
    : `it has ${known.slice(0, most).map((name) => Excerpt.line(name)).join(", ")}${
      known.length > most ? ` and ${known.length - most} more` : ""
    }`
}

/** The arguments are wrong. The hint has a line for each that the tool or prompt takes, and none that its server forged. */
export const wrong = (problem: string, name: string, takes: ReadonlyArray<string>): CommandError =>
  usage(
    printableLine(problem),
    takes.length === 0
      ? `${Excerpt.line(name)} takes no arguments`
      : [`${Excerpt.line(name)} takes`, ...takes.map((line) => `  ${printableParagraph(line, "    | ")}`)].join("\n")
  )
