/**
 * The features of a server, as the hint of an error.
 */
import { Excerpt } from "@parley/protocol/shared"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { printableLine, printableParagraph } from "../../terminal/output.ts"

/** The number of names that a hint lists. */
const most = 50

/** Lists the names of a server. */
export const names = (known: ReadonlyArray<string>): string =>
  known.length === 0
    ? "it has none of them"
    : `it has ${known.slice(0, most).map((name) => Excerpt.line(name)).join(", ")}${
      known.length > most ? ` and ${known.length - most} more` : ""
    }`

/** The arguments are wrong. The hint has a line for each that the tool or prompt takes, and none that its server forged. */
export const wrong = (problem: string, name: string, takes: ReadonlyArray<string>): CommandError =>
  usage(
    printableLine(problem),
    takes.length === 0
      ? `${Excerpt.line(name)} takes no arguments`
      : [`${Excerpt.line(name)} takes`, ...takes.map((line) => `  ${printableParagraph(line, "    | ")}`)].join("\n")
  )
