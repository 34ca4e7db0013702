/**
 * Streams: calls that give items and stay open, until their side shuts down, their consumer leaves or their connection
 * ends. Items are partial results of the call, or notifications behind its response.
 */
import * as Caller from "@parley/peer/Caller"
import { type ErrorResponse, internalError } from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import * as Reconnecting from "@parley/peer/Reconnecting"
import type { ErrorObject } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type { Json, JsonObject } from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Asked, type Own, runningWeight, type Watched } from "./History.ts"
import type { Side, Watch } from "./Scenario.ts"

/** An item, and the run of its stream. */
interface Item {
  readonly run: number
  readonly index: Json | undefined
}

type Items = Queue.Queue<Item, unknown>

/** The payload of a call that opens a stream. */
interface Params extends Pick<Watch, "carrier" | "every" | "items" | "size"> {
  readonly n: number
}

/** A caller that opens streams, over one connection after the other where it can. @internal */
export interface Consumer {
  readonly caller: Caller.Caller
  readonly reconnecting: Reconnecting.Reconnecting | undefined
}

/** Opens a stream, and consumes it. It never fails. @internal */
export const watch = (own: Own, { caller, reconnecting }: Consumer, action: Watch): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { history } = own
    const watched = history.watch(action.side, reconnecting !== undefined)
    const opened = Stream.suspend(() => open(own, caller, action, watched))
    const items: Stream.Stream<Item | Reconnecting.Gap, unknown> = reconnecting === undefined
      ? opened
      : Reconnecting.resume(reconnecting)(opened)
    const take = (item: Item | Reconnecting.Gap) => {
      if (Reconnecting.isGap(item)) watched.gaps++
      else {
        history.item(watched, item.run, item.index)
        watched.items++
      }
    }
    return Effect.onExit(
      Stream.runForEach(items, (item) => Effect.sync(() => take(item))),
      (exit) =>
        Effect.sync(() => {
          watched.exit = exit
          history.say(`${action.side} watches ${watched.n} no more`)
        })
    )
  }).pipe(Effect.exit, Effect.asVoid)

/** One run of a stream, from the call that opens it. */
const open = (
  { history }: Own,
  caller: Caller.Caller,
  action: Watch,
  watched: Watched
): Stream.Stream<Item, unknown> => {
  const { carrier, every, giveUp, items, side, size } = action
  // A pause holds it as it holds a call that takes partial results.
  const asking = { partial: true, giveUp }
  const asked = history.ask({ side, method: "stream", work: {}, asking, isNested: false, behind: [] })
  const run = ++watched.runs
  watched.items = 0
  watched.asked = asked
  const params: JsonObject = { n: asked.n, carrier, every, items, ...(size === undefined ? {} : { size }) }
  const take = (queue: Items) => (value: Json | undefined) =>
    void Queue.offerUnsafe(queue, { run, index: at(value, "i") })
  const opened = carrier === "partial" ? asPartialResults : asNotifications
  return Stream.callback<Item, unknown>((queue) =>
    Effect.onExit(opened(caller, asked.n, params, take(queue)), (exit) => Effect.sync(() => history.end(asked, exit)))
  )
}

type Opened = (
  caller: Caller.Caller,
  n: number,
  params: JsonObject,
  take: (value: Json | undefined) => void
) => Effect.Effect<Json, Caller.CallError, Scope.Scope>

const asPartialResults: Opened = (caller, _, params, onPartialResult) =>
  caller.request("stream", params, { timeout: Duration.infinity, onPartialResult })

const asNotifications: Opened = (caller, n, params, take) =>
  Effect.gen(function*() {
    const ended = Deferred.makeUnsafe<never, Caller.CallError>()
    const end = (error: Caller.CallError) => void Deferred.doneUnsafe(ended, Exit.fail(error))
    yield* caller.listen("event", {
      take: (event) => {
        if (event === undefined || at(event, "n") !== n) return false
        const error = at(event, "error")
        if (error === undefined) {
          take(event)
          return true
        }
        // Only the handlers below send events, and their errors are error objects.
        end(Caller.fromObject({ method: "stream" }, error as unknown as ErrorObject.ErrorObject))
        return true
      },
      end
    })
    yield* caller.request("stream", params, { timeout: Duration.infinity, pinned: true })
    const leave = Effect.forkDetach(Effect.ignore(caller.request("leave", [n])), { startImmediately: true })
    return yield* Effect.onInterrupt(Deferred.await(ended), () => leave)
  })

/** The handlers of streams of a side. @internal */
export const serving = (own: Own, side: Side): { readonly stream: Handler; readonly leave: Handler } => {
  /** How the consumers of open streams leave, by the calls that opened them. */
  const leaving = new Map<Json, Deferred.Deferred<void>>()
  return {
    leave: ({ params }) => {
      const left = leaving.get(at(params, 0) ?? null)
      return Effect.succeed(left !== undefined && Deferred.doneUnsafe(left, Exit.void))
    },
    stream: (call) => {
      // Only `watch` calls this method.
      const params = call.params as unknown as Params
      const asked = own.history.asked.get(params.n)
      const served = own.history.serve(side, params.n, {}, true, 0)
      const { partialResult } = call
      const answered = params.carrier === "notifications"
        ? Effect.sync(() => call.afterReply(published(own, side, call, params, asked, leaving)))
        : fed(own, call, params, asked, (item) => partialResult?.(item) ?? Effect.void)
      served.isHanging = params.carrier === "partial"
      return Effect.onExit(Effect.as(answered, params.n), (exit) => Effect.sync(() => own.history.leave(served, exit)))
    }
  }
}

/** Gives the items of a stream, and keeps it open until its side shuts down. */
const fed = (
  { world }: Own,
  { draining = Effect.never }: Call,
  { every, items, size = 0 }: Params,
  asked: Asked | undefined,
  send: (item: JsonObject) => Effect.Effect<void, Caller.NotifyError>
): Effect.Effect<never, ErrorResponse> => {
  const pad = size <= 0 ? {} : { pad: "x".repeat(size) }
  const given = Effect.forEach(
    Array.from({ length: items }),
    (_, i) => Effect.andThen(send({ i, ...pad }), world.work.sleep(Duration.millis(every))),
    { discard: true }
  ).pipe(Effect.mapError(internalError), Effect.andThen(Effect.never))
  const drained = Effect.flatMap(draining, (error) => Effect.fail(error))
  return Effect.suspend(() => {
    if (asked !== undefined) asked.feed = "open"
    return Effect.onExit(Effect.raceFirst(given, drained), () =>
      Effect.sync(() => {
        if (asked !== undefined) asked.feed = "over"
      }))
  })
}

/** Notifies the other side of the items of a stream, and of its end. */
const published = (
  own: Own,
  side: Side,
  call: Call,
  params: Params,
  asked: Asked | undefined,
  leaving: Map<Json, Deferred.Deferred<void>>
): Effect.Effect<void> => {
  const { held } = own.history
  const { n } = params
  const left = Deferred.makeUnsafe<void>()
  const notify = (members: JsonObject) => call.peer.notify("event", { n, ...members })
  const items = fed(own, call, params, asked, notify)
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      held[side] += runningWeight
      leaving.set(n, left)
    }),
    () =>
      Effect.matchCauseEffect(Effect.raceFirst(items, Deferred.await(left)), {
        onSuccess: () => Effect.void,
        onFailure: (cause) => {
          const error = cause.reasons.find(Cause.isFailReason)?.error ?? internalError()
          const { code, data, message } = error
          return Effect.ignore(notify({ error: { code, message, ...(data === undefined ? {} : { data }) } }))
        }
      }),
    () =>
      Effect.sync(() => {
        held[side] -= runningWeight
        leaving.delete(n)
      })
  )
}

/** A member of params or of a value. */
const at = (json: Json | undefined, name: string | number): Json | undefined =>
  // A value that is no primitive and no null is an object or an array.
  typeof json === "object" && json !== null ? (json as unknown as Record<string, Json>)[name] : undefined
