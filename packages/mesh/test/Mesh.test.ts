import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type * as Mesh from "@parley/mesh/Mesh"
import { Overloaded } from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Clock, Deferred, Effect, Exit, Fiber, Logger, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { settled, three } from "./support/nodes.ts"

/** Answers with what it was sent, and who was asked. */
const echo = (mesh: Mesh.Mesh, name = "session") =>
  mesh.serve(name, ({ text }, answer) => Effect.as(answer(text), mesh.node))

const claimed = Effect.fnUntraced(function*(mesh: Mesh.Mesh, key: string) {
  const scope = yield* Scope.make()
  const lease = yield* Scope.provide(mesh.claim(key), scope)
  return { lease, release: Scope.close(scope, Exit.void) }
})

const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("a key", () => {
  it.effect("stays with an owner that lives, for as long as it likes", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three()
      yield* a.claim("session/1")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* b.owner("session/1"), a.node)
    }))

  it.effect("is free within a lease when its owner dies, and not before", () =>
    Effect.gen(function*() {
      const { engine, nodes: [a, b] } = yield* three({ lease: "3 seconds" })
      const lease = yield* a.claim("session/1")
      engine.kill(a.node)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* tagOf(Effect.scoped(b.claim("session/1"))), "Claimed")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* b.owner("session/1"), undefined)
      assert.isAbove((yield* b.claim("session/1")).epoch, lease.epoch)
    }))

  it.effect("is lost to who stands still for too long, and it is told when it wakes up", () =>
    Effect.gen(function*() {
      const { engine, nodes: [a, b] } = yield* three()
      const lease = yield* a.claim("session/1")
      const lost = yield* Effect.forkChild(lease.lost)
      const resume = engine.pause(a.node)
      yield* TestClock.adjust("10 seconds")
      const next = yield* b.claim("session/1")
      assert.isAbove(next.epoch, lease.epoch)
      assert.isUndefined(lost.pollUnsafe())
      resume()
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(lost)
      // It can be told of nothing that is of no concern to it any more.
      assert.strictEqual(yield* b.owner("session/1"), b.node)
      const error = yield* Effect.flip(Effect.scoped(a.claim("session/1")))
      assert.deepInclude(error, { _tag: "Claimed", owner: b.node })
    }))
})

describe("a node that has stood still", () => {
  it.effect("keeps the keys that nobody has claimed since, and loses those that somebody has had, though they are free", () =>
    Effect.gen(function*() {
      const { engine, nodes: [a, b] } = yield* three()
      const [kept, freed] = [yield* a.claim("session/1"), yield* a.claim("session/2")]
      const lost = yield* Effect.forkChild(freed.lost)
      const resume = engine.pause(a.node)
      yield* TestClock.adjust("10 seconds")
      yield* (yield* claimed(b, "session/2")).release
      resume()
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(lost)
      assert.strictEqual(yield* b.owner("session/1"), a.node)
      assert.isUndefined((yield* Effect.forkChild(kept.lost, { startImmediately: true })).pollUnsafe())
      assert.strictEqual(yield* tagOf(Effect.scoped(b.claim("session/1"))), "Claimed")
    }))
})

describe("a text", () => {
  it.effect("that nobody takes is an error, never silence", () =>
    Effect.gen(function*() {
      const { engine, nodes: [a, b] } = yield* three()
      const to = { key: "session/1" }
      assert.strictEqual(yield* tagOf(a.send(to, "x")), "NoOwner")
      assert.strictEqual(yield* tagOf(a.send({ name: "session" }, "x")), "NoOwner")
      assert.strictEqual(yield* tagOf(a.send({ name: "session", node: b.node }, "x")), "NoOwner")
      // Its owner serves no such name.
      yield* b.claim("session/1")
      assert.strictEqual(yield* tagOf(Stream.runDrain(a.call(to, "x"))), "NoOwner")
      engine.kill(b.node)
      assert.deepInclude(yield* Effect.flip(a.send(to, "x")), { _tag: "OwnerGone", node: b.node, sent: false })
    }))

  it.effect("for a key does not reach a node that has lost it", () =>
    Effect.gen(function*() {
      const { engine, nodes: [a, b] } = yield* three()
      yield* echo(a)
      yield* echo(b)
      yield* a.claim("session/1")
      const resume = engine.pause(a.node)
      const early = yield* Effect.forkChild(Effect.flip(b.send({ key: "session/1" }, "x")))
      yield* settled
      yield* TestClock.adjust("4 seconds")
      yield* b.claim("session/1")
      resume()
      yield* TestClock.adjust("1 second")
      assert.include(["NoOwner", "OwnerGone"], (yield* Fiber.join(early))._tag)
    }))

  it.effect("that was sent counts as taken when its handler has begun, however long that takes", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three()
      yield* b.serve("name", () => Effect.never)
      yield* a.send({ name: "name", node: b.node }, "x")
    }))
})

describe("a text that is none of a mesh", () => {
  it.effect("is dropped, whatever it is, and one that answers nothing does nothing", () =>
    Effect.gen(function*() {
      const { engine, nodes: [a, b] } = yield* three()
      yield* echo(b, "name")
      const head = (...head: ReadonlyArray<unknown>) => `${JSON.stringify(head)}\nx`
      const texts = [
        "",
        "\n",
        "x\nx",
        "[]\n",
        head("call", a.node, 1),
        head("eval", a.node, 1, "name"),
        head("call", 1, 1, "name"),
        head("call", a.node, 1.5, "name"),
        head("call", a.node, 1, { name: "name" }),
        head("call", a.node, 1, "x".repeat(20_000)),
        head("item", a.node, 1, 0),
        head("end", b.node, 7, 0),
        head("more", a.node, 7, 100),
        head("stop", a.node, 7, 0),
        head("alive", a.node, 0, 0),
        head("watch", a.node, 0, 0)
      ]
      for (const text of texts) yield* engine.publish(a.node, b.node, text)
      for (const text of texts) yield* engine.publish(b.node, a.node, text)
      assert.deepStrictEqual(yield* Stream.runCollect(a.call({ name: "name", node: b.node }, "x")), ["x", b.node])
    }))
})

describe("what is beyond the inbox of a node", () => {
  it.effect("is refused at its sender, but for a text that comes alone", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three({ inbox: 100 })
      const goOn = yield* Deferred.make<void>()
      yield* b.serve("name", () => Deferred.await(goOn))
      const send = (length: number) => a.send({ name: "name", node: b.node }, "x".repeat(length))
      yield* send(1_000)
      const error = yield* Effect.flip(send(1))
      assert.strictEqual(error._tag, "Overloaded")
      assert.include(error.message, "`inbox`")
      yield* Deferred.succeed(goOn, undefined)
      yield* settled
      yield* send(50)
    }))
})

describe("an answer", () => {
  it.effect("that nobody reads any more interrupts who gives it at once", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three()
      const ended = yield* Deferred.make<void>()
      const given = (answer: (text: string) => Effect.Effect<void>) => Effect.andThen(answer("x"), Effect.never)
      yield* b.serve("name", (_, answer) => Effect.onInterrupt(given(answer), () => Deferred.succeed(ended, undefined)))
      yield* Stream.runDrain(Stream.take(a.call({ name: "name", node: b.node }, "x"), 1))
      yield* Deferred.await(ended)
    }))

  it.effect("ends with OwnerGone when its node dies, or is silent for a lease", () =>
    Effect.gen(function*() {
      const { engine, nodes: [a, b, c] } = yield* three()
      for (const mesh of [b, c]) yield* mesh.serve("name", () => Effect.never)
      const waiting = (node: string) =>
        Effect.forkChild(Effect.flip(Stream.runDrain(a.call({ name: "name", node }, "x"))), { startImmediately: true })
      const [died, stood] = [yield* waiting(b.node), yield* waiting(c.node)]
      yield* TestClock.adjust("1 hour")
      engine.kill(b.node)
      const resume = engine.pause(c.node)
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(yield* Fiber.join(died), { _tag: "OwnerGone", node: b.node, sent: true })
      assert.isUndefined(stood.pollUnsafe())
      yield* TestClock.adjust("3 seconds")
      assert.deepInclude(yield* Fiber.join(stood), { _tag: "OwnerGone", node: c.node, sent: true })
      resume()
    }))

  it.effect("outlasts any silence while both live", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three()
      const goOn = yield* Deferred.make<string>()
      yield* b.serve("name", () => Deferred.await(goOn))
      const reading = yield* Effect.forkChild(Stream.runCollect(a.call({ name: "name", node: b.node }, "x")))
      yield* TestClock.adjust("1 hour")
      yield* Deferred.succeed(goOn, "late")
      assert.deepStrictEqual(yield* Fiber.join(reading), ["late"])
    }))
})

describe("a node that closes", () => {
  it.effect("frees its keys at once, and ends what it answers and what it waits for", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { nodes: [a, b] } = yield* three()
      const { release } = yield* claimed(a, "session/1")
      yield* Scope.provide(a.serve("session", () => Effect.never), scope)
      const waiting = yield* Effect.forkChild(Effect.flip(Stream.runDrain(b.call({ key: "session/1" }, "x"))))
      yield* settled
      yield* Scope.close(scope, Exit.void)
      yield* release
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "OwnerGone")
      assert.strictEqual((yield* b.claim("session/1")).key, "session/1")
    }))
})

describe("an engine that goes away", () => {
  it.effect("is asked again what a node has lost, where it went away before it could say so", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryNodes.makeEngine
      let fails = 2
      const away = Effect.fail(new Overloaded({ key: "engine", reason: "away" }))
      const keep: typeof engine.keep = (...key) => fails-- > 0 ? away : engine.keep(...key)
      const a = yield* MeshNode.make({ ...engine, keep })
      const b = yield* MeshNode.make(engine)
      const lost = yield* Effect.forkChild((yield* a.claim("session/1")).lost)
      const resume = engine.pause(a.node)
      yield* TestClock.adjust("10 seconds")
      yield* b.claim("session/1")
      resume()
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(lost)
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("leaves keys to their owners, and the log says so once, and once that it is back", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      yield* Effect.gen(function*() {
        const engine = yield* MemoryNodes.makeEngine
        let isAway = false
        const away = Effect.fail(new Overloaded({ key: "engine", reason: "away" }))
        const a = yield* MeshNode.make({ ...engine, beat: (...beat) => isAway ? away : engine.beat(...beat) })
        const lost = yield* Effect.forkChild((yield* a.claim("session/1")).lost)
        isAway = true
        yield* TestClock.adjust("10 seconds")
        assert.isUndefined(lost.pollUnsafe())
        assert.match(lines.splice(0).join(), /^the node node-[^ ]* does not reach its engine/)
        isAway = false
        yield* TestClock.adjust("1 second")
        // It has counted as dead, but nobody has had the key since.
        assert.isUndefined(lost.pollUnsafe())
        assert.strictEqual(yield* a.owner("session/1"), a.node)
        assert.match(lines.join(), /^the node node-[^ ]* reaches its engine again$/)
      }).pipe(Effect.provide(Logger.layer([logger])))
    }))
})

describe("a node with nothing to do", () => {
  it.effect("has no timer", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      let sleeps = 0
      const counting: Clock.Clock = {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
        currentTimeMillis: clock.currentTimeMillis,
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => Effect.suspend(() => (sleeps++, clock.sleep(duration)))
      }
      const { nodes: [a, b] } = yield* Effect.provideService(three(), Clock.Clock, counting)
      yield* Effect.scoped(
        Effect.andThen(a.claim("session/1"), Effect.andThen(echo(b), TestClock.adjust("10 seconds")))
      )
      assert.isAbove(sleeps, 0)
      yield* TestClock.adjust("1 second")
      sleeps = 0
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(sleeps, 0)
    }))
})
