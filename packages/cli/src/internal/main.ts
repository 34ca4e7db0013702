/**
 * Runs the command and returns its exit code.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import { config, parley } from "./parley.ts"
import { CommandError, ExitCode } from "./terminal/CommandError.ts"
import { logger } from "./terminal/logger.ts"
import * as output from "./terminal/output.ts"
import { presenter } from "./terminal/presenter.ts"
import { version } from "./terminal/version.ts"

const exitCodeOf = (cause: Cause.Cause<unknown>): Effect.Effect<number> => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  if (failure instanceof CommandError) {
    return Effect.as(output.complain(`parley: ${failure.message}`), failure.exitCode)
  }
  // The presenter has shown what effect/cli rejects. Help for a command without a handler is a success.
  if (isShowHelp(failure)) return Effect.succeed(failure.errors.length === 0 ? 0 : ExitCode.usage)
  return Effect.as(output.complain(`parley: ${Cause.pretty(cause)}`), ExitCode.defect)
}

const isShowHelp = (failure: unknown): failure is { readonly errors: ReadonlyArray<unknown> } =>
  failure instanceof Object && "_tag" in failure && failure._tag === "ShowHelp"

/** Takes the words that follow the name of the command. */
export const run = async (args: ReadonlyArray<string>): Promise<number> => {
  const exit = await output.watch.pipe(
    Effect.andThen(Command.runWith(parley, { version })(args)),
    Effect.as(0),
    Effect.catchCause(exitCodeOf),
    Effect.tap(output.flush),
    Effect.provideService(CliConfig.CliConfig, config),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provide(Logger.layer([logger, Logger.tracerLogger])),
    Effect.provide(NodeServices.layer),
    Effect.runPromiseExit
  )
  return Exit.isSuccess(exit) ? exit.value : ExitCode.defect
}
