/**
 * `parley mcp complete`: what the beginning of an argument may be completed to.
 */
import type { CompletionRef } from "@parley/mcp/McpClient"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as given from "../../arguments/grammar/given.ts"
import * as Grammar from "../../arguments/grammar/Grammar.ts"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { complain, print, printableLine } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly ref: string
  readonly argument: string
  readonly prefix: string
  readonly known: ReadonlyArray<string>
}

/** Asks, and prints a value a line. */
export const complete = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    const known = Result.flatMap(
      yield* given.named(input.known),
      (known) => Result.mapError(Grammar.stringsOf(known), ({ message }) => message)
    )
    if (Result.isFailure(known)) return yield* usage(known.failure, "write known arguments as NAME=VALUE")
    return yield* completeWith(input, Object.fromEntries(known.success))
  })

const completeWith = (
  input: Input,
  known: { readonly [name: string]: string }
): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, options, wait }) =>
    Effect.gen(function*() {
      const ref = refOf(input.ref)
      if (ref === undefined) {
        return yield* usage(
          `${JSON.stringify(input.ref)} is neither a prompt nor a template`,
          "for example prompt:greeting, or 'file:///{path}'"
        )
      }
      const argument = { name: input.argument, value: input.prefix }
      const result = yield* wait(client.complete(ref, argument, known, options))
      if (input.json) return yield* Connection.printJson(result)
      const { hasMore, total, values } = result.completion
      for (const value of values) yield* print(printableLine(value))
      const isMore = hasMore === true || (total !== undefined && total > values.length)
      if (isMore) yield* complain(total === undefined ? "the server has more values" : `the server has ${total} values`)
    }))

const refOf = (text: string): CompletionRef | undefined => {
  if (text.startsWith("prompt:")) return { _tag: "Prompt", name: text.slice("prompt:".length) }
  return text.includes(":") ? { _tag: "Template", uri: text } : undefined
}
