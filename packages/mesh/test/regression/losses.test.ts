/** An engine delivers a text at most once. Everybody who waits is told, whatever it loses. */
import { assert, describe, it } from "@effect/vitest"
import type * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type * as Mesh from "@parley/mesh/Mesh"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import { Deferred, Effect, Exit, Fiber, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Dice } from "../support/Dice.ts"
import { settled, two } from "../support/nodes.ts"

/** Loses the texts whose kinds it is told to lose. */
const losing = (isLost: (kind: string) => boolean) => (engine: MemoryNodes.MemoryEngine): MeshEngine => ({
  ...engine,
  publish: (node, to, text) =>
    Effect.suspend(() =>
      isLost(text.slice(2, text.indexOf(`"`, 2))) ? Effect.succeed(true) : engine.publish(node, to, text)
    )
})

/** Loses the first text of a kind. */
const first = (kind: string) => {
  let isLost = false
  return (other: string) => kind === other && !isLost && (isLost = true)
}

/** Loses all texts of a kind. */
const every = (kind: string) => (other: string) => kind === other

const counting = (mesh: Mesh.Mesh, end: Effect.Effect<string> = Effect.succeed("end")) =>
  mesh.serve(
    "name",
    ({ text }, answer) =>
      Effect.andThen(
        Effect.forEach(Array.from({ length: Number(text) }, (_, n) => n), (n) => answer(`${n}`.padStart(40))),
        end
      )
  )

const ended = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function*() {
    yield* settled
    for (let times = 0; times < 20 && fiber.pollUnsafe() === undefined; times++) {
      yield* TestClock.adjust("1 second")
      yield* settled
    }
    return fiber.pollUnsafe()
  })

describe("a text that the engine loses", () => {
  it.effect("which says that a text was taken is said again while its handler runs", () =>
    Effect.gen(function*() {
      const { a, b } = yield* two(losing(first("took")))
      yield* b.serve("name", () => Effect.never)
      const sent = yield* ended(yield* Effect.forkChild(a.send({ name: "name", node: b.node }, "x")))
      assert.deepStrictEqual(sent, Exit.void)
    }))

  for (const [which, isLost] of [["once", first("more")], ["each time", every("more")]] as const) {
    it.effect(`${which}, and which says how much was read, does not hold up an answer`, () =>
      Effect.gen(function*() {
        const { a, b } = yield* two(losing(isLost), { window: 50 })
        yield* counting(b)
        const read = yield* Effect.forkChild(Stream.runCollect(a.call({ name: "name", node: b.node }, "10")))
        const exit = yield* ended(read)
        assert.strictEqual(exit && Exit.getSuccess(exit).pipe(Option.getOrUndefined)?.length, 11)
      }))
  }

  for (const business of ["answers", "calls"] as const) {
    it.effect(`which says that a caller has left still interrupts who answers, whom its node still ${business}`, () =>
      Effect.gen(function*() {
        const { a, b } = yield* two(losing(every("stop")))
        const interrupted = yield* Deferred.make<void>()
        for (const mesh of [a, b]) yield* mesh.serve("other", () => Effect.never)
        yield* b.serve("name", () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)))
        const [caller, called] = business === "answers" ? [b, a] : [a, b]
        yield* Effect.forkChild(Stream.runDrain(caller.call({ name: "other", node: called.node }, "x")))
        const reading = yield* Effect.forkChild(Stream.runDrain(a.call({ name: "name", node: b.node }, "x")))
        yield* settled
        yield* Fiber.interrupt(reading)
        yield* TestClock.adjust("1 minute")
        assert.isTrue(yield* Deferred.isDone(interrupted))
      }))
  }

  it.effect("which is part of an answer ends it, though no other comes behind", () =>
    Effect.gen(function*() {
      const { a, b } = yield* two(losing(first("item")))
      yield* counting(b, Effect.never)
      const read = yield* Effect.forkChild(Effect.flip(Stream.runDrain(a.call({ name: "name", node: b.node }, "1"))))
      const exit = yield* ended(read)
      const error = exit && Option.getOrUndefined(Exit.getSuccess(exit))
      assert.deepInclude(error, { _tag: "OwnerGone", sent: true })
    }))

  it.effect.prop(
    "whichever it is, leaves no call without an end, and gives none a text twice or out of order",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))],
    ([seed]) =>
      Effect.gen(function*() {
        const dice = new Dice(seed)
        let isLossy = true
        let running = 0
        const { a, b } = yield* two(losing(() => isLossy && dice.below(6) === 0), { window: 100 })
        yield* b.serve("name", ({ text }, answer) =>
          Effect.suspend(() => {
            running++
            const texts = Array.from({ length: Number(text) }, (_, n) => n)
            return Effect.ensuring(
              Effect.as(Effect.forEach(texts, (n) => answer(`${n}`.padStart(40)), { discard: true }), "end"),
              Effect.sync(() => running--)
            )
          }))
        const to = { name: "name", node: b.node }
        const calls = yield* Effect.forEach(Array.from({ length: 12 }), () => {
          const count = dice.below(8)
          const seen: Array<string> = []
          const expected = [...Array.from({ length: count }, (_, n) => `${n}`.padStart(40)), "end"]
          const call = dice.below(3) === 0
            ? a.send(to, `${count}`)
            : Stream.runForEach(a.call(to, `${count}`), (text) => Effect.sync(() => void seen.push(text)))
          return Effect.map(
            Effect.forkChild(Effect.onExit(call, (exit) =>
              Effect.sync(() => {
                if (Exit.isSuccess(exit) && seen.length > 0) assert.deepStrictEqual(seen, expected)
                assert.deepStrictEqual(seen, expected.slice(0, seen.length))
              }))),
            (fiber) => ({ fiber, leaves: dice.below(4) === 0 })
          )
        })
        yield* settled
        for (const { fiber, leaves } of calls) if (leaves) yield* Fiber.interrupt(fiber)
        yield* TestClock.adjust("2 seconds")
        isLossy = false
        for (const { fiber } of calls) assert.isDefined(yield* ended(fiber))
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(running, 0)
      }),
    { arbitrary: { runs: 40 } }
  )
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
