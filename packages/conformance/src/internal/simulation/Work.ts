/**
 * The work of the two sides: calls that say what their handlers do, and the handlers that do it.
 */
import * as Caller from "@parley/peer/Caller"
import { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call as Incoming, Handler, Lookup } from "@parley/peer/Handler"
import type { Reconnecting } from "@parley/peer/Reconnecting"
import type { Budget } from "@parley/transport/shared"
import type { Wrapping } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Json, JsonObject } from "effect/Schema"
import { type Asking, type History, type Noted, type Own, runningWeight, type Served } from "./History.ts"
import type { Reading } from "./link/Pipe.ts"
import type { Scenario, Side, Work } from "./Scenario.ts"
import * as Streams from "./Streams.ts"

/** The parts of one run. @internal */
export interface Setting extends Own {
  readonly scenario: Scenario
  /** The methods of the sides. */
  readonly lookups: readonly [Lookup, Lookup]
  /** Each side wraps its transport in it, where there is one. */
  readonly wrapping: Wrapping | undefined
  /** Side 0 makes calls through it that may be made twice, where there is one. */
  readonly retry: ((caller: Caller.Caller) => Caller.Caller) | undefined
  /** Whether the sides read. */
  readonly readings: readonly [Reading, Reading]
  /** The budgets of the sides. */
  readonly budgets: readonly [Budget.Budget, Budget.Budget]
}

/** Two sides that are connected. @internal */
export interface Stage {
  /** The caller by which a side calls the other, if it has one. */
  readonly callerOf: (side: Side) => Caller.Caller | undefined
  /** The caller of side 0, where it connects again. */
  readonly reconnecting?: Reconnecting | undefined
  /** All connections are lost; others can be made after so many milliseconds. */
  readonly lose: (milliseconds: number) => void
  /** Why the conversation is over, if it does not tell by itself. */
  readonly gone: () => string | undefined
  /** A side shuts down in order. Another one is there after so many milliseconds. */
  readonly end: (side: Side, milliseconds?: number) => void
  /** Says what lies in each link that is not empty. */
  readonly unread: () => ReadonlyArray<string>
  /** Says what each side waits for. */
  readonly waits: () => ReadonlyArray<string>
}

/** Milliseconds that a side waits for a response by default: far longer than any scenario takes. @internal */
export const timeout = 300_000

/** The payload of a request or notification of the simulation. */
interface Params {
  readonly n: number
  readonly work: Work
  readonly pad?: string
}

const pad = (size: number | undefined) => size === undefined || size <= 0 ? {} : { pad: "x".repeat(size) }

const paramsOf = (n: number, work: Work, size: number | undefined): JsonObject => ({
  n,
  // A work is JSON but for members that are undefined, which are not written.
  work: work as JsonObject,
  ...pad(size)
})

/** Makes a request, and writes down how it ends. It never fails. @internal */
export const ask = (
  { history, world }: Own,
  side: Side,
  caller: Caller.Caller,
  work: Work,
  asking: Asking = {},
  { behind = [], isNested = false }: { behind?: ReadonlyArray<Noted>; isNested?: boolean } = {}
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { own } = asking
    const hold = (milliseconds: number) => {
      const goOn = caller.pause()
      history.pauses[side]++
      world.after(milliseconds, () => {
        history.pauses[side]--
        goOn()
      })
    }
    const method = own?.method ?? "work"
    const asked = history.ask({ side, method, work, asking, isNested, behind })
    const params = own === undefined
      ? { ...paramsOf(asked.n, work, asking.size), ...(asking.aside === true ? { aside: true } : {}) }
      : own.params
    const request = caller.request(method, params, {
      ...(asking.timeout === undefined ? {} : { timeout: asking.timeout }),
      ...(asking.idempotent === true ? { idempotent: true } : {}),
      ...(asking.progress === true ? { onProgress: (params) => history.hear(asked, "progress", at(params, "i")) } : {}),
      ...(asking.partial === true ?
        {
          onPartialResult: (value) => {
            history.hear(asked, "partial", at(value, "i"))
            if (asking.hold !== undefined) hold(asking.hold)
          }
        } :
        {})
    })
    return Effect.onExit(request, (exit) => Effect.sync(() => history.end(asked, exit)))
  }).pipe(Effect.exit, Effect.asVoid)

/** Makes several requests in one text. @internal */
export const askTogether = (
  { history }: Own,
  side: Side,
  caller: Pick<Caller.Caller, "batch">,
  works: ReadonlyArray<Work>,
  { giveUp, size, timeout }: Asking
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const asking = { giveUp, size, timeout }
    const all = works.map((work) =>
      history.ask({ side, method: "work", work, asking, isNested: false, behind: [] }, works.length)
    )
    const members = all.map(({ n, work }) => ({ method: "work", params: paramsOf(n, work, size) }))
    const options = timeout === undefined ? {} : { timeout }
    return Effect.onExit(caller.batch(members, options), (exit) =>
      Effect.sync(() =>
        all.forEach((asked, index) =>
          history.end(asked, Exit.isFailure(exit) ? Exit.failCause(exit.cause) : memberOf(exit.value[index]))
        )
      ))
  }).pipe(Effect.exit, Effect.asVoid)

const memberOf = (result: Result.Result<Json, Caller.CallError> | undefined): Exit.Exit<Json, unknown> => {
  if (result === undefined) return Exit.die(new Error("a batch gave no result for a request"))
  return Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)
}

/** Sends notifications one after the other, and gives them. @internal */
export const tell = (
  { history }: Own,
  side: Side,
  caller: Pick<Caller.Caller, "notify">,
  source: string,
  times: number,
  work: Work,
  size: number | undefined,
  { during, isAfter = false }: { readonly during?: number; readonly isAfter?: boolean } = {}
): Effect.Effect<ReadonlyArray<Noted>> =>
  Effect.forEach(Array.from({ length: times }), () => {
    const noted = history.note(side, source, during, isAfter)
    return Effect.onExit(caller.notify("note", paramsOf(noted.n, work, size)), (exit) =>
      Effect.sync(() => {
        noted.exit = exit
        history.say(`${side} has notified ${noted.n}${Exit.isSuccess(exit) ? "" : " in vain"}`)
      })).pipe(Effect.exit, Effect.as(noted))
  })

/** The handlers of a side. @internal */
export const serving = (setting: Own, side: Side): Lookup => {
  const request = serve(setting, side, true)
  const notification = serve(setting, side, false)
  const handlers = new Map([
    ["work", request],
    ["note", notification],
    ...Object.entries(Streams.serving(setting, side))
  ])
  return { handlerOf: (method) => handlers.get(method), isConcurrent: () => false }
}

/** The handlers of somebody else, as the simulation watches them. Their time is virtual. @internal */
export const watching = ({ history, world }: Own, side: Side, inner: Lookup): Lookup => ({
  isConcurrent: (method) => inner.isConcurrent(method),
  handlerOf: (method) => {
    const handler = inner.handlerOf(method)
    if (handler === undefined) return undefined
    return (call) => {
      const effect = handler(call)
      const served = history.serve(side, 0, {}, call.id !== undefined, 0, method)
      const leave = (exit: Exit.Exit<unknown, unknown>) => history.leave(served, exit)
      if (Exit.isExit(effect)) {
        leave(effect)
        return effect
      }
      return effect.pipe(
        Effect.provideService(Clock.Clock, world.work),
        Effect.onExit((exit) => Effect.sync(() => leave(exit)))
      )
    }
  }
})

const serve = (setting: Own, side: Side, isRequest: boolean): Handler => (call) => {
  // Only `ask` and `tell` call these methods.
  const { n, pad = "", work } = call.params as unknown as Params
  const served = setting.history.serve(side, n, work, isRequest, pad.length)
  if (isImmediate(work)) {
    const exit = answer(n, work)
    setting.history.leave(served, exit)
    return exit
  }
  return Effect.onExit(
    perform(setting, side, call, served),
    (exit) => Effect.sync(() => setting.history.leave(served, exit))
  )
}

/** Whether a work is done in the turn that begins it, and without a fiber. */
const isImmediate = ({ after, back, hang, notify, partial, progress, until, wait }: Work) =>
  hang !== true && back === undefined && until === undefined && wait === undefined &&
  (after ?? 0) + (notify ?? 0) + (partial ?? 0) + (progress ?? 0) === 0

const answer = (n: number, { fail, size }: Work): Exit.Exit<Json, ErrorResponse> =>
  fail === undefined ?
    Exit.succeed({ n, ...pad(size) }) :
    Exit.fail(new ErrorResponse({ code: fail, message: "as asked" }))

const perform = (setting: Own, side: Side, call: Incoming, served: Served) =>
  Effect.gen(function*() {
    const { history, world } = setting
    const { n, work } = served
    const { partialResult } = call
    for (let i = 0; i < (work.progress ?? 0); i++) {
      if (Exit.isSuccess(yield* Effect.exit(call.progress({ i })))) served.progress++
    }
    for (let i = 0; partialResult !== undefined && i < (work.partial ?? 0); i++) {
      if (Exit.isSuccess(yield* Effect.exit(partialResult({ i, ...pad(work.size) })))) served.partial++
    }
    if (work.after !== undefined && work.after > 0) {
      const following = { during: n, isAfter: true }
      const telling = tell(setting, side, call.peer, `behind ${n}`, work.after, {}, work.size, following)
      call.afterReply(holding(history, side, telling))
    }
    if (work.notify !== undefined && work.notify > 0) {
      history.park(served)
      yield* tell(setting, side, call.peer, `handler of ${n}`, work.notify, {}, work.size, { during: n })
    }
    if (work.back !== undefined) {
      history.park(served)
      yield* ask(setting, side, call.peer, work.back, {}, { isNested: true })
    }
    if (work.wait !== undefined) {
      yield* work.wait === 0 ? Effect.promise(() => Promise.resolve()) : world.work.sleep(Duration.millis(work.wait))
    }
    if (work.until !== undefined) yield* world.gate(work.until)
    if (work.hang === true) {
      served.isHanging = true
      yield* Effect.never
    }
    return yield* answer(n, work)
  })

/** An effect that holds something as long as it runs. */
const holding = <A, E>({ held }: History, side: Side, effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => held[side] += runningWeight),
    () => effect,
    () => Effect.sync(() => held[side] -= runningWeight)
  )

/** A member of params or of a value. */
const at = (json: Json, name: string): Json | undefined =>
  // A value that is no array and no primitive is an object.
  typeof json === "object" && json !== null && !Array.isArray(json) ? (json as JsonObject)[name] : undefined
