/**
 * The laws of a journal, for any implementation of `Journal`.
 *
 * `open` gives a journal that is empty, and any number of connections to it: each stands for a process of its own. A
 * journal that is elsewhere goes away in `outages`; the laws then say what it does meanwhile, and when it is back.
 *
 * Time is that of a test or the real one: `wait` lets it pass.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { MemoryNodes } from "@parley/mesh"
 * import { Effect } from "effect"
 * import { TestClock } from "effect/testing"
 *
 * const laws = Laws.ofJournal({
 *   name: "mine",
 *   wait: (milliseconds) => TestClock.adjust(milliseconds),
 *   open: (bounds) => Effect.map(MemoryNodes.makeJournal(bounds), (journal) => Effect.succeed(journal))
 * }, { runs: 3 })
 *
 * // A test runner has a test for each law.
 * for (const law of laws.slice(0, 1)) {
 *   await Effect.runPromise(Effect.provide(law.check, TestClock.layer()))
 *   console.log(law.name) // => mine: texts have positions without a gap, each key by itself
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { Bounds, Journal } from "@parley/mesh/Journal"
import type * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Followers from "../journal/followers.ts"
import * as Keeping from "../journal/keeping.ts"
import * as Writers from "../journal/writers.ts"
import { lawsOver, property } from "../laws.ts"
import type { Outage } from "../mesh/outages.ts"
import { Time, type Timing } from "../mesh/time.ts"
import type { Law } from "./Law.ts"

export type { Connect } from "../journal/keeping.ts"
export type { Out, Outage } from "../mesh/outages.ts"
export type { Timing } from "../mesh/time.ts"

/**
 * How journals are made, and what can happen to them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Journals extends Timing {
  /** The beginning of each law's name. */
  readonly name: string
  /**
   * A journal that is empty, with these bounds, until the Scope closes. One that lets a single process write gives the
   * same connection each time.
   */
  readonly open: (bounds?: Bounds) => Effect.Effect<Keeping.Connect, unknown, Scope.Scope>
  /** How the journal goes away and comes back. */
  readonly outages?: ReadonlyArray<Outage<Journal>> | undefined
}

/**
 * The laws of any journal.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofJournal = (
  subject: Journals,
  options: Arbitrary.CheckOptions = { runs: 40 }
): ReadonlyArray<Law> => {
  const { name, open, outages = [] } = subject
  const time = new Time(subject)
  const tried = lawsOver(name, Effect.succeed(open), time)
  return [
    tried("texts have positions without a gap, each key by itself", Keeping.positions),
    tried("the newest text of a key is known", Keeping.newest),
    tried("a gap is told where a position was never there, or is no more", Keeping.gaps),
    tried("no more items are read than a reader wants, and all where it does not say", Keeping.most),
    tried("no more texts are kept than `count`, and the oldest go", Keeping.count),
    tried("no more texts are kept than who appends one wants", Keeping.lastFew),
    tried("no greater weight is kept than `weight`, but for the newest text", Keeping.weight),
    tried("nothing is kept longer than `age`", Keeping.age),
    tried("texts that are too old are none of the items that a reader wants", Keeping.mostOfYoung),
    tried("texts and keys of any content are kept as they are", Keeping.anyText),
    property(
      `${name}: it agrees with a list, whatever is appended and dropped`,
      Keeping.steps,
      (steps) => Keeping.model(open, steps),
      options
    ),
    tried("epochs are refused that are older than one that was seen", Writers.fenced),
    tried("an epoch that has dropped a key still refuses older ones, and brings no text back", Writers.dropped),
    property(
      `${name}: of many who write at once, no older epoch is behind a newer one, and each text has its place`,
      Writers.writers,
      (writers) => Writers.race(open, writers),
      options
    ),
    tried("who follows sees each text, until the key is dropped", Followers.followed),
    tried("who follows slowly holds up nobody, and is told its gap", Followers.slow),
    tried("who is busy while the key is dropped ends all the same", Followers.busy),
    ...outages.map((outage) =>
      lawsOver(`${name}, ${outage.name}`, outage.open, time)(
        "what is asked meanwhile fails in time, and it goes on",
        (out) => Followers.away(out, time, outage.isEmptied === true)
      )
    )
  ]
}
