/** What this process holds: handles, listeners of events, memory. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

export type Held = Readonly<Record<string, number>>

/** How many of each: what keeps the process alive, and who listens to it. */
export const held = (): Held => {
  const resources = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind)
  return Object.fromEntries([
    // What makes others wait in these laws is the scheduler's own.
    ...[...resources].filter(([kind]) => kind !== "Immediate").map(([kind, same]) => [kind, same.length]),
    ...process.eventNames().map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)])
  ])
}

/** Real time, whatever the clock of the test. */
export const pause = Effect.promise(() => setTimeout(10))

const used = () => {
  collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/**
 * The memory that is left when so many collections have freed no more than these bytes: some garbage needs turns of the
 * event loop between.
 */
const settled = (times: number, bytes = 64 * 1024) =>
  Effect.gen(function*() {
    let least = Infinity
    for (let same = 0; same < times; same++) {
      const now = used()
      if (now < least - bytes) same = 0
      least = Math.min(least, now)
      yield* pause
    }
    return least
  })

/** Right to a few mebibytes. */
export const roughMemory = settled(2, 1024 * 1024)

export const memory = settled(5)

/** Waits until this holds, but not for ever. */
export const until = (holds: () => boolean) =>
  Effect.gen(function*() {
    for (let times = 0; times < 2_000 && !holds(); times++) yield* pause
  })

/** Waits until there is no more than before, and says what there is. */
export const returnsTo = (before: Held) =>
  Effect.gen(function*() {
    const more = () => Object.entries(held()).filter(([name, count]) => count > (before[name] ?? 0))
    yield* until(() => more().length === 0)
    assert.deepStrictEqual(more(), [])
  })
