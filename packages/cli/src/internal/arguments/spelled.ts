/**
 * An endpoint as people write it for a host: one text, or a command word by word.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Endpoint from "../Endpoint.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"

/** The text of the endpoint that words name. What is plainly a command needs no `stdio:`. */
export const endpoint = (words: ReadonlyArray<string>): Effect.Effect<string, CommandError> =>
  Effect.fromResult(Result.map(Endpoint.textOfWords(words), (text) => words.length > 1 ? text : fromOne(text))).pipe(
    Effect.mapError((why) => usage(why, "for example https://example.org/mcp, or a command as in `-- node server.js`"))
  )

const fromOne = (text: string): string => {
  if (Result.isSuccess(Endpoint.fromText(text))) return text
  const [guess, ...guesses] = Endpoint.guesses(text)
  if (guess?.startsWith("stdio:") === true && guesses.length === 0) return guess
  // A word that is nothing else is the name of a program. Other texts are refused with what they may have meant.
  return /^[\w./-]+$/.test(text) && guess === undefined ? `stdio:${text}` : text
}
