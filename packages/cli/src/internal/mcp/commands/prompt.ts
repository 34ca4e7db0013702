/**
 * `parley mcp prompt`: a prompt with its arguments filled in.
 */
import type { PromptInfo } from "@parley/mcp/payload/Listing"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as given from "../../arguments/grammar/given.ts"
import * as Grammar from "../../arguments/grammar/Grammar.ts"
import type { CommandError } from "../../terminal/CommandError.ts"
import { print } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import * as content from "../content.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as Target from "../files/Target.ts"
import * as hints from "../offer/hints.ts"
import * as PromptShape from "../offer/PromptShape.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly out: Option.Option<string>
}

/** Gets the prompt, and prints its messages. */
export const prompt = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    const named = yield* given.named(input.args)
    yield* promptWith(input, named, yield* Target.fromFlag(input.out))
  })

const promptWith = (
  input: Input,
  named: given.Named,
  target: Target.Target | undefined
): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, options, wait }) =>
    Effect.gen(function*() {
      const prompts = yield* wait(client.listPrompts())
      const known = prompts.find(({ name }) => name === input.name)
      if (known === undefined) {
        return yield* hints.unknown("prompt", input.name, prompts, client)
      }
      const args = Result.flatMap(named, (given) => argumentsOf(known, given))
      if (Result.isFailure(args)) return yield* hints.wrong(args.failure, known.name, PromptShape.linesOf(known))
      const result = yield* wait(client.getPrompt(known.name, args.success, options))
      yield* input.json ? Connection.printJson(result) : print(content.messages(result).join("\n"))
      if (target === undefined) return
      yield* Target.write(target, Target.ofBlocks(result.messages.map(({ content }) => content)))
    }))

const argumentsOf = (
  { arguments: known = [] }: PromptInfo,
  given: Grammar.Given
): Result.Result<{ readonly [name: string]: string }, string> =>
  Result.flatMap(Result.mapError(Grammar.stringsOf(given), ({ message }) => message), (strings) => {
    const missing = known.find(({ name, required }) => required === true && !strings.has(name))
    if (missing !== undefined) return Result.fail(`${missing.name} is missing`)
    const unknown = Array.from(strings.keys()).find((name) => !known.some((one) => one.name === name))
    return unknown === undefined
      ? Result.succeed(Object.fromEntries(strings))
      : Result.fail(`${unknown} is not an argument`)
  })
