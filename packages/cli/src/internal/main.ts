/**
 * Runs the command and returns its exit code.
 */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { config, parley } from "./parley.ts"
import { CommandError, ExitCode } from "./terminal/CommandError.ts"
import { logger } from "./terminal/logger.ts"
import * as output from "./terminal/output.ts"
import { presenter } from "./terminal/presenter.ts"
import * as signal from "./terminal/signal.ts"
import { version } from "./terminal/version.ts"

const exitCodeOf = (cause: Cause.Cause<unknown>): Effect.Effect<number> => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  if (failure instanceof CommandError) {
    return Effect.as(output.fail(failure.message), failure.exitCode)
  }
  // The presenter has shown what effect/cli rejects. Help for a command without a handler is a success.
  if (isShowHelp(failure)) return Effect.succeed(failure.errors.length === 0 ? 0 : ExitCode.usage)
  return Effect.as(output.fail(Cause.pretty(cause)), ExitCode.defect)
}

const isShowHelp = (failure: unknown): failure is { readonly errors: ReadonlyArray<unknown> } =>
  failure instanceof Object && "_tag" in failure && failure._tag === "ShowHelp"

/**
 * The words as the parser takes them: `help` is what other commands have for `--help`, and the help of a command that is not
 * there is its error.
 */
const understood = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words[0] === "help" ? known(parley, [...words.slice(1), "--help"]) : known(parley, words)

/** All words, or those up to the first that should be the name of a command and is none. */
const known = (command: Command.Command.Any, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...others] = words
  const below = command.subcommands.flatMap(({ commands }) => commands)
  if (first === undefined || first.startsWith("-") || below.length === 0) return words
  const next = below.find(({ name }) => name === first)
  return next === undefined ? [first] : [first, ...known(next, others)]
}

/** A success whose result could not be written is none. */
const withOutput = (code: number): Effect.Effect<number> =>
  Effect.flatMap(output.unwritten, (error) =>
    error === undefined || code !== 0
      ? Effect.succeed(code)
      : Effect.as(output.fail(`stdout could not be written: ${error.message}`), ExitCode.output))

/** What `effect/cli` needs. That of `@effect/platform-node` is the same, and brings a client of Redis. */
const services = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer)
)

/** Takes the words that follow the name of the command. */
export const run = async (args: ReadonlyArray<string>): Promise<number> => {
  const exit = await output.watch.pipe(
    Effect.andThen(Command.runWith(parley, { version })(args.length === 0 ? args : understood(args))),
    Effect.as(0),
    Effect.catchCause(exitCodeOf),
    Effect.tap(signal.patient(output.flush)),
    Effect.flatMap(withOutput),
    Effect.provideService(CliConfig.CliConfig, config),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provide(Logger.layer([logger, Logger.tracerLogger])),
    Effect.provide(services),
    Effect.runPromiseExit
  )
  return Exit.isSuccess(exit) ? exit.value : ExitCode.defect
}
