/**
 * `parley mcp task`: a task that a call has become, taken up by its id.
 */
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { print, printableLine } from "../../terminal/output.ts"
import * as answer from "../answer.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as Target from "../files/Target.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly id: string
  readonly action: Option.Option<"get" | "wait" | "cancel">
  readonly out: Option.Option<string>
}

/** Shows the task, waits for its result or cancels it. */
export const task = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    const action = Option.getOrElse(input.action, () => "get" as const)
    if (action !== "wait" && Option.isSome(input.out)) {
      return yield* usage("--out needs the result", "wait for it, as in parley mcp task ENDPOINT ID wait --out FILE")
    }
    const target = yield* Target.fromFlag(input.out)
    yield* taskWith({ ...input, target }, action)
  })

const taskWith = (
  input: Input & { readonly target: Target.Target | undefined },
  action: "get" | "wait" | "cancel"
): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, onTask, wait }) =>
    Effect.gen(function*() {
      const handle = (yield* TaskClient.of(client)).task(input.id)
      switch (action) {
        case "cancel":
          return yield* wait(handle.cancel)
        case "get": {
          const state = yield* wait(handle.get)
          if (input.json) return yield* Connection.printJson(state)
          const { status, statusMessage } = state
          return yield* print(printableLine(statusMessage === undefined ? status : `${status}  ${statusMessage}`))
        }
        case "wait": {
          const shown = Stream.runForEach(handle.states, (state) => Effect.sync(() => onTask(state)))
          const waiting = yield* Effect.forkChild(Effect.ignore(shown))
          yield* answer.show(input, `of task ${input.id}`, wait(answer.of(handle.await)))
          return yield* Fiber.interrupt(waiting)
        }
      }
    }))
