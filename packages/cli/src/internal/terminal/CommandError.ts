/**
 * A failure of the command: its exit code, and the message on stderr.
 */
import * as Data from "effect/Data"
import type * as Schema from "effect/Schema"

/** The exit codes of the command. */
export const ExitCode = {
  /** The other side answered with an error. */
  remote: 1,
  /** No answer came: a timeout, a lost connection, or an answer that breaks the rules. */
  line: 2,
  /** Nothing is wrong for all that is known, and not everything is known. */
  undecided: 3,
  /** The arguments are wrong, as in `sysexits.h`. */
  usage: 64,
  /** The command itself is wrong, as in `sysexits.h`. */
  defect: 70,
  /** Stdout or a file of `--out` could not be written, as in `sysexits.h`. */
  output: 74,
  /** Ctrl-C, SIGTERM and a closed terminal: 128 and the number of the signal, as in a shell. */
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143
} as const

/** A failure with its exit code and its message, which goes to stderr. */
export class CommandError extends Data.TaggedError("CommandError")<{
  readonly exitCode: number
  readonly message: string
  /** The error that `--json` prints on stdout. */
  readonly details?: Schema.JsonObject
}> {}

/** The arguments are wrong; the hint shows correct ones. It is on the line of the message, unless it is a list. */
export const usage = (message: string, hint: string): CommandError =>
  new CommandError({ exitCode: ExitCode.usage, message: withHint(message, hint) })

/** A message, and what to do about it. */
export const withHint = (message: string, hint: string): string =>
  message.includes("\n") || hint.includes("\n") ? `${message}\nhint: ${hint}` : `${message} (hint: ${hint})`

/** A message that names its endpoint. */
export const at = (name: string, message: string): string =>
  message.startsWith("could not ") ? `${name} ${message}` : `${name}: ${message}`

/** No answer came. */
export const line = (message: string): CommandError => new CommandError({ exitCode: ExitCode.line, message })
