/**
 * The cost of one call, item, member or text does not depend on how many there are: what is looked at for each is
 * counted with some of them, and with four times as many.
 */
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import type { Subjects } from "../../src/loaded/Row.ts"
import { rows } from "../../src/loaded/rows.ts"
import { type Counting, start } from "../support/Looks.ts"

/** How many there are at first. */
const few: { readonly [row: string]: number } = {
  "loaded/calls": 1_100,
  "loaded/subscriptions": 64,
  "loaded/connections": 64,
  "loaded/waiting": 32,
  "loaded/sliding": 1_000,
  "loaded/batches": 250,
  "loaded/listeners": 64,
  "loaded/chunk": 400,
  "loaded/broadcast": 64
}

/** How much more may be looked at for each where there are four times as many. */
const most = 1.2

let counting: Counting

beforeAll(async () => {
  counting = await start()
  // Other tests have imported the sources before.
  vi.resetModules()
}, 60_000)

afterAll(async () => {
  await counting.stop()
  // What was compiled while it counted would go on counting in other tests.
  vi.resetModules()
})

const perUnit = async (open: Subjects["parley"], count: number) => {
  const load = await open(count)
  await load.prepare?.()
  let units = 0
  const { bytes, most, steps } = await counting.count(async () => {
    units = await load.turn()
  })
  await load.close()
  return { steps: steps / units, bytes: bytes / units, most }
}

describe("what is looked at for one unit does not depend on how many there are", () => {
  it.each(rows)("loaded/$name", async ({ name }) => {
    const { subjects }: { readonly subjects: Subjects } = await import(`../../src/loaded/subjects/${name}.ts`)
    const count = few[`loaded/${name}`] ?? 0
    // What is compiled at first would count as allocated.
    await perUnit(subjects.parley, 16)
    const [less, more] = [await perUnit(subjects.parley, count), await perUnit(subjects.parley, 4 * count)]
    assert.isAbove(less.steps, 1)
    assert.isBelow(more.steps / less.steps, most, `it runs most often: ${more.most.join(", ")}`)
    assert.isBelow(more.bytes / less.bytes, most, "bytes")
  })
})
