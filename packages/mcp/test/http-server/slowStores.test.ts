import { assert, describe, it } from "@effect/vitest"
import type * as SessionStore from "@parley/mcp/http/SessionStore"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "../support/settled.ts"
import * as web from "./support/web.ts"

const ping = web.request("ping")

/** A store that does nothing before it is let, where it is held. */
const slowStore = () => {
  const records = new Map<string, SessionStore.SessionRecord>()
  const asked: Array<string> = []
  const gates = new Map<string, Deferred.Deferred<void>>()
  const pass = (what: string) =>
    Effect.suspend(() => {
      const gate = gates.get(what)
      return gate === undefined ? Effect.void : Deferred.await(gate)
    })
  const store: SessionStore.SessionStore = {
    get: (id) =>
      Effect.suspend(() => {
        asked.push(id)
        const record = Option.fromUndefinedOr(records.get(id))
        return Effect.as(pass("get"), record)
      }),
    fence: () => Effect.void,
    put: (id, record) => Effect.andThen(pass("put"), Effect.sync(() => records.set(id, record).has(id))),
    remove: (id) => Effect.andThen(pass("remove"), Effect.sync(() => records.delete(id)))
  }
  const hold = (what: string) => {
    const gate = Deferred.makeUnsafe<void>()
    gates.set(what, gate)
    return Effect.suspend(() => {
      gates.delete(what)
      return Deferred.succeed(gate, undefined)
    })
  }
  return { records, asked, store, hold }
}

describe("while a store takes its time", () => {
  it.effect("a session that is deleted does not come back from it", () =>
    Effect.gen(function*() {
      const { hold, records, store } = slowStore()
      const client = yield* web.open({ store })
      const visitor = yield* web.visit(client)
      const letGo = hold("remove")
      const removal = yield* Effect.forkChild(visitor.remove)
      yield* settled
      assert.strictEqual((yield* visitor.post(ping)).status, 404)
      yield* letGo
      assert.strictEqual((yield* Fiber.join(removal)).status, 204)
      assert.strictEqual((yield* visitor.post(ping)).status, 404)
      assert.strictEqual(records.size, 0)
    }))

  it.effect("a session that is deleted is not written to it again", () =>
    Effect.gen(function*() {
      const { hold, records, store } = slowStore()
      const client = yield* web.open({ store })
      const visitor = yield* web.visit(client)
      const letGo = hold("put")
      const changing = yield* Effect.forkChild(visitor.post(web.request("logging/setLevel", { level: "error" })))
      yield* settled
      const removal = yield* Effect.forkChild(visitor.remove)
      yield* settled
      yield* letGo
      yield* Fiber.join(changing)
      assert.strictEqual((yield* Fiber.join(removal)).status, 204)
      assert.strictEqual(records.size, 0)
    }))

  it.effect("a session is taken over once, however many requests find it, and its end is one for all of them", () =>
    Effect.gen(function*() {
      const { asked, hold, records, store } = slowStore()
      const visitor = yield* web.visit(yield* web.open({ store }))
      const second = yield* web.open({ store })
      const letGo = hold("get")
      const calls = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(second.post(ping, visitor.headers)))
      const removal = yield* Effect.forkChild(second.send("DELETE", visitor.headers))
      yield* settled
      yield* letGo
      assert.strictEqual((yield* Fiber.join(removal)).status, 204)
      yield* Effect.forEach(calls, Fiber.join)
      assert.strictEqual((yield* second.post(ping, visitor.headers)).status, 404)
      assert.strictEqual(asked.length, 2)
      assert.strictEqual(records.size, 0)
    }))

  it.effect("sessions that expire are over at once: none is used once more and then cut off", () =>
    Effect.gen(function*() {
      const { hold, store } = slowStore()
      const client = yield* web.open({ store, sessions: { idle: "10 minutes" } })
      yield* web.visit(client)
      const visitor = yield* web.visit(client)
      const letGo = hold("remove")
      yield* TestClock.adjust("10 minutes")
      yield* settled
      const { status } = yield* visitor.post(ping)
      yield* letGo
      assert.strictEqual(status, 404)
    }))

  it.effect("a stream that is asked for as its session ends, ends", () =>
    Effect.gen(function*() {
      const reading = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const journal: Journal = {
        ...yield* MemoryNodes.makeJournal(),
        read: () => Effect.andThen(Deferred.succeed(reading, undefined), Effect.as(Deferred.await(goOn), []))
      }
      const client = yield* web.open({ journal })
      const visitor = yield* web.visit(client)
      const getting = yield* Effect.forkChild(visitor.get("general-of-another-process_1"))
      yield* Deferred.await(reading)
      yield* visitor.remove
      yield* Deferred.succeed(goOn, undefined)
      const answer = yield* Fiber.join(getting)
      if (answer.status === 200) yield* answer.read.rest
      else assert.strictEqual(answer.status, 404)
    }))
})

describe("a store", () => {
  it.effect("is not asked for what cannot be the id of a session", () =>
    Effect.gen(function*() {
      const { asked, store } = slowStore()
      const client = yield* web.open({ store })
      for (const id of ["x", "x".repeat(10_000), "../../etc/passwd", "a, b"]) {
        assert.strictEqual((yield* client.post(ping, { "mcp-session-id": id })).status, 404)
      }
      assert.deepStrictEqual(asked, [])
      assert.strictEqual((yield* client.post(ping, { "mcp-session-id": crypto.randomUUID() })).status, 404)
      assert.strictEqual(asked.length, 1)
    }))

  it.effect("knows that a session is used whose stream is read and that asks for nothing", () =>
    Effect.gen(function*() {
      const { store } = slowStore()
      const visitor = yield* web.visit(yield* web.open({ store, sessions: { idle: "10 minutes" } }))
      yield* visitor.get()
      yield* TestClock.adjust("1 hour")
      const second = yield* web.open({ store, sessions: { idle: "10 minutes" } })
      assert.strictEqual((yield* second.post(ping, visitor.headers)).status, 200)
    }))
})
