/**
 * How the command ends when it does not end well: one exit code per kind.
 */
import * as Data from "effect/Data"

/** What the exit codes of the command mean. */
export const ExitCode = {
  /** The other side answered with an error. */
  remote: 1,
  /** No answer came: a timeout, a lost connection, or an answer that breaks the rules. */
  line: 2,
  /** The arguments are wrong, as in `sysexits.h`. */
  usage: 64,
  /** The command itself is wrong, as in `sysexits.h`. */
  defect: 70,
  /** Ctrl-C, and SIGTERM: what a shell makes of the signals. */
  SIGINT: 130,
  SIGTERM: 143
} as const

/** An end with an exit code, and what is said about it on stderr. */
export class CommandError extends Data.TaggedError("CommandError")<{
  readonly exitCode: number
  readonly message: string
}> {}

/** The arguments are wrong; the hint says what would be right. */
export const usage = (message: string, hint: string): CommandError =>
  new CommandError({ exitCode: ExitCode.usage, message: `${message}\nhint: ${hint}` })

/** What has happened at an endpoint, which has a name. */
export const at = (name: string, what: string): string =>
  what.startsWith("could not ") ? `${name} ${what}` : `${name}: ${what}`

/** No answer came. */
export const line = (message: string): CommandError => new CommandError({ exitCode: ExitCode.line, message })
