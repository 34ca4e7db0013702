import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

/** A visitor whose call of `wait` has begun, and its answer when that is there. */
const begin = Effect.fnUntraced(function*(revision?: string) {
  const { interrupted, server, waiting } = yield* sample
  const client = yield* web.open({ retry: 250 }, server)
  const visitor = yield* web.visit(client, revision)
  const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
  return {
    client,
    interrupted,
    server,
    visitor,
    waiting,
    running: yield* Queue.take(waiting),
    answer: Fiber.join(pending)
  }
})

const told = ({ params }: web.Said) => params?.["data"]

/** What the messages of a stream say, each with the name of its event. */
const texts = (seen: ReadonlyArray<web.Seen>) =>
  seen.filter(({ data }) => data !== undefined && data !== "").map(({ data }) => {
    const said: web.Said = JSON.parse(data ?? "")
    return said.method === undefined ? web.textOf(said) : told(said)
  })

describe("the stream of a call", () => {
  it.effect("begins with an event that has an id and no data, and says when to come back", () =>
    Effect.gen(function*() {
      const { answer, running } = yield* begin()
      running.tell("one")
      const { read } = yield* answer
      const first = yield* read.next
      assert.deepStrictEqual([first?.data, first?.retry, first?.id?.endsWith("_0")], ["", "250", true])
      assert.strictEqual(told(yield* read.message), "one")
      running.finish("two")
      assert.deepStrictEqual(texts(yield* read.rest), ["two"])
    }))

  it.effect("begins without one in revisions before", () =>
    Effect.gen(function*() {
      const { answer, running } = yield* begin("2025-06-18")
      running.tell("one")
      const { read } = yield* answer
      const first = yield* read.next
      assert.deepStrictEqual([texts(first === undefined ? [] : [first]), first?.id?.endsWith("_1")], [["one"], true])
      running.finish("two")
      assert.deepStrictEqual(texts(yield* read.rest), ["two"])
    }))

  it.effect("that is closed goes on by GET", () =>
    Effect.gen(function*() {
      const { answer, running, visitor } = yield* begin()
      running.closeStream()
      const { read } = yield* answer
      assert.deepStrictEqual((yield* read.rest).map(({ data }) => data), [""])
      running.tell("one")
      const again = yield* visitor.get(read.lastId())
      assert.strictEqual(told(yield* again.read.message), "one")
      running.closeStream()
      assert.deepStrictEqual(yield* again.read.rest, [])
      running.tell("two")
      running.finish("three")
      const last = yield* visitor.get(again.read.lastId())
      assert.deepStrictEqual(texts(yield* last.read.rest), ["two", "three"])
    }))

  it.effect("is not closed in revisions whose clients would not come back", () =>
    Effect.gen(function*() {
      const { answer, running } = yield* begin("2025-06-18")
      running.closeStream()
      running.tell("one")
      running.finish("two")
      assert.deepStrictEqual(texts(yield* (yield* answer).read.rest), ["one", "two"])
    }))

  it.effect("outlives its connection, and so does the call", () =>
    Effect.gen(function*() {
      const { answer, interrupted, running, visitor } = yield* begin()
      running.tell("one")
      const broken = yield* answer
      assert.strictEqual(told(yield* broken.read.message), "one")
      broken.abort()
      running.tell("two")
      running.finish("three")
      const again = yield* visitor.get(broken.read.lastId())
      assert.deepStrictEqual(texts(yield* again.read.rest), ["two", "three"])
      // All of it is there still, for who lost that as well.
      const whole = yield* visitor.get(broken.read.lastId()?.replace(/_\d+$/, "_0"))
      assert.deepStrictEqual(texts(yield* whole.read.rest), ["one", "two", "three"])
      assert.strictEqual(yield* Queue.size(interrupted), 0)
    }))

  it.effect("begins when the call takes long, so that its client can come back", () =>
    Effect.gen(function*() {
      const { answer, running, visitor } = yield* begin()
      yield* TestClock.adjust("1 second")
      const first = yield* answer
      yield* first.read.next
      first.abort()
      running.finish("done")
      assert.deepStrictEqual(texts(yield* (yield* visitor.get(first.read.lastId())).read.rest), ["done"])
    }))

  it.effect("has nothing of other streams, and goes on to its own end", () =>
    Effect.gen(function*() {
      const { answer, running, server, visitor, waiting } = yield* begin()
      const otherPending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "b" })))
      const other = yield* Queue.take(waiting)
      running.tell("a1")
      other.tell("b1")
      const [a, b] = [yield* answer, yield* Fiber.join(otherPending)]
      yield* a.read.message
      yield* b.read.message
      a.abort()
      running.tell("a2")
      other.tell("b2")
      yield* server.listChanged("tools")
      const again = yield* visitor.get(a.read.lastId())
      assert.strictEqual(told(yield* again.read.message), "a2")
      other.finish("b3")
      running.finish("a3")
      assert.deepStrictEqual(texts(yield* again.read.rest), ["a3"])
      assert.deepStrictEqual(texts(yield* b.read.rest), ["b2", "b3"])
    }))

  it.effect("cannot be resumed from what is not kept", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const journal = yield* MemoryNodes.makeJournal({ weight: 100 })
      const client = yield* web.open({ journal }, server)
      const visitor = yield* web.visit(client)
      const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
      const running = yield* Queue.take(waiting)
      running.tell("one")
      const { abort, read } = yield* Fiber.join(pending)
      yield* read.message
      abort()
      const place = (n: number) => `${read.lastId()?.slice(0, -2)}_${n}`
      const isKept = (n: number) =>
        Effect.map(journal.read(`mcp/events/${visitor.id}`, n - 1), ([item]) => item?._tag === "Entry")
      const goneFrom = (id: string) => web.goneOf(visitor.get(id))
      running.tell("x".repeat(100))
      running.tell("y".repeat(100))
      // There is room for the newest alone.
      while (!(yield* isKept(3))) yield* Effect.yieldNow
      assert.strictEqual(yield* goneFrom(place(1)), -31_005)
      running.finish("done")
      while (!(yield* isKept(4))) yield* Effect.yieldNow
      assert.strictEqual(yield* goneFrom(place(1)), -31_005)
      assert.strictEqual(yield* goneFrom(place(99)), -31_005)
      assert.strictEqual(yield* goneFrom("no-such-stream_0"), 400)
      assert.strictEqual(yield* goneFrom("nonsense"), 400)
      assert.deepStrictEqual(texts(yield* (yield* visitor.get(place(3))).read.rest), ["done"])
    }))

  it.effect("carries what is asked of its client, who answers by another POST", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const visitor = yield* web.visit(client, "2025-11-25", { elicitation: { form: {} } })
      const standing = yield* visitor.get()
      const { read } = yield* visitor.post(web.call("name"))
      const ask = yield* read.message
      assert.strictEqual(ask.method, "elicitation/create")
      const result = { action: "accept", content: { name: "Ann" } }
      const taken = yield* visitor.post({ jsonrpc: "2.0", id: ask.id ?? null, result })
      assert.deepStrictEqual([taken.status, yield* taken.text], [202, ""])
      assert.strictEqual(web.textOf(yield* read.message), "Ann")
      yield* visitor.remove
      assert.deepStrictEqual(texts(yield* standing.read.rest), [])
    }))

  it.effect("ends without a word when the call is cancelled by another POST", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({}, server)
      const visitor = yield* web.visit(client)
      const call = web.call("wait", { name: "a" })
      const pending = yield* Effect.forkChild(visitor.post(call))
      const { tell } = yield* Queue.take(waiting)
      tell("one")
      const { read } = yield* Fiber.join(pending)
      yield* read.message
      yield* visitor.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: call.id } })
      assert.deepStrictEqual(yield* read.rest, [])
    }))

  it.effect("brings a large answer that comes behind something else", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({ journal: yield* MemoryNodes.makeJournal({ weight: 1_000 }) }, server)
      const visitor = yield* web.visit(client)
      const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
      const running = yield* Queue.take(waiting)
      const large = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(500))
      for (const text of large) running.tell(text)
      running.finish("y".repeat(5_000))
      const { read } = yield* Fiber.join(pending)
      assert.deepStrictEqual(texts(yield* read.rest), [...large, "y".repeat(5_000)])
    }))
})

describe("the stream of what belongs to no request", () => {
  it.effect("carries changes, and those that came while nobody read", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const client = yield* web.open({}, server)
      const visitor = yield* web.visit(client)
      yield* server.listChanged("tools")
      const first = yield* visitor.get()
      assert.strictEqual((yield* first.read.message).method, "notifications/tools/list_changed")
      yield* server.listChanged("prompts")
      assert.strictEqual((yield* first.read.message).method, "notifications/prompts/list_changed")
      first.abort()
      yield* server.listChanged("resources")
      const second = yield* visitor.get(first.read.lastId())
      assert.strictEqual((yield* second.read.message).method, "notifications/resources/list_changed")
    }))

  it.effect("has one reader, and a newer one takes it", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const client = yield* web.open({}, server)
      const visitor = yield* web.visit(client)
      const older = yield* visitor.get()
      yield* older.read.next
      const newer = yield* visitor.get()
      assert.deepStrictEqual(yield* older.read.rest, [])
      yield* server.listChanged("tools")
      assert.strictEqual((yield* newer.read.message).method, "notifications/tools/list_changed")
    }))

  it.effect("is kept alive", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ keepAlive: "5 seconds" })
      const visitor = yield* web.visit(client)
      const { read } = yield* visitor.get()
      assert.strictEqual((yield* read.next)?.data, "")
      for (let times = 0; times < 3; times++) {
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* read.next)?.comment, "keep-alive")
      }
    }))

  it.effect("begins with what has changed meanwhile, whatever there is room for, and goes on", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const client = yield* web.open({ journal: yield* MemoryNodes.makeJournal({ weight: 60 }) }, server)
      const visitor = yield* web.visit(client)
      yield* server.listChanged("tools")
      yield* server.listChanged("prompts")
      const { read } = yield* visitor.get()
      yield* read.next
      for (const list of ["tools", "prompts"]) {
        assert.strictEqual((yield* read.message).method, `notifications/${list}/list_changed`)
      }
      yield* server.listChanged("resources")
      assert.strictEqual((yield* read.message).method, "notifications/resources/list_changed")
    }))

  it.effect("is events, and given to who takes these", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const visitor = yield* web.visit(client)
      const get = (accept: string | undefined) =>
        Effect.map(client.send("GET", { ...visitor.headers, accept }), ({ status }) => status)
      const accepts = ["text/event-stream", "*/*", undefined, "text/*", "application/json", "text/event-stream;q=0"]
      assert.deepStrictEqual(yield* Effect.forEach(accepts, get), [200, 200, 200, 200, 406, 406])
    }))
})
