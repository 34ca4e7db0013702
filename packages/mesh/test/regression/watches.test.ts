/** A node asks those that answer it whether they still do, over an engine that takes its time. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Overloaded } from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Deferred, Effect, Exit, Stream } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "../support/nodes.ts"

describe("a call that begins while other nodes are asked whether they answer", () => {
  it.effect("is not taken for one that nobody waits for", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryNodes.makeEngine
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

describe("a node that is cut off from an engine, whose every request takes two seconds", () => {
  it.effect("is told within a lease and a beat that the answers to its calls do not come", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryNodes.makeEngine
      let isCut = false
      const late = Effect.andThen(
        Effect.sleep("2 seconds"),
        Effect.fail(new Overloaded({ key: "engine", reason: "it does not answer" }))
      )
      const cut: typeof engine = {
        ...engine,
        beat: (...beat) => isCut ? late : engine.beat(...beat),
        publish: (...text) => isCut ? late : engine.publish(...text),
        subscribe: (node, onText) => engine.subscribe(node, (text) => isCut ? undefined : onText(text))
      }
      const [a, b] = [yield* MeshNode.make(cut), yield* MeshNode.make(engine)]
      yield* a.claim("key")
      yield* b.serve(
        "name",
        (_, answer) => Effect.andThen(Effect.andThen(Effect.sleep("1800 millis"), answer("heard")), Effect.never)
      )
      const call = yield* Effect.forkChild(Effect.exit(Stream.runDrain(a.call({ name: "name", node: b.node }, "x"))))
      yield* TestClock.adjust("1900 millis")
      isCut = true
      yield* TestClock.adjust("3 seconds")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isDefined(call.pollUnsafe())
    }))
})
