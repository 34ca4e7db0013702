/** An engine delivers a text at most once: one that is lost costs no more than a beat. */
import { assert, describe, it } from "@effect/vitest"
import type * as MemoryEngine from "@parley/mesh/MemoryEngine"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { settled, two } from "./support/nodes.ts"

/** Loses the frames of these kinds. */
const losing = (kind: string) => (engine: MemoryEngine.MemoryEngine): MeshEngine => ({
  ...engine,
  publish: (node, to, text) => text.startsWith(`["${kind}"`) ? Effect.succeed(true) : engine.publish(node, to, text)
})

describe("a word of the mesh that is lost", () => {
  it.effect("of how much was read does not hold up an answer for good", () =>
    Effect.gen(function*() {
      const { a, b } = yield* two(losing("more"), { window: 100 })
      yield* b.serve("name", (_, answer) =>
        Effect.forEach(Array.from({ length: 30 }), () => answer("x".repeat(10)), { discard: true }))
      const reading = yield* Effect.forkChild(Stream.runCollect(a.call({ name: "name", node: b.node }, "x")))
      yield* settled
      yield* TestClock.adjust("1 minute")
      yield* settled
      assert.lengthOf(yield* Fiber.join(reading), 30)
    }))

  it.effect("that a caller has left still interrupts who answers, though their nodes have other business", () =>
    Effect.gen(function*() {
      const { a, b } = yield* two(losing("stop"))
      const ended = yield* Deferred.make<void>()
      yield* a.serve("name", () => Effect.never)
      yield* b.serve("name", () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined)))
      yield* Effect.forkChild(Stream.runDrain(b.call({ name: "name", node: a.node }, "x")))
      const reading = yield* Effect.forkChild(Stream.runDrain(a.call({ name: "name", node: b.node }, "x")))
      yield* settled
      yield* Fiber.interrupt(reading)
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* Deferred.isDone(ended))
    }))
})

describe("a node that was heard long ago", () => {
  it.effect("has its time when it is called again", () =>
    Effect.gen(function*() {
      const { a, b, engine } = yield* two((engine) => engine)
      yield* b.serve("name", () => Effect.as(Effect.sleep("2 seconds"), "late"))
      // A word that comes when nothing is under way any more.
      yield* engine.publish(b.node, a.node, `["alive","${b.node}",0,0]\n`)
      yield* TestClock.adjust("1 hour")
      const reading = yield* Effect.forkChild(Stream.runCollect(a.call({ name: "name", node: b.node }, "x")))
      yield* settled
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.deepStrictEqual(yield* Fiber.join(reading), ["late"])
    }))
})
