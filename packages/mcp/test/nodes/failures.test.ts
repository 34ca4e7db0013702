import { assert, describe, it } from "@effect/vitest"
import { Overloaded } from "@parley/mesh/Mesh"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as web from "../http-server/support/web.ts"
import { settled } from "../support/settled.ts"
import { at, cluster, inTime, visited } from "./support/cluster.ts"

const ping = web.request("ping")

describe("the session of a node that has died", () => {
  it.effect("is taken up by the next that is asked, within a lease", () =>
    Effect.gen(function*() {
      const { engine, other, owner, there } = yield* visited()
      engine.kill(owner.mesh.node)
      const pending = yield* Effect.forkChild(there.post(ping))
      assert.strictEqual((yield* inTime(pending)).status, 200)
      assert.strictEqual((yield* there.post(web.call("echo", { text: "a" }))).status, 200)
      const standing = yield* there.get()
      yield* standing.read.next
      yield* other.server.listChanged("tools")
      assert.strictEqual((yield* standing.read.message).method, "notifications/tools/list_changed")
    }))

  it.effect("is taken up once for all who wait for it, whenever they have begun to", () =>
    Effect.gen(function*() {
      const { engine, other, owner, there } = yield* visited()
      engine.kill(owner.mesh.node)
      const pending = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.tap(Effect.forkChild(there.post(ping)), () => Effect.andThen(TestClock.adjust("45 millis"), settled)))
      const replies = yield* Effect.forEach(pending, inTime)
      assert.deepStrictEqual(
        replies.map(({ status }) =>
          status
        ),
        pending.map(() => 200)
      )
      assert.strictEqual(yield* other.mesh.owner(`mcp/sample/session/${there.id}`), other.mesh.node)
    }))

  it.effect("is taken up at once where it has ended in order", () =>
    Effect.gen(function*() {
      const { owner, there } = yield* visited()
      yield* owner.close
      assert.strictEqual((yield* there.post(ping)).status, 200)
    }))

  it.effect("tells who comes back for its standing stream where that has a gap", () =>
    Effect.gen(function*() {
      const { here, journal, owner, there } = yield* visited()
      const standing = yield* here.get()
      yield* standing.read.next
      const opening = standing.read.lastId()
      yield* owner.server.listChanged("tools")
      yield* standing.read.message
      const lastId = standing.read.lastId()
      yield* owner.close
      assert.strictEqual((yield* there.get(lastId)).status, 200)
      yield* journal.drop(`mcp/events/${here.id}`, Number.MAX_SAFE_INTEGER)
      assert.strictEqual((yield* there.get(lastId)).status, 400)
      // Nothing is known to be missing for who has read no event.
      assert.strictEqual((yield* there.get(opening)).status, 200)
    }))

  it.effect("takes no answer to what the dead node has asked", () =>
    Effect.gen(function*() {
      const { engine, here, owner, there } = yield* visited({}, { elicitation: {} })
      const { read } = yield* here.post(web.call("name"))
      const { id = null } = yield* read.message
      engine.kill(owner.mesh.node)
      const answer = there.post({ jsonrpc: "2.0", id, result: { action: "decline" } })
      assert.strictEqual((yield* inTime(yield* Effect.forkChild(answer))).status, 409)
    }))
})

describe("a call that runs on a node that dies", () => {
  it.effect("is told by the node that forwarded it, on its stream or as its answer, and is not run again", () =>
    Effect.gen(function*() {
      const { engine, other, owner, there } = yield* visited()
      const begin = (name: string) => Effect.forkChild(there.post(web.call("wait", { name })))
      const told = yield* begin("a")
      const { tell } = yield* Queue.take(owner.waiting)
      const untold = yield* begin("b")
      yield* Queue.take(owner.waiting)
      tell("one")
      const { read } = yield* Fiber.join(told)
      yield* read.message
      engine.kill(owner.mesh.node)
      const reading = yield* Effect.forkChild(read.message)
      assert.strictEqual((yield* inTime(reading)).error?.code, -31002)
      assert.strictEqual(yield* read.next, undefined)
      const answer = yield* inTime(untold)
      assert.deepStrictEqual([answer.status, (yield* answer.json).error?.code], [503, -31002])
      assert.strictEqual(yield* Queue.size(other.waiting), 0)
    }))

  for (const id of [7, -1.5, "a \u20ac/=_.\"b"]) {
    it.effect(`is told to who comes back for the rest of its stream, behind what was missed (${id})`, () =>
      Effect.gen(function*() {
        const { engine, here, owner, there } = yield* visited()
        const call = { ...web.call("wait", { name: "a" }), id }
        const pending = yield* Effect.forkChild(here.post(call))
        const { tell } = yield* Queue.take(owner.waiting)
        tell("one")
        const { read } = yield* Fiber.join(pending)
        yield* read.message
        const lastId = read.lastId()
        tell("two")
        yield* read.message
        engine.kill(owner.mesh.node)
        const again = yield* inTime(yield* Effect.forkChild(there.get(lastId)))
        assert.strictEqual((yield* again.read.message).params?.["data"], "two")
        assert.deepInclude(yield* again.read.message, { id: call.id })
        assert.strictEqual(yield* again.read.next, undefined)
        // One that has ended is told its end.
        const ended = yield* inTime(yield* Effect.forkChild(there.get(read.lastId())))
        assert.strictEqual((yield* ended.read.message).error?.code, -31002)
      }))
  }

  it.effect("has its whole answer, where that was kept", () =>
    Effect.gen(function*() {
      const { engine, here, owner, there } = yield* visited()
      const pending = yield* Effect.forkChild(here.post(web.call("wait", { name: "a" })))
      const { finish, tell } = yield* Queue.take(owner.waiting)
      tell("one")
      const { read } = yield* Fiber.join(pending)
      yield* read.message
      const lastId = read.lastId()
      finish("two")
      yield* read.rest
      engine.kill(owner.mesh.node)
      const again = yield* inTime(yield* Effect.forkChild(there.get(lastId)))
      assert.strictEqual(web.textOf(yield* again.read.message), "two")
      assert.strictEqual(yield* again.read.next, undefined)
    }))
})

describe("a node that stands still, and wakes up", () => {
  it.effect("is fenced: its calls end and are told, what it writes is refused, and its sessions are elsewhere", () =>
    Effect.gen(function*() {
      const { engine, here, journal, other, owner, there } = yield* visited()
      const pending = yield* Effect.forkChild(here.post(web.call("wait", { name: "a" })))
      const { tell } = yield* Queue.take(owner.waiting)
      tell("one")
      const { read } = yield* Fiber.join(pending)
      yield* read.message
      const resume = engine.pause(owner.mesh.node)
      yield* Effect.addFinalizer(() => Effect.sync(resume))
      // It may still run the text when it wakes up, for all that anybody knows.
      const sent = yield* inTime(yield* Effect.forkChild(there.post(ping)))
      assert.deepStrictEqual([sent.status, (yield* sent.json).error?.code], [503, -31002])
      assert.strictEqual((yield* inTime(yield* Effect.forkChild(there.post(ping)))).status, 200)
      const key = `mcp/events/${here.id}`
      const before = yield* journal.read(key, 0)
      resume()
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.strictEqual(yield* Queue.take(owner.interrupted), "a")
      assert.strictEqual((yield* read.message).error?.code, -32000)
      assert.deepStrictEqual(yield* journal.read(key, 0), before)
      // Its own clients reach the session at its new owner.
      assert.strictEqual((yield* here.post(ping)).status, 200)
      assert.strictEqual(yield* other.mesh.owner(`mcp/sample/session/${here.id}`), other.mesh.node)
    }))
})

describe("a session that ends on one node", () => {
  it.effect("is not taken up from a store that takes its time to forget it", () =>
    Effect.gen(function*() {
      const removing = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const { nodes: [owner, other] } = yield* cluster({}, undefined, (store) => ({
        ...store,
        remove: (...session) =>
          Effect.andThen(
            Deferred.succeed(removing, undefined),
            Effect.andThen(Deferred.await(goOn), store.remove(...session))
          )
      }))
      const here = yield* web.visit(owner.client)
      const removal = yield* Effect.forkChild(here.remove)
      yield* Deferred.await(removing)
      assert.strictEqual((yield* at(here, other).post(ping)).status, 404)
      yield* Deferred.succeed(goOn, undefined)
      assert.strictEqual((yield* Fiber.join(removal)).status, 204)
      assert.strictEqual((yield* at(here, other).post(ping)).status, 404)
    }))

  it.effect("where it went unused, while its node stood still, keeps its record for the node that has it now", () =>
    Effect.gen(function*() {
      const { engine, here, owner, records, there } = yield* visited()
      const resume = engine.pause(owner.mesh.node)
      yield* Effect.addFinalizer(() => Effect.sync(resume))
      yield* TestClock.adjust("29 minutes")
      assert.strictEqual((yield* inTime(yield* Effect.forkChild(there.post(ping)))).status, 200)
      yield* TestClock.adjust("2 minutes")
      resume()
      yield* settled
      assert.isTrue(records.has(here.id))
      assert.strictEqual((yield* there.post(ping)).status, 200)
    }))

  it.effect("stays gone, though another node that stood still had calls of it", () =>
    Effect.gen(function*() {
      const { engine, here, owner, records, there } = yield* visited()
      yield* Effect.forkChild(here.post(web.call("wait", { name: "a" })))
      yield* Queue.take(owner.waiting)
      const resume = engine.pause(owner.mesh.node)
      yield* Effect.addFinalizer(() => Effect.sync(resume))
      yield* TestClock.adjust("5 seconds")
      yield* settled
      assert.strictEqual((yield* inTime(yield* Effect.forkChild(there.remove))).status, 204)
      assert.isFalse(records.has(here.id))
      yield* TestClock.adjust("31 minutes")
      resume()
      yield* settled
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.isFalse(records.has(here.id))
      assert.strictEqual((yield* there.post(ping)).status, 404)
    }))
})

describe("an engine that is away", () => {
  it.effect("leaves sessions to those who hold them, and the others are told to come again", () =>
    Effect.gen(function*() {
      let isAway = false
      const { nodes: [owner, other] } = yield* cluster({}, (engine) => {
        const unlessAway = <A>(effect: Effect.Effect<A, Overloaded>) =>
          Effect.suspend(() => isAway ? Effect.fail(new Overloaded({ key: "engine", reason: "away" })) : effect)
        return {
          ...engine,
          owner: (key) => unlessAway(engine.owner(key)),
          claim: (...claim) => unlessAway(engine.claim(...claim)),
          beat: (...beat) => unlessAway(engine.beat(...beat)),
          publish: (...text) => unlessAway(engine.publish(...text))
        }
      })
      const here = yield* web.visit(owner.client)
      isAway = true
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* here.post(ping)).status, 200)
      const refused = yield* at(here, other).post(ping)
      assert.deepStrictEqual([refused.status, refused.header("retry-after")], [503, "1"])
      assert.strictEqual((yield* other.client.post(web.handshake("2025-11-25"))).status, 503)
    }))
})
