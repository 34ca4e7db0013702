/**
 * The laws of an engine of a mesh, for any implementation of `MeshEngine`, and of the nodes over it.
 *
 * `open` gives an engine that is empty, and any number of connections to it: each stands for a process of its own. An
 * engine that is elsewhere goes away in `outages`; the laws then say what it does meanwhile, and when it is back. `cut`
 * cuts some connections off, while others go on.
 *
 * Time is that of a test or the real one: `wait` lets it pass.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { MemoryNodes } from "@parley/mesh"
 * import { Effect } from "effect"
 * import { TestClock } from "effect/testing"
 *
 * const laws = Laws.ofEngine({
 *   name: "mine",
 *   wait: (milliseconds) => TestClock.adjust(milliseconds),
 *   open: Effect.map(MemoryNodes.makeEngine, (engine) => Effect.succeed(engine))
 * }, { runs: 3 })
 *
 * // A test runner has a test for each law.
 * for (const law of laws.slice(0, 1)) {
 *   await Effect.runPromise(Effect.provide(law.check, TestClock.layer()))
 *   console.log(law.name) // => mine: a key has one owner, who is known to all
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import type * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { lawsOver, property } from "../laws.ts"
import * as Claims from "../mesh/claims.ts"
import type { Connect } from "../mesh/connections.ts"
import * as Delivery from "../mesh/delivery.ts"
import * as Lives from "../mesh/lives.ts"
import * as Answers from "../mesh/nodes/answers.ts"
import * as Owners from "../mesh/nodes/owners.ts"
import * as Outages from "../mesh/outages.ts"
import { some } from "../mesh/texts.ts"
import { Time, type Timing } from "../mesh/time.ts"
import type { Law } from "./Law.ts"

export type { Connect } from "../mesh/connections.ts"
export type { Cut, Out, Outage } from "../mesh/outages.ts"
export type { Timing } from "../mesh/time.ts"

/**
 * How engines are made, and what can happen to them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Engines extends Timing {
  /** The beginning of each law's name. */
  readonly name: string
  /** An engine that is empty, until the Scope closes. */
  readonly open: Effect.Effect<Connect, unknown, Scope.Scope>
  /** The same, where no more than about 200,000 characters are under way at once. `open` by default. */
  readonly narrow?: Effect.Effect<Connect, unknown, Scope.Scope> | undefined
  /** `"unknown"` where an engine cannot tell that nobody hears a text. */
  readonly deaf?: "unknown" | undefined
  /** How the engine goes away and comes back. */
  readonly outages?: ReadonlyArray<Outages.Outage<MeshEngine>> | undefined
  /** How connections are cut off, while those of `aside` go on. */
  readonly cut?: Effect.Effect<Outages.Cut, unknown, Scope.Scope> | undefined
}

/**
 * The laws of any engine.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofEngine = (
  subject: Engines,
  options: Arbitrary.CheckOptions = { runs: 20 }
): ReadonlyArray<Law> => {
  const { cut, deaf, name, open, outages = [] } = subject
  const time = new Time(subject)
  const tried = lawsOver(name, open, time)
  const lost = (outage: Outages.Outage<MeshEngine>) => {
    const tried = lawsOver(`${name}, ${outage.name}`, outage.open, time)
    return [
      tried("while it is away, what is asked of it fails in time, and it is found again", Outages.away),
      tried("epochs do not go back", Outages.epochs),
      tried("owners keep their keys", Outages.owners),
      ...(outage.isEmptied === true
        ? [tried("a key whose owner has not come back yet is not said to be nobody's", Outages.ownersUnknown)]
        : []),
      ...(outage.ownersFirst === true
        ? [tried("owners keep their keys whose leases have run out meanwhile", Outages.ownersFirst)]
        : []),
      tried("nodes hear again, no text twice and none that was refused", Outages.hearsAgain)
    ]
  }
  return [
    tried("a key has one owner, who is known to all", Claims.oneOwner),
    tried("the epochs of a key grow, whoever claims it, and when it was free", Claims.epochsGrow),
    tried("of many that race to claim a key, one owns it", Claims.race),
    tried("owners exclude each other, and their epochs grow", Claims.exclusion),
    tried("a key is any text", Claims.anyKey),
    tried("an older claim neither keeps nor frees a key", Claims.olderClaims),
    tried("a silent node loses its keys, and gets those back that nobody has claimed", Claims.deadOwners),
    tried("a node that beats lives, and one that is silent does not", Lives.beats),
    tried("a node that leaves frees its keys at once, and is a member of nothing", Lives.leaving),
    tried("the members of a name are those that have joined, whatever its text", Lives.members),
    property(
      `${name}: texts arrive in order, each once`,
      some,
      (texts) => Effect.flatMap(open, (connect) => Delivery.inOrder(connect, time, texts)),
      options
    ),
    tried("texts of any content and size arrive as they are", Delivery.anyText),
    tried("texts of many nodes arrive in the order of each", Delivery.manySenders),
    tried("a flood of texts arrives in order, but for what was refused", Delivery.flood),
    lawsOver(name, subject.narrow ?? open, time)(
      "a full queue waits: more texts at once arrive, none refused",
      Delivery.waits
    ),
    ...(deaf === "unknown" ? [] : [tried("a text that nobody hears is known not to be sent", Delivery.nobodyHears)]),
    ...outages.flatMap(lost),
    ...(cut === undefined ? [] : [
      ...lost({ name: "cut off", open: cut }),
      lawsOver(`${name}, cut off`, cut, time)("a node loses its keys, is told, and hears again", Outages.cutOff)
    ])
  ]
}

/**
 * The laws of the nodes of a mesh over any engine.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofNodes = (subject: Engines): ReadonlyArray<Law> => {
  const { name, open, outages = [] } = subject
  const time = new Time(subject)
  const tried = lawsOver(name, open, time)
  return [
    tried("a text reaches the owner of a key and the node of a name, and is answered as it is", Answers.reached),
    tried("a text that nobody takes is an error", Answers.nobody),
    tried("an answer comes in order and to its end, at the pace of its reader", Answers.paced),
    tried("an answer that nobody reads any more interrupts who gives it", Answers.left),
    tried("an answer of a handler that dies ends with OwnerGone", Answers.died),
    tried("many answers at once come whole, and nothing runs for those who have left", Answers.many),
    lawsOver(name, subject.narrow ?? open, time)(
      "a full queue waits: no owner that lives is said to be gone",
      Answers.waits
    ),
    tried("an answer that the engine refuses for a moment arrives all the same", Answers.refusedForNow),
    tried("texts are taken in the order in which they were sent", Answers.ordered),
    tried("a text beyond the inbox is refused, but for one that comes alone", Answers.full),
    tried("a text for a group reaches all other nodes", Answers.grouped),
    tried("a key has one owner, and is free when its claim or its node ends", Owners.freed),
    tried("a key stays with an owner that lives", Owners.lives),
    tried("a key of a node that has died is another's, and who waits for it is told", Owners.dies),
    tried("a node that dies interrupts those who answer it", Owners.callerDies),
    tried("a node that stood still is told what it has lost, and keeps the rest", Owners.stoodStill),
    ...outages.map((outage) =>
      lawsOver(`${name}, ${outage.name}`, outage.open, time)(
        "calls fail in time, and work again with the same owner",
        Owners.engineAway
      )
    )
  ]
}
