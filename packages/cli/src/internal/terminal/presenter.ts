/**
 * Shows help and the version on stdout. A command line that is wrong is one line on stderr.
 */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type { ArgDoc, FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { fail, print } from "./output.ts"
import * as wrapped from "./wrap.ts"

/** Presents help no wider than the terminal, and the first error with the command that shows the usage. */
export const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return print(wrap(formatter.formatHelpDoc(tidy(event.helpDoc)), width()))
      case "InvalidInvocation":
        return fail(
          `${problemOf(event.errors)} (hint: run \`${event.commandPath.join(" ")} --help\` for usage)`
        )
      default:
        return CliOutput.defaultPresenter.present(event)
    }
  }
}

/** The help of a subcommand leaves the global flags to that of `parley`. */
const formatter = CliOutput.defaultFormatter({ globalFlags: "summary" })

/** Lines longer than this are hard to read; a pipe has no width of its own. */
const widest = 100

const width = () => Math.min(process.stdout.columns || widest, widest)

/** Built-in flags have their choices as metavars and in their descriptions; the name of an argument says its type. */
const tidy = (doc: HelpDoc): HelpDoc => ({
  ...doc,
  args: (doc.args ?? []).map((arg): ArgDoc => ({ ...arg, type: "" })),
  globalFlags: (doc.globalFlags ?? []).map((flag): FlagDoc => ({ ...flag, type: metavars[flag.name] ?? flag.type }))
})

const metavars: Readonly<Record<string, string>> = { completions: "SHELL", "log-level": "LEVEL" }

/** Breaks long lines between words, and keeps them in their column. Examples stay as they are, to be copied. */
export const wrap = (help: string, width: number): string => {
  const lines = help.split("\n")
  const examples = lines.findIndex((line) => line.includes("EXAMPLES"))
  // The formatter leaves no blank line between subcommands and examples.
  if (examples > 0 && lines[examples - 1] !== "") lines.splice(examples, 0, "")
  return lines.map((line, at) => examples >= 0 && at > examples ? line : wrapLine(line, width)).join("\n")
}

/** The start of the description in a line: behind the column of flags, arguments or subcommands, if there is one. */
const startOf = (line: string): number => {
  const gap = line.indexOf("  ", 2)
  return gap < 0 ? 2 : gap + line.slice(gap).search(/\S/)
}

const wrapLine = (line: string, width: number): string => {
  if (CliOutput.displayWidth(line) <= width) return line
  const start = startOf(line)
  return wrapped.line(line.slice(0, start), line.slice(start), width)
}

/** The first error, in one line: the errors after it are most often its consequences. */
const problemOf = ([first, second]: ReadonlyArray<CliError.CliError>): string => {
  if (first === undefined) return "the arguments are wrong"
  const [problem = ""] = first.message.split("\n")
  // The nearest flag of one letter is no help to a word such as -x.
  if (first._tag === "UnrecognizedOption" && !first.option.startsWith("--")) {
    return `${problem}; words that are no flags may stand behind --`
  }
  if (first._tag === "UnrecognizedOption" || first._tag === "UnknownSubcommand") {
    const [suggestion] = first.suggestions
    return suggestion === undefined ? problem : `${problem}; did you mean ${suggestion}?`
  }
  return second?._tag === "UnrecognizedOption" && first.message.startsWith("Missing value for flag")
    ? `${problem}; write --flag=VALUE for a value that begins with -`
    : problem
}
