/**
 * `parley mcp call`: one call of a tool, and what came of it.
 */
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import { ToolError } from "@parley/mcp/client/McpClientError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as given from "../../arguments/grammar/given.ts"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { print, printableLine } from "../../terminal/output.ts"
import * as answer from "../answer.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as Target from "../files/Target.ts"
import * as hints from "../offer/hints.ts"
import * as ToolArguments from "../offer/ToolArguments.ts"
import * as ToolShape from "../offer/ToolShape.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly tool: string
  readonly args: ReadonlyArray<string>
  readonly detach: boolean
  readonly out: Option.Option<string>
}

/** Calls, and prints the result; of a call that becomes a task and is left alone, the id. */
export const call = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    if (input.detach && Option.isSome(input.out)) {
      return yield* usage(
        "--detach leaves nothing to write",
        "parley mcp task ENDPOINT ID wait --out FILE has the result"
      )
    }
    const named = yield* given.named(input.args)
    const target = yield* Target.fromFlag(input.out)
    yield* callWith({ ...input, target }, named)
  })

const callWith = (
  input: Input & { readonly target: Target.Target | undefined },
  named: given.Named
): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, onTask, options, wait }) =>
    Effect.gen(function*() {
      const tools = yield* wait(client.listTools())
      const tool = tools.find(({ name }) => name === input.tool)
      if (tool === undefined) {
        return yield* hints.unknown("tool", input.tool, tools, client)
      }
      const args = Result.flatMap(named, (given) => ToolArguments.fromGiven(tool, given))
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
