/** A run of a seed: a turmoil, a calm, and the loss of one node that others wait for. */
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Dice } from "../support/Dice.ts"
import { settled } from "../support/nodes.ts"
import * as Judge from "./Judge.ts"
import type { Call } from "./Site.ts"
import { keys, World } from "./World.ts"

/** The problem of the run of a seed. */
export const run = (seed: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const world = yield* World.make(new Dice(seed))
    const { history, journal } = world.shared
    yield* settled
    for (let step = 0; step < 80; step++) yield* world.step
    world.heal()
    // All that was asked has an end by then: a lease, what the handlers take, and the attempts of each.
    yield* seconds(40)
    const verdicts = [...Judge.calls(history), ...Judge.owners(world.running)]
    const calm = yield* asked(world)
    verdicts.push(...Judge.recovery(world.running.length, calm))
    const pending = yield* waiting(world)
    yield* seconds(7)
    verdicts.push(...Judge.told(pending), ...Judge.claims(history))
    for (const key of keys) verdicts.push(...Judge.journal(history, key, yield* journal.read(key, 0)))
    yield* world.close
    return verdicts
  }).pipe(Effect.orDie, Effect.provide(Logger.layer([])))

const seconds = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => TestClock.adjust("1 second"), { discard: true })

/** A call of each node for each key, one after the other. */
const asked = (world: World) =>
  Effect.gen(function*() {
    const calls: Array<Call> = []
    for (const site of world.running) {
      for (const key of keys) {
        const { call, fiber } = yield* world.ask(site, key, 3, 100)
        for (let tries = 0; tries < 20 && fiber.pollUnsafe() === undefined; tries++) yield* seconds(1)
        calls.push(call)
      }
    }
    return calls
  })

/** Calls of other nodes that the owner of a key is answering when it is lost. */
const waiting = (world: World) =>
  Effect.gen(function*() {
    const [key = ""] = keys
    const owner = world.running.find((site) => site.has(key))
    if (owner === undefined) return []
    const others = world.running.filter((site) => site !== owner)
    const pending = yield* Effect.forEach(others, (site) => world.ask(site, key, 60, 500))
    yield* seconds(1)
    yield* world.lose(owner)
    return pending.map(({ call }) => call)
  })
