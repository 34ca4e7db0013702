/**
 * The arguments on the command line, with their files read: before a server is reached, so that nothing starts for a file
 * that is not there.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import * as signal from "../../terminal/signal.ts"
import type { ArgumentError } from "./ArgumentError.ts"
import * as Grammar from "./Grammar.ts"

/** Arguments with names, or why the words have none: whoever knows the names tells them beside it. */
export type Named = Result.Result<Grammar.Given, string>

/** The params of any method. */
export const params = (words: ReadonlyArray<string>): Effect.Effect<Grammar.Given, CommandError> =>
  Effect.mapError(Effect.flatMap(Effect.fromResult(Grammar.parse(words, { isList: true })), Grammar.give), asUsage)

/** Arguments that have names. */
export const named = (words: ReadonlyArray<string>): Effect.Effect<Named, CommandError> =>
  Result.match(Grammar.parse(words, { isList: false }), {
    onFailure: ({ message }) => Effect.succeed<Named>(Result.fail(message)),
    onSuccess: (args) =>
      Effect.raceFirst(
        Effect.map(Effect.mapError(Grammar.give(args), asUsage), (given): Named => Result.succeed(given)),
        signal.ended
      )
  })

/** The failure of the command. */
export const asUsage = ({ hint, message }: ArgumentError): CommandError => usage(message, hint)
