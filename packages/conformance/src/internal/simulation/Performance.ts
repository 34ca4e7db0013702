/**
 * One run of a scenario, from the first action to the end of both sides.
 */
import type { Lookup } from "@parley/peer/Handler"
import * as Limits from "@parley/protocol/Limits"
import type { Params } from "@parley/protocol/Message"
import { Budget } from "@parley/transport/shared"
import type { Wrapping } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Json } from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Verdict as Wrong } from "../laws/Law.ts"
import * as Duplex from "./Duplex.ts"
import { History, type Noted, type Violation } from "./History.ts"
import { Reading } from "./link/Pipe.ts"
import * as Posts from "./Posts.ts"
import {
  type Action,
  type Call,
  type Kind,
  limitsOf,
  replySize,
  type Scenario,
  type Side,
  type Watch
} from "./Scenario.ts"
import * as Streams from "./Streams.ts"
import * as Verdict from "./Verdict.ts"
import { ask, askTogether, serving, type Setting, type Stage, tell, watching } from "./Work.ts"
import { World } from "./World.ts"

/** Replacements for parts of the simulation. @internal */
export interface Parts {
  /** Makes the handlers of both sides, for each run again. */
  readonly make: Effect.Effect<Served, unknown, Scope.Scope> | undefined
  readonly wrapping: Wrapping | undefined
  readonly retry: Setting["retry"]
}

/**
 * A call of a run, and how it ended for its caller. `exit` is absent if it never did.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ended {
  readonly n: number
  readonly side: Side
  readonly method: string
  /** The params of a call of a service of one's own. */
  readonly params: Params | undefined
  readonly exit: Exit.Exit<Json | undefined, unknown> | undefined
}

/**
 * A run. Each line of its history begins with the virtual time in milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Outcome {
  readonly scenario: Scenario
  readonly violations: ReadonlyArray<Violation>
  readonly history: ReadonlyArray<string>
  readonly calls: ReadonlyArray<Ended>
}

/**
 * The parts of a run of a service of one's own.
 *
 * @category models
 * @since 0.1.0
 */
export interface Served {
  /** Side 1 serves this, such as a `Router`. */
  readonly router: Lookup
  /** Side 0 serves this, for handlers that call their caller. Without it, side 0 serves nothing. */
  readonly client?: Lookup | undefined
  /** Returns the problem after a run, if there is one. Both sides are closed by then. */
  readonly invariant?: ((outcome: Outcome) => Wrong) | undefined
}

/** @internal */
export interface Performed {
  readonly outcome: Outcome
  /** Whether nothing but the limits came between the sides, and all texts were within them. */
  readonly isHonest: boolean
}

/** A deadline that is nearer than this belongs to the scenario: a new attempt, a timeout that a call has chosen. */
const near = 1_000

/** A side that reads nothing for so long counts as one that does not read. */
const moment = 10_000

const stages: { readonly [K in Kind]: (setting: Setting) => Stage } = {
  peer: Duplex.peers,
  reconnecting: Duplex.reconnecting,
  post: Posts.posts,
  session: Posts.session
}

/** @internal */
export const perform = async (scenario: Scenario, { make, retry, wrapping }: Parts): Promise<Performed> => {
  const world = new World()
  const history = new History(world, scenario)
  const own = { world, history }
  const scope = Scope.makeUnsafe()
  const served = make === undefined ? undefined : await made(world, Scope.provide(make, scope))
  const { budget } = Limits.make(limitsOf(scenario.bounds))
  const setting: Setting = {
    ...own,
    scenario,
    wrapping,
    retry,
    readings: [new Reading(), new Reading()],
    budgets: [Budget.make(budget), Budget.make(budget)],
    lookups: served === undefined
      ? [serving(own, 0), serving(own, 1)]
      : [watching(own, 0, served.client ?? nothing), watching(own, 1, served.router)]
  }
  world.onQuiet = () => Verdict.whenQuiet(setting)
  const stage = stages[scenario.kind](setting)
  scenario.actions.forEach((action, index) => world.after(action.at, () => act(setting, stage, action, index)))
  await world.rest(near)
  Verdict.atRest(setting, stage)
  // A side that reads nothing may end one connection after the other.
  await world.rest(moment, world.now + moment)
  Verdict.afterMoment(setting)
  history.isClosing = true
  history.say("both sides shut down")
  stage.end(0)
  stage.end(1)
  await world.rest(Number.POSITIVE_INFINITY)
  Verdict.atEnd(setting)
  await callAfterEnd(setting, stage)
  world.fork(Scope.close(scope, Exit.void))
  if (world.isEndless) history.find("endless", "there are too many events")
  const outcome: Outcome = {
    scenario,
    violations: history.findings,
    history: history.lines,
    calls: [...history.asked.values()].map(({ asking, exit, method, n, side }) => (
      { n, side, method, params: asking.own?.params, exit }
    ))
  }
  const wrong = served?.invariant?.(outcome)
  if (wrong !== undefined) history.find("invariant", wrong)
  return { outcome, isHonest: history.isHonest }
}

const nothing: Lookup = { handlerOf: () => undefined, isConcurrent: () => false }

const made = async <A>(world: World, serve: Effect.Effect<A, unknown>): Promise<A> => {
  const fiber = world.fork(serve)
  await world.rest(near)
  const exit = fiber.pollUnsafe()
  if (exit === undefined) throw new Error("the service was not made in virtual time")
  if (Exit.isFailure(exit)) throw new Error("the service could not be made", { cause: exit.cause })
  return exit.value
}

const callAfterEnd = async ({ history, world }: Setting, stage: Stage) => {
  for (const side of [0, 1] as const) {
    const caller = stage.callerOf(side)
    if (caller === undefined) continue
    const fiber = world.fork(caller.request("work"))
    await world.rest(near)
    Verdict.afterEnd(history, side, fiber.pollUnsafe())
  }
}

const act = (setting: Setting, stage: Stage, action: Action, index: number) => {
  const { history, readings, world } = setting
  if (history.isClosing) return
  switch (action._tag) {
    case "Call":
      return call(setting, stage, action)
    case "Notify":
      return notify(setting, stage, action, index)
    case "Pause":
      return pause(setting, stage, action.side, action.for)
    case "Stall":
      history.say(`${action.side} reads nothing for ${action.for}`)
      return readings[action.side].stall(world, action.for)
    case "Lose":
      history.say("all connections are lost")
      return stage.lose(action.for)
    case "Die":
      history.say(`${action.side} dies`)
      return readings[action.side].die()
    case "End":
      history.say(`${action.side} shuts down`)
      stage.end(action.side, action.for)
      return history.drain(action.side)
    case "Watch":
      return watch(setting, stage, action)
  }
}

const watch = (setting: Setting, { callerOf, reconnecting }: Stage, action: Watch) => {
  const { giveUp, side, times } = action
  const caller = callerOf(side)
  if (caller === undefined) return
  const consumer = { caller, reconnecting: side === 0 ? reconnecting : undefined }
  const fibers = Array.from({ length: times }, () => setting.world.fork(Streams.watch(setting, consumer, action)))
  if (giveUp !== undefined) setting.world.after(giveUp, () => fibers.forEach((fiber) => fiber.interruptUnsafe()))
}

const call = (setting: Setting, stage: Stage, action: Call) => {
  const { retry = (caller) => caller, scenario: { bounds }, world } = setting
  const { batch, giveUp, idempotent, side, times, work } = action
  // A batch and its reply are one text each, and a refusal may be longer than a result.
  const members = Math.max(
    1,
    Math.min(times, bounds.inFlight, Math.floor(bounds.bytes / ((work.size ?? 0) + replySize)))
  )
  const calls = Array.from({ length: batch === true ? Math.min(1, times) : times }, () => {
    const caller = stage.callerOf(side)
    if (caller === undefined) return Effect.void
    return batch === true
      ? askTogether(setting, side, caller, Array.from({ length: members }, () => work), action)
      : ask(setting, side, idempotent === true ? retry(caller) : caller, work, action)
  })
  const fibers = calls.map((effect) => world.fork(effect))
  if (giveUp !== undefined) world.after(giveUp, () => fibers.forEach((fiber) => fiber.interruptUnsafe()))
}

const notify = (setting: Setting, stage: Stage, action: Action & { readonly _tag: "Notify" }, index: number) => {
  const { side, size, times, work } = action
  const caller = stage.callerOf(side)
  if (caller === undefined) return
  const told = tell(setting, side, caller, `action ${index}`, times, work, size)
  const asking = (behind: ReadonlyArray<Noted>) =>
    action.ask === undefined ? Effect.void : ask(setting, side, caller, action.ask, {}, { behind })
  setting.world.fork(Effect.flatMap(told, asking))
}

const pause = ({ history, world }: Setting, stage: Stage, side: Side, milliseconds: number | undefined) => {
  const caller = stage.callerOf(side)
  if (caller === undefined) return
  const goOn = caller.pause()
  history.pauses[side]++
  history.say(`${side} pauses`)
  if (milliseconds === undefined) return
  world.after(milliseconds, () => {
    history.pauses[side]--
    history.say(`${side} goes on`)
    goOn()
  })
}
