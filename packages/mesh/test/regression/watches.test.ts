/** The nodes that answer a node are asked one after the other whether they still do, by an engine that takes its time. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryEngine from "@parley/mesh/MemoryEngine"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Deferred, Effect, Exit, Stream } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "../support/nodes.ts"

describe("a call that begins while other nodes are asked whether they answer", () => {
  it.effect("is not taken for one that nobody waits for", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryEngine.make
      const asked = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      // The first watch is under way until it may go on.
      const slow: typeof engine = {
        ...engine,
        publish: (node, to, text) =>
          text.startsWith(`["watch"`) && !Deferred.isDoneUnsafe(asked)
            ? Effect.andThen(
              Deferred.succeed(asked, undefined),
              Effect.andThen(Deferred.await(goOn), engine.publish(node, to, text))
            )
            : engine.publish(node, to, text)
      }
      const [a, b, c] = [yield* MeshNode.make(slow), yield* MeshNode.make(slow), yield* MeshNode.make(slow)]
      const end = yield* Deferred.make<string>()
      for (const mesh of [b, c]) yield* mesh.serve("name", () => Deferred.await(end))
      const call = (node: string) => Effect.forkChild(Stream.runCollect(a.call({ name: "name", node }, "x")))
      const calls = [yield* call(b.node), yield* call(c.node)]
      yield* settled
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(asked)
      calls.push(yield* call(c.node))
      yield* settled
      yield* Deferred.succeed(goOn, undefined)
      yield* settled
      yield* Deferred.succeed(end, "end")
      yield* settled
      assert.deepStrictEqual(calls.map((fiber) => fiber.pollUnsafe()), calls.map(() => Exit.succeed(["end"])))
    }))
})
