/** Three nodes, one engine and one journal, and what can happen to them. */
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Dice } from "../support/Dice.ts"
import { type Call, type History, type Shared, Site } from "./Site.ts"

export const keys = ["key/0", "key/1"]

/** How often each thing happens. */
const happenings = [
  ...Array.from({ length: 14 }, () => "ask" as const),
  ...(["release", "kill", "pause", "cut", "cut", "cut", "stop"] as const),
  ...(["heal", "heal", "heal", "heal", "heal", "back", "back", "back"] as const)
]

export class World {
  readonly shared: Shared
  /** `undefined` where a node is about to start. */
  readonly sites: Array<Site | undefined> = []
  readonly #dice: Dice
  #back: ((isEmptied?: boolean) => void) | undefined

  private constructor(dice: Dice, shared: Shared) {
    this.#dice = dice
    this.shared = shared
  }

  static readonly make = (dice: Dice) =>
    Effect.gen(function*() {
      const history: History = { calls: [], taken: [], claims: [], appended: [] }
      const engine = yield* MemoryNodes.makeEngine
      const world = new World(dice, { engine, journal: yield* MemoryNodes.makeJournal(), history })
      for (const place of [0, 1, 2]) yield* world.#start(place)
      return world
    })

  /** The nodes that run. */
  get running(): ReadonlyArray<Site> {
    return this.sites.filter((site) => site !== undefined)
  }

  /** Begins a call of a node. */
  ask(site: Site, key: string, count: number, gap: number): Effect.Effect<{ call: Call; fiber: Fiber.Fiber<void> }> {
    const call: Call = { id: `${this.shared.history.calls.length}`, key, count, gap, seen: [], end: undefined }
    return Effect.map(site.ask(call), (fiber) => ({ call, fiber }))
  }

  /** Lets something happen, and some time pass. */
  get step(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const place = this.#dice.below(3)
      const key = keys[this.#dice.below(keys.length)]!
      const what = happenings[this.#dice.below(happenings.length)]!
      const site = this.sites[place]
      if (what === "stop") this.#back ??= this.shared.engine.stop()
      else if (what === "back") this.#end(this.#dice.below(2) === 0)
      else if (site !== undefined) yield* this.#happen(what, place, site, key)
      yield* TestClock.adjust(this.#dice.below(900))
    })
  }

  /** One of the ways in which a node is lost. */
  lose(site: Site): Effect.Effect<void> {
    const what = (["kill", "pause", "cut"] as const)[this.#dice.below(3)]!
    return this.#happen(what, this.sites.indexOf(site), site, "")
  }

  heal() {
    this.#end(false)
    for (const site of this.running) site.heal()
  }

  get close(): Effect.Effect<void> {
    return Effect.forEach(this.running, (site) => site.kill(), { discard: true })
  }

  #happen(what: Exclude<typeof happenings[number], "stop" | "back">, place: number, site: Site, key: string) {
    return Effect.suspend((): Effect.Effect<unknown> => {
      switch (what) {
        case "ask":
          return this.ask(site, key, this.#dice.below(12), this.#dice.below(700))
        case "release":
          // The engine may be away, or the node stand still.
          return Effect.forkDetach(site.release(key))
        case "kill":
          this.sites[place] = undefined
          return Effect.andThen(site.kill(), this.#start(place))
        case "pause":
          return Effect.sync(() => site.pause())
        case "cut":
          return Effect.sync(() => {
            site.link.isCut = true
          })
        case "heal":
          return Effect.sync(() => site.heal())
      }
    })
  }

  #start(place: number) {
    return Effect.forkDetach(Effect.map(Site.start(this.shared, `n${place}`), (site) => {
      this.sites[place] = site
    }))
  }

  #end(isEmptied: boolean) {
    this.#back?.(isEmptied)
    this.#back = undefined
  }
}
