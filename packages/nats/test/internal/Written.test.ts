import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { Written } from "../../src/internal/connection/Written.ts"
import { NatsError } from "../../src/NatsClient.ts"

const gone = new NatsError({ subject: "a", reason: { _tag: "Disconnected" } })

/** Pings that are answered by hand. */
const pinged = (enough = 1) => {
  const pings: Array<PromiseWithResolvers<void>> = []
  let losses = 0
  const written = new Written(enough, () => {
    const ping = Promise.withResolvers<void>()
    pings.push(ping)
    return ping.promise
  }, () => losses++)
  return { pings, written, losses: () => losses }
}

const turns = Effect.promise(async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
})

describe("bytes that are under way", () => {
  it.effect("are covered by one ping for each turn, and are taken with its answer", () =>
    Effect.gen(function*() {
      const { pings, written } = pinged()
      for (const bytes of [10, 20, 30]) written.add(bytes)
      const first = yield* Effect.forkChild(written.flushed, { startImmediately: true })
      yield* turns
      assert.lengthOf(pings, 1)
      written.add(40)
      const second = yield* Effect.forkChild(written.flushed, { startImmediately: true })
      assert.strictEqual(written.pending, 100)
      pings[0]?.resolve()
      yield* turns
      assert.strictEqual(written.pending, 40)
      assert.isDefined(first.pollUnsafe())
      assert.isUndefined(second.pollUnsafe())
      assert.lengthOf(pings, 2)
      pings[1]?.resolve()
      yield* Fiber.join(second)
      assert.strictEqual(written.pending, 0)
    }))

  it.effect("are no reason for a ping while they are few and nobody waits", () =>
    Effect.gen(function*() {
      const { pings, written } = pinged(100)
      written.add(99)
      yield* turns
      assert.lengthOf(pings, 0)
      written.add(1)
      yield* turns
      assert.lengthOf(pings, 1)
      written.add(99)
      pings[0]?.resolve()
      yield* turns
      assert.strictEqual(written.pending, 99)
      assert.lengthOf(pings, 1)
    }))

  it.effect("are forgotten when the connection is gone, and those who wait are told", () =>
    Effect.gen(function*() {
      const { losses, pings, written } = pinged()
      written.add(10)
      const waiting = yield* Effect.forkChild(Effect.exit(written.flushed), { startImmediately: true })
      yield* turns
      pings[0]?.reject(new Error("gone"))
      yield* turns
      assert.strictEqual(losses(), 1)
      written.lose(gone)
      assert.deepStrictEqual(yield* Fiber.join(waiting), Exit.fail(gone))
      assert.strictEqual(written.pending, 0)
    }))

  it.effect("are none where nothing was written, and the server is asked all the same", () =>
    Effect.gen(function*() {
      const { pings, written } = pinged()
      const waiting = yield* Effect.forkChild(written.flushed, { startImmediately: true })
      yield* turns
      assert.isUndefined(waiting.pollUnsafe())
      pings[0]?.resolve()
      yield* Fiber.join(waiting)
    }))
})
