/**
 * Conversations in virtual time: a seed gives a scenario, a scenario gives a run, and the run is always the same.
 *
 * A scenario is plain data: bounds that are small enough to be met, links that are full, late, cut or lost, and what
 * the sides do and when. Handlers take any time, ask back, notify, report progress, fail, or go on until they are
 * interrupted; streams stay open; callers give up; a side shuts down, and another one takes its place. A run goes on
 * until nothing moves, and then asks whether anybody waits who could go on. Then both sides are closed, and everything
 * must end.
 *
 * This module owns what users see: scenarios, runs, shrinking, and laws over many seeds, for the handlers of the
 * simulation or for a service of one's own. It uses public constructors only: `Peer.make`, `Session.make`,
 * `Exchange.make`, `Router.make` and `Reconnecting.make`.
 *
 * ```ts run
 * import { Simulation } from "@parley/conformance"
 * import { Effect } from "effect"
 *
 * const scenario = Simulation.generate(7)
 * const { history, violations } = await Effect.runPromise(Simulation.replay(scenario))
 * const again = await Effect.runPromise(Simulation.replay(scenario))
 *
 * console.log(violations) // => []
 * console.log(history.join() === again.history.join()) // => true
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type { Wrapping } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Law, LawBroken } from "./internal/laws/Law.ts"
import * as Generator from "./internal/simulation/Generator.ts"
import type { Rule } from "./internal/simulation/History.ts"
import * as Performance from "./internal/simulation/Performance.ts"
import * as Reduction from "./internal/simulation/Reduction.ts"
import type { Kind, Scenario } from "./internal/simulation/Scenario.ts"

export type { Draw, OwnCall } from "./internal/simulation/Generator.ts"
export type { Rule, Violation } from "./internal/simulation/History.ts"
export type { Ended, Outcome, Served } from "./internal/simulation/Performance.ts"
export type {
  Action,
  Bounds,
  Call,
  Kind,
  Links,
  Notify,
  Scenario,
  Side,
  Watch,
  Work
} from "./internal/simulation/Scenario.ts"

/** Every kind of conversation. @category constants @since 0.1.0 */
export const kinds: readonly [Kind, ...ReadonlyArray<Kind>] = ["peer", "session", "post", "reconnecting"]

/**
 * A service of one's own. Its handlers may sleep: their clock is that of the simulation. A handler
 * that waits for something in the real world cannot be simulated.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /** Makes the service anew for each run. */
  readonly make: Effect.Effect<Performance.Served, unknown, Scope.Scope>
  /** Draws a call of it. */
  readonly call: (draw: Generator.Draw) => Generator.OwnCall
}

/**
 * Replacements for parts of the simulation.
 *
 * @category models
 * @since 0.1.0
 */
export interface Parts {
  /** The service that is called instead of the handlers of the simulation. */
  readonly service?: Service | undefined
  /** Side 0 makes calls through it that may be made twice, such as `Retry.caller`. Only `reconnecting` has them. */
  readonly retry?: ((caller: Caller) => Caller) | undefined
  /** Both sides wrap their transport in it. Only `peer` and `reconnecting` have transports. It must not wait. */
  readonly wrapping?: Wrapping | undefined
}

/**
 * Which runs a law makes.
 *
 * @category models
 * @since 0.1.0
 */
export interface SimulationOptions extends Parts {
  /** `peer` by default. */
  readonly kind?: Kind | undefined
  /** The first seed; 0 by default. */
  readonly from?: number | undefined
  /** How many seeds; 1,000 by default. */
  readonly seeds?: number | undefined
}

/**
 * The scenario of a seed, with calls of a service of one's own if there is one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const generate = (seed: number, kind: Kind = "peer", { service }: Parts = {}): Scenario =>
  Generator.scenarioOf(seed, kind, service?.call)

/**
 * Runs a scenario. The same scenario gives the same outcome.
 *
 * @category running
 * @since 0.1.0
 */
export const replay = (scenario: Scenario, parts: Parts = {}): Effect.Effect<Performance.Outcome> =>
  Effect.promise(async () => (await perform(scenario, parts)).outcome)

/**
 * The shortest scenario that still breaks a rule: actions are left out, and numbers made smaller, in at most so many
 * runs (1,000 by default).
 *
 * @category running
 * @since 0.1.0
 */
export const shrink = (
  scenario: Scenario,
  rule: Rule,
  options: Parts & { readonly runs?: number | undefined } = {}
): Effect.Effect<Scenario> =>
  Effect.promise(async () => {
    const { isHonest } = await perform(scenario, options)
    // Texts that are beyond the limits are a fault of their own.
    const hasFault = async (candidate: Scenario) => {
      const found = await perform(candidate, options)
      return found.isHonest === isHonest && broken(found.outcome).includes(rule)
    }
    return Reduction.reduce(scenario, hasFault, options.runs ?? 1_000)
  })

/**
 * The law that no seed breaks a rule. Its failure shows the shortest scenario, as data for `replay`, and its history.
 *
 * @category laws
 * @since 0.1.0
 */
export const law = (
  name: string,
  { from = 0, kind = "peer", seeds = 1_000, ...parts }: SimulationOptions = {}
): Law => ({
  name,
  check: Effect.gen(function*() {
    for (let seed = from; seed < from + seeds; seed++) {
      const scenario = generate(seed, kind, parts)
      const { violations: [first] } = yield* replay(scenario, parts)
      if (first === undefined) continue
      const shortest = yield* shrink(scenario, first.rule, parts)
      return yield* new LawBroken({ law: name, reason: told(seed, yield* replay(shortest, parts)) })
    }
  })
})

const told = (seed: number, { history, scenario, violations }: Performance.Outcome) =>
  [
    `seed ${seed} breaks ${violations.map(({ detail, rule }) => `${rule}: ${detail}`).join("\n")}`,
    `Simulation.replay(${JSON.stringify(scenario)})`,
    ...history
  ].join("\n")

const broken = ({ violations }: Performance.Outcome) => violations.map(({ rule }) => rule)

const perform = (scenario: Scenario, { retry, service, wrapping }: Parts) =>
  Performance.perform(scenario, { make: service?.make, retry, wrapping })
