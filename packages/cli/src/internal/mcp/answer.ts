/**
 * Prints the answer of a tool: a result on stdout, or the failure that it tells on stderr.
 */
import { ToolError } from "@parley/mcp/client/McpClientError"
import type { CallToolResult } from "@parley/mcp/payload/Results"
import * as Effect from "effect/Effect"
import { CommandError, ExitCode } from "../terminal/CommandError.ts"
import * as json from "../terminal/json.ts"
import { print, printableLine, printableParagraph } from "../terminal/output.ts"
import * as Connection from "./Connection.ts"
import * as content from "./content.ts"
import type { Failure } from "./failures.ts"
import * as Target from "./files/Target.ts"

/** Takes the failure of a tool for an answer, too. */
export const of = <A>(called: Effect.Effect<A, Failure | ToolError>): Effect.Effect<A | ToolError, Failure> =>
  Effect.catchTag(called, "ToolError", (error) => Effect.succeed(error))

/** Prints an answer when it is there, and writes its files to a target. The command fails where the tool did. */
export const show = Effect.fnUntraced(function*(
  input: { readonly json: boolean; readonly target?: Target.Target | undefined },
  tool: string,
  answered: Effect.Effect<CallToolResult | ToolError, CommandError>
): Effect.fn.Return<void, CommandError> {
  const answer = yield* answered
  const isError = answer instanceof ToolError
  const result = isError ? answer.result : answer
  // Colours on stderr would be escaped there.
  const style = isError ? { pretty: process.stderr.isTTY, coloured: false } : json.styleOf(process.stdout)
  const text = content.result(result, style).join("\n")
  if (input.json) yield* Connection.printJson(result)
  const attachments = input.target === undefined ? [] : Target.ofBlocks(result.content)
  if (isError) {
    if (input.target !== undefined && attachments.length > 0) yield* Target.write(input.target, attachments)
    return yield* new CommandError({
      exitCode: ExitCode.remote,
      message: text === "" ? `the tool ${printableLine(tool)} failed` : printableParagraph(text, "  ")
    })
  }
  if (!input.json && text !== "") yield* print(text)
  if (input.target !== undefined) yield* Target.write(input.target, attachments)
})
