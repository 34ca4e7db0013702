/**
 * Waits for the result of a task, and answers meanwhile what the task asks.
 *
 * The extension puts its questions into the state of the task, and takes each answer by a request. In the core generation
 * the server sends its questions as requests while it is asked for the result, so the client asks for it as soon as the
 * task needs input.
 */
import type { ClientHost } from "@parley/mcp/client/ClientExtension"
import { InputRefused, type McpCallError, type McpTaskError } from "@parley/mcp/client/McpClientError"
import type { InputRequest } from "@parley/mcp/payload/Results"
import { ErrorObject, Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { isTerminal } from "../../Tasks.ts"
import type { Follow } from "./TaskFollower.ts"
import { failed, type State, type Subject, type TaskRequests } from "./TaskRequests.ts"

/** A task that somebody waits for. @internal */
export interface Awaited extends Subject {
  /** The keys of the questions that are answered, or are being answered. Each is asked once, whoever waits. */
  readonly taken: Set<string>
  /** Whether the task needs no cancelling any more. */
  hasEnded: boolean
}

/** Gives the result as it came. @internal */
export type Settle = (
  task: Awaited,
  hear: (state: State, isChanged: boolean) => void,
  first?: State
) => Effect.Effect<Schema.Json, McpTaskError | InputRefused>

/** The keys of questions are remembered for as long as a task may ask. */
const longestKey = 1_024

/** The fiber that asks for the result ahead of it. No question has this key, which has a space before it. */
const ahead = " result"

/** How many questions of one task are answered at once, and of one round of a call. */
const mostAtOnce = 16

/** @internal */
export const make = (host: ClientHost, requests: TaskRequests, follow: Follow): Settle => {
  /** A task that has ended takes no answers, and the next look shows how it ended. */
  const deliver = (task: Awaited, answers: Schema.JsonObject) =>
    Effect.catchTag(
      requests.update(task, answers),
      "ProtocolError",
      (error) =>
        Effect.flatMap(requests.get(task), ({ status }) => isTerminal(status) ? Effect.void : Effect.fail(error))
    )

  const reply = (task: Awaited, key: string, asked: InputRequest) =>
    host.answer("tools/call", asked).pipe(
      Effect.flatMap((result) => deliver(task, { [key]: result })),
      // The next fiber that waits may be asked the question that nobody has answered.
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) task.taken.delete(key)
        })
      )
    )

  /** The result of a task that has ended. */
  const resultOf = (task: Awaited, state: State): Effect.Effect<Schema.Json, McpTaskError> => {
    task.hasEnded = true
    const { error, result, status, statusMessage } = state
    const reason = statusMessage === undefined ? {} : { statusMessage }
    if (status === "cancelled") return Effect.fail(failed(task, { _tag: "Cancelled", ...reason }))
    if (error !== undefined) return Effect.fail(failed(task, { _tag: "Failed", ...reason, error }))
    if (result !== undefined) return Effect.succeed(result)
    return Effect.catchTag(requests.result(task), "ProtocolError", (refused): Effect.Effect<never, McpTaskError> => {
      if (status !== "failed") return Effect.fail(refused)
      const { code, data, text: message } = refused
      const error = ErrorObject.make(code, message, data)
      return Effect.fail(failed(task, { _tag: "Failed", ...reason, error }))
    })
  }

  return (task, hear, first) =>
    Effect.scoped(Effect.gen(function*() {
      const early = Deferred.makeUnsafe<Schema.Json, McpTaskError | InputRefused>()
      const fibers = yield* FiberMap.make<string, void>()
      const room = Semaphore.makeUnsafe(mostAtOnce)
      const mostQuestions = host.maxInputRounds * mostAtOnce

      /** Runs under a key until the state does not name it any more. A failure is that of the waiting. */
      const begin = (key: string, effect: Effect.Effect<void, McpTaskError | InputRefused>) =>
        FiberMap.run(
          fibers,
          key,
          Effect.catch(effect, (error) => Effect.asVoid(Deferred.fail(early, error))),
          { onlyIfMissing: true }
        )

      /** The server may break off, and is asked again at the next look. */
      const askAhead = requests.resultLater(task).pipe(
        Effect.flatMap((result) => {
          task.hasEnded = true
          return Deferred.succeed(early, result)
        }),
        Effect.catch((error: McpCallError) =>
          Effect.logDebug(
            `the result of the task ${Excerpt.line(task.id)} cannot be awaited yet`,
            Excerpt.cause(Cause.fail(error))
          )
        ),
        Effect.asVoid
      )

      const heard = Effect.fnUntraced(function*(state: State, isChanged: boolean) {
        hear(state, isChanged)
        if (state.status === "input_required" && state.inputRequests === undefined) yield* begin(ahead, askAhead)
        const asked = state.inputRequests ?? {}
        for (const [key] of fibers) {
          if (key !== ahead && !Object.hasOwn(asked, key)) yield* FiberMap.remove(fibers, key)
        }
        for (const [key, request] of Object.entries(asked)) {
          if (task.taken.has(key)) continue
          const rule = task.taken.size >= mostQuestions
            ? `the task asks more than ${mostQuestions} questions`
            : key.length > longestKey
            ? `the key of a question has more than ${longestKey} characters`
            : undefined
          if (rule !== undefined) return yield* new InputRefused({ method: "tools/call", rule })
          task.taken.add(key)
          yield* begin(key, room.withPermits(1)(reply(task, key, request)))
        }
      })

      const ended = Effect.flatMap(follow(task, heard, first), (state) => resultOf(task, state))
      return yield* Effect.raceFirst(ended, Deferred.await(early))
    })).pipe(
      Effect.tapErrorTag("TaskError", ({ reason }) =>
        Effect.sync(() => {
          if (reason._tag === "Unknown") task.hasEnded = true
        }))
    )
}
