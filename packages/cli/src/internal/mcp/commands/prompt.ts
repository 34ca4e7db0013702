/**
 * `parley mcp prompt`: a prompt with its arguments filled in.
 */
import type { PromptInfo } from "@parley/mcp/payload/Listing"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { print } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import * as content from "../content.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as hints from "../offer/hints.ts"
import * as pairs from "../offer/pairs.ts"
import * as PromptShape from "../offer/PromptShape.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly name: string
  readonly args: ReadonlyArray<string>
}

/** Gets the prompt, and prints its messages. */
export const prompt = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, options, wait }) =>
    Effect.gen(function*() {
      const prompts = yield* wait(client.listPrompts())
      const known = prompts.find(({ name }) => name === input.name)
      if (known === undefined) {
        return yield* usage(
          `the server has no prompt ${JSON.stringify(input.name)}`,
          hints.names(prompts.map(({ name }) => name))
        )
      }
      const args = argumentsOf(known, input.args)
      if (Result.isFailure(args)) return yield* hints.wrong(args.failure, known.name, PromptShape.linesOf(known))
      const result = yield* wait(client.getPrompt(known.name, args.success, options))
      return yield* input.json ? Connection.printJson(result) : print(content.messages(result).join("\n"))
    }))

const argumentsOf = (
  { arguments: known = [] }: PromptInfo,
  words: ReadonlyArray<string>
): Result.Result<{ readonly [name: string]: string }, string> =>
  Result.flatMap(pairs.fromWords(words), (named) => {
    const missing = known.find(({ name, required }) => required === true && !named.has(name))
    if (missing !== undefined) return Result.fail(`${missing.name} is missing`)
    const unknown = Array.from(named.keys()).find((name) => !known.some((one) => one.name === name))
    return unknown === undefined
      ? Result.succeed(Object.fromEntries(named))
      : Result.fail(`${unknown} is not an argument`)
  })
