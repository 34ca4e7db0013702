/**
 * The states of tasks on a stream of changes: the state that a task has when the stream begins, and each that follows, until
 * the last. A client that reads slowly misses states between, and never the last.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { LiveCall } from "../dispatch/LiveCall.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** The tasks that a client may hear of; `undefined` where it has asked for none, or there are no tasks. @internal */
export const watchable = (
  { connection: { server: { tasks } }, principal }: LiveCall,
  taskIds: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<string> | undefined> =>
  taskIds === undefined || tasks === undefined ? Effect.undefined : Effect.filter(
    [...new Set(taskIds)],
    (taskId) =>
      Effect.orElseSucceed(Effect.map(tasks.find(taskId, principal), (placed) => placed !== undefined), () => false),
    { concurrency: 8 }
  )

/** Tells the client of its tasks while an effect runs. @internal */
export const whileWatching = <A>(
  call: LiveCall,
  taskIds: ReadonlyArray<string>,
  tag: Schema.JsonObject,
  effect: Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.scoped(Effect.andThen(
    Effect.forEach(taskIds, (taskId) => Effect.forkScoped(watched(call, taskId, tag)), { discard: true }),
    effect
  ))

const watched = (call: LiveCall, taskId: string, tag: Schema.JsonObject): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { call: { peer }, codec, connection: { server: { tasks } }, principal } = call
    if (tasks === undefined) return Effect.void
    const next: Effect.Effect<void> = Effect.flatMap(Effect.option(tasks.find(taskId, principal)), (found) => {
      const placed = Option.getOrUndefined(found)
      if (placed === undefined) return Effect.void
      const state = codec.encode.detailedTask(TaskRecord.detailedTaskOf(codec, placed.record))
      // A line that is gone interrupts the call.
      const told = Effect.ignore(peer.notify("notifications/tasks", { ...state, _meta: tag }))
      return TaskRecord.isOver(placed.record)
        ? told
        : told.pipe(Effect.andThen(tasks.changed(placed)), Effect.andThen(next))
    })
    return next
  })
