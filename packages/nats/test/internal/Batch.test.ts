import { assert, describe, it } from "@effect/vitest"
import type { Msg } from "@nats-io/transport-node"
import { Effect } from "effect"
import { Batch } from "../../src/internal/jetstream/Batch.ts"

/** A message that a consumer brings. */
const message = (sequence: number): Msg =>
  ({ data: new TextEncoder().encode(`${sequence}`), reply: `$JS.ACK.s.c.1.${sequence}.${sequence}.1000000.0` }) as Msg

const read = (batch: Batch, count: number, brought: number) =>
  Effect.suspend(() => {
    for (let sequence = 1; sequence <= brought; sequence++) batch.take(message(sequence))
    return Effect.map(batch.complete(count), (all) => all.map(({ text }) => text).join())
  })

describe("the messages that a consumer brings", () => {
  it.effect("are all that there are", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* read(new Batch(), 3, 3), "1,2,3")
    }))

  it.effect("are none behind the one that is enough, however many come", () =>
    Effect.gen(function*() {
      const looked: Array<number> = []
      const batch = new Batch(({ seq }) => looked.push(seq) === 2)
      assert.strictEqual(yield* read(batch, 1_000, 500), "1,2")
      assert.deepStrictEqual(looked, [1, 2])
    }))
})
