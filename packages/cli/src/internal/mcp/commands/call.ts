/**
 * `parley mcp call`: one call of a tool, and what came of it.
 */
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import { ToolError } from "@parley/mcp/client/McpClientError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { print, printableLine } from "../../terminal/output.ts"
import * as answer from "../answer.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as hints from "../offer/hints.ts"
import * as ToolArguments from "../offer/ToolArguments.ts"
import * as ToolShape from "../offer/ToolShape.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly tool: string
  readonly args: ReadonlyArray<string>
  readonly detach: boolean
}

/** Calls, and prints the result; of a call that becomes a task and is left alone, the id. */
export const call = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, onTask, options, wait }) =>
    Effect.gen(function*() {
      const tools = yield* wait(client.listTools())
      const tool = tools.find(({ name }) => name === input.tool)
      if (tool === undefined) {
        return yield* usage(
          `the server has no tool ${JSON.stringify(input.tool)}`,
          hints.names(tools.map(({ name }) => name))
        )
      }
      const args = ToolArguments.fromWords(tool, input.args)
      if (Result.isFailure(args)) {
        return yield* hints.wrong(args.failure, tool.name, ToolShape.linesOf(ToolShape.parametersOf(tool)))
      }
      const { name } = tool
      if (!input.detach) {
        return yield* answer.show(
          input,
          name,
          wait(
            answer.of(client.callTool(name, args.success, { ...options, extensions: [TaskClient.call({ onTask })] }))
          )
        )
      }
      const tasks = yield* TaskClient.of(client)
      const started = yield* wait(answer.of(tasks.start(name, args.success, options)))
      if (started instanceof ToolError) {
        return yield* answer.show(input, name, Effect.succeed(started))
      }
      if (started._tag === "Result") return yield* answer.show(input, name, Effect.succeed(started.result))
      return yield* input.json ? Connection.printJson(started.created.task) : print(printableLine(started.task.id))
    }))
