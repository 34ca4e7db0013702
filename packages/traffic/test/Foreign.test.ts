/** JSON that is no message of JSON-RPC, for who wants to hear it. */
import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import { MemoryTransport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Fiber, Logger, type Schema } from "effect"
import { Tap } from "../src/index.ts"

const event = (name: string) => JSON.stringify({ event: name })
const notification = (method: string) => JSON.stringify({ jsonrpc: "2.0", method })

/** A wrapped end, the other one, and what was heard. */
const pair = (hear?: Tap.Hear) =>
  Effect.gen(function*() {
    const values: Array<Schema.Json> = []
    const [inner, far] = yield* MemoryTransport.makePair()
    const near = yield* Tap.foreign(hear ?? ((value) => Effect.sync(() => void values.push(value))))(inner)
    return { near, far, values }
  })

describe("JSON that is no message", () => {
  it.effect("promise 13: notifications keep their order, and JSON that is no message stands between them", () =>
    Effect.gen(function*() {
      const { far, near, values } = yield* pair()
      const [first, second] = [notification("first"), notification("second")]
      yield* far.send([event("a"), first, "7", "null", second, event("b")])
      assert.deepStrictEqual(yield* near.receive, [first])
      assert.deepStrictEqual(values, [{ event: "a" }])
      assert.deepStrictEqual(yield* near.receive, [second])
      assert.deepStrictEqual(values, [{ event: "a" }, 7, null])
      yield* far.close
      yield* Effect.flip(near.receive)
      assert.deepStrictEqual(values, [{ event: "a" }, 7, null, { event: "b" }])
    }))

  it.effect("is taken out of a batch, whose other members stay as they were", () =>
    Effect.gen(function*() {
      const { far, near, values } = yield* pair()
      const [one, two] = [notification("one"), `{"jsonrpc":"2.0", "id":1.0,"method":"two"}`]
      yield* far.send([`[${event("a")}, ${one},7,${two}]`, `[${event("b")}]`, "[]"])
      assert.deepStrictEqual(yield* near.receive, [`[${one},${two}]`])
      assert.deepStrictEqual(yield* near.receive, ["[]"])
      assert.deepStrictEqual(values, [{ event: "a" }, 7, { event: "b" }])
    }))

  it.effect("is told from messages that are merely invalid, from what is no JSON, and from long texts", () =>
    Effect.gen(function*() {
      const { far, near, values } = yield* pair()
      const texts = [`{"method":1}`, `{"jsonrpc":"2.0","id":1}`, "{", "", "1e400", event("x".repeat(65_536))] as const
      yield* far.send(texts)
      assert.deepStrictEqual(yield* near.receive, texts)
      assert.deepStrictEqual(values, [])
    }))

  it.effect("promise 18: callers suspend on a full outbox: a slow listener stops the reading, and counts on the budget", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const seen: Array<unknown> = []
      let held = 0
      const budget = { take: (weight: number) => void (held += weight) } as unknown as Budget.Budget
      const { far, near } = yield* Effect.provideService(
        pair((value) => Effect.andThen(Deferred.await(gate), Effect.sync(() => void seen.push(value)))),
        Budget.Budget,
        budget
      )
      const text = notification("after")
      yield* far.send([event("a"), text])
      const interrupted = yield* Effect.forkChild(near.receive, { startImmediately: true })
      yield* Effect.yieldNow
      assert.isAbove(held, 0)
      yield* Fiber.interrupt(interrupted)
      const reading = yield* Effect.forkChild(near.receive, { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(reading.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(reading), [text])
      assert.deepStrictEqual(seen, [{ event: "a" }])
      assert.strictEqual(held, 0)
    }))

  for (const end of ["close", "abort"] as const) {
    it.effect(`is dropped by \`${end}\`, and counts no more`, () =>
      Effect.gen(function*() {
        let held = 0
        const budget = { take: (weight: number) => void (held += weight) } as unknown as Budget.Budget
        const { far, near } = yield* Effect.provideService(pair(() => Effect.never), Budget.Budget, budget)
        yield* far.send([event("a")])
        const reading = yield* Effect.forkChild(near.receive, { startImmediately: true })
        yield* Effect.yieldNow
        assert.isAbove(held, 0)
        yield* near[end] ?? near.close
        assert.strictEqual(held, 0)
        yield* Fiber.interrupt(reading)
      }))
  }

  it.effect("promise 15: a defect goes to our log only", () =>
    Effect.gen(function*() {
      const { far, near } = yield* pair(() => Effect.die("no"))
      const text = notification("after")
      yield* far.send([event("a"), text])
      assert.deepStrictEqual(yield* near.receive, [text])
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("may be answered by calls to the other side, in a fiber of their own", () =>
    Effect.gen(function*() {
      const [inner, far] = yield* MemoryTransport.makePair()
      const router = yield* Router.make()
      yield* router.add("back", () => Effect.succeed("here"))
      yield* Peer.make(far, { router })
      const results = yield* Deferred.make<unknown>()
      const transport = yield* Tap.foreign(() =>
        Effect.sync(() => {
          Effect.runFork(
            Effect.flatMap(Effect.orDie(peer.request("back")), (result) => Deferred.succeed(results, result))
          )
        })
      )(inner)
      const peer = yield* Peer.make(transport)
      yield* far.send([event("a")])
      assert.strictEqual(yield* Deferred.await(results), "here")
    }))

  for (const law of [Laws.ofWrapping("what hears JSON that is no message", Tap.foreign(() => Effect.void))]) {
    it.effect(law.name, () => law.check)
  }
})
