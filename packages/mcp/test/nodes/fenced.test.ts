/** Nodes that do not know yet that another one has their sessions. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Effect, Fiber, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Link from "../../../mesh/test/support/links.ts"
import * as web from "../http-server/support/web.ts"
import { settled } from "../support/settled.ts"
import { at, cluster, inTime, type Member } from "./support/cluster.ts"

const ping = web.request("ping")

/** Has another node take up a session. The first text may have been taken by the node that had it. */
const takenUp = (there: web.Visitor) =>
  Effect.gen(function*() {
    assert.strictEqual((yield* inTime(yield* Effect.forkChild(there.post(ping)))).status, 503)
    assert.strictEqual((yield* inTime(yield* Effect.forkChild(there.post(ping)))).status, 200)
  })

/** A session of a node that is cut off, which another node has taken up. */
const cutOff = Effect.fnUntraced(
  function*(begin: (here: web.Visitor, owner: Member) => Effect.Effect<void> = () => Effect.void) {
    const links: Array<Link.Link> = []
    const { nodes: [owner, other], records } = yield* cluster({}, (engine) => {
      const link = Link.over(engine)
      links.push(link)
      return link
    })
    const here = yield* web.visit(owner.client)
    const there = at(here, other)
    yield* begin(here, owner)
    links[0]!.isCut = true
    yield* takenUp(there)
    const mend = Effect.sync(() => {
      links[0]!.isCut = false
    })
    return { here, there, owner, records, mend }
  }
)

describe("a session that a node has lost, which is cut off", () => {
  it.effect("is not said to be over where it is not", () =>
    Effect.gen(function*() {
      const { here, mend, records, there } = yield* cutOff()
      const { header, status } = yield* here.remove
      assert.deepStrictEqual([status, header("retry-after")], [503, "1"])
      assert.isTrue(records.has(here.id))
      assert.strictEqual((yield* there.post(ping)).status, 200)
      // It finds its way when the node is back.
      yield* mend
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* inTime(yield* Effect.forkChild(here.remove))).status, 204)
      assert.strictEqual((yield* there.post(ping)).status, 404)
    }))
})

describe("a call of a node that has lost its session", () => {
  it.effect("ends and is told so where the journal refuses what it writes, though the node is cut off", () =>
    Effect.gen(function*() {
      let running: Fiber.Fiber<web.Answer> | undefined
      const { owner } = yield* cutOff((here) =>
        Effect.gen(function*() {
          running = yield* Effect.forkDetach(here.post(web.call("wait", { name: "a" })))
          yield* settled
        })
      )
      const { tell } = yield* Queue.take(owner.waiting)
      tell("one")
      const { read } = yield* Fiber.join(running!)
      yield* settled
      assert.strictEqual(yield* Queue.take(owner.interrupted), "a")
      assert.strictEqual((yield* read.message).params?.["data"], "one")
      assert.strictEqual((yield* read.message).error?.code, -32000)
      assert.strictEqual(yield* read.next, undefined)
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("is told its end, however long a journal takes", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const { engine, nodes: [owner, other] } = yield* cluster({
        journal: { ...journal, append: (...text) => Effect.delay(journal.append(...text), "100 millis") }
      })
      const here = yield* web.visit(owner.client)
      const pending = yield* Effect.forkChild(here.post(web.call("wait", { name: "a" })))
      const { tell } = yield* Queue.take(owner.waiting)
      tell("one")
      yield* settled
      yield* TestClock.adjust("1 second")
      const { read } = yield* Fiber.join(pending)
      yield* read.message
      const resume = engine.pause(owner.mesh.node)
      yield* Effect.addFinalizer(() => Effect.sync(resume))
      yield* takenUp(at(here, other))
      resume()
      for (let times = 0; times < 20; times++) {
        yield* TestClock.adjust("100 millis")
        yield* settled
      }
      assert.strictEqual((yield* read.message).error?.code, -32000)
    }).pipe(Effect.provide(Logger.layer([]))))
})

describe("a session that a node has lost, which stood still", () => {
  it.effect("is over where its client says so to the node that wakes up", () =>
    Effect.gen(function*() {
      const { engine, nodes: [owner, other], records } = yield* cluster()
      const here = yield* web.visit(owner.client)
      const there = at(here, other)
      const resume = engine.pause(owner.mesh.node)
      yield* Effect.addFinalizer(() => Effect.sync(resume))
      yield* takenUp(there)
      const removal = yield* Effect.forkChild(here.remove)
      yield* settled
      resume()
      assert.strictEqual((yield* inTime(removal)).status, 204)
      assert.isFalse(records.has(here.id))
      assert.strictEqual((yield* there.post(ping)).status, 404)
    }))
})

describe("sessions that many clients leave at once", () => {
  it.effect("are removed from their store a few at a time", () =>
    Effect.gen(function*() {
      let removing = 0
      let most = 0
      const { nodes: [owner], records } = yield* cluster(
        { sessions: { idle: "10 minutes" } },
        (engine) => engine,
        (store) => ({
          ...store,
          remove: (...session) =>
            Effect.suspend(() => {
              most = Math.max(most, ++removing)
              return Effect.ensuring(
                Effect.andThen(Effect.sleep("1 second"), store.remove(...session)),
                Effect.sync(() => void removing--)
              )
            })
        })
      )
      for (let n = 0; n < 100; n++) yield* web.visit(owner.client)
      assert.strictEqual(records.size, 100)
      yield* TestClock.adjust("11 minutes")
      yield* settled
      assert.strictEqual(records.size, 0)
      assert.isAtMost(most, 16)
      assert.strictEqual(yield* Queue.size(owner.interrupted), 0)
    }))
})
