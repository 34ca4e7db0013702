/**
 * `parley mcp call`: one call of a tool, and what came of it.
 */
import { ToolError } from "@parley/mcp/client/McpClientError"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { CommandError, ExitCode, usage } from "../../terminal/CommandError.ts"
import * as json from "../../terminal/json.ts"
import { print } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import * as content from "../content.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as hints from "../offer/hints.ts"
import * as ToolArguments from "../offer/ToolArguments.ts"
import * as ToolShape from "../offer/ToolShape.ts"

/** What the command line says. */
export interface Input extends Connection.Input {
  readonly tool: string
  readonly args: ReadonlyArray<string>
}

/** Calls, and prints the result. */
export const call = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, options, wait }) =>
    Effect.gen(function*() {
      const tools = yield* wait(client.listTools())
      const tool = tools.find(({ name }) => name === input.tool)
      if (tool === undefined) {
        return yield* usage(`the server has no tool ${input.tool}`, hints.names(tools.map(({ name }) => name)))
      }
      const args = ToolArguments.fromWords(tool, input.args)
      if (Result.isFailure(args)) return yield* usage(args.failure, hintOf(tool))
      const called = wait(Effect.catchTag(
        client.callTool(tool.name, args.success, options),
        "ToolError",
        (error) => Effect.succeed(error)
      ))
      const answer = yield* called
      const isError = answer instanceof ToolError
      const result = isError ? answer.result : answer
      const text = content.result(result, json.styleOf(isError ? process.stderr : process.stdout)).join("\n")
      if (input.json) yield* Connection.printJson(result)
      if (isError) {
        return yield* new CommandError({
          exitCode: ExitCode.remote,
          message: text === "" ? `the tool ${tool.name} failed` : text
        })
      }
      if (!input.json && text !== "") yield* print(text)
    }))

/** Which arguments a tool takes. */
const hintOf = (tool: ToolInfo): string => {
  const parameters = ToolShape.parametersOf(tool)
  if (parameters.length === 0) return `${tool.name} takes no arguments`
  return [`${tool.name} takes`, ...ToolShape.linesOf(parameters).map((line) => `  ${line}`)].join("\n")
}
