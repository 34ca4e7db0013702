import { assert, describe, it } from "@effect/vitest"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import type { Journal } from "@parley/mesh/Journal"
import * as KeyValueJournal from "@parley/mesh/KeyValueJournal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Overloaded } from "@parley/mesh/Mesh"
import { Context, Deferred, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { KeyValueStore } from "effect/persistence"
import { TestClock } from "effect/testing"
import { settled } from "../support/settled.ts"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

const texts = (events: ReadonlyArray<web.Seen>) =>
  events.filter(({ data }) => data !== undefined && data !== "").map(({ data }) => {
    const said: web.Said = JSON.parse(data ?? "")
    return said.method === undefined ? web.textOf(said) : said.params?.["data"]
  })

/** A session, whose calls say what a test wants: `begin` gives one that has said its first text. */
const visited = Effect.fnUntraced(function*(journal: Journal) {
  const { server, waiting } = yield* sample
  const visitor = yield* web.visit(yield* web.open({ journal }, server))
  const begin = Effect.fnUntraced(function*(name: string, first: string) {
    const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name })))
    const { finish, tell } = yield* Queue.take(waiting)
    tell(first)
    const { abort, read } = yield* Fiber.join(pending)
    return { abort, finish, read, tell }
  })
  return { begin, visitor }
})

/** A session with calls, each on a stream of its own that was cut behind its first text. */
const calls = Effect.fnUntraced(function*(journal: Journal, names: ReadonlyArray<string>) {
  const { begin, visitor } = yield* visited(journal)
  const cut = Effect.fnUntraced(function*(name: string) {
    const { abort, finish, read, tell } = yield* begin(name, `${name}1`)
    yield* read.message
    abort()
    return { finish, tell, lastId: read.lastId() }
  })
  const all = yield* Effect.forEach(names, cut)
  const last = Effect.map(journal.read(`mcp/events/${visitor.id}`, 0), (items) => {
    const item = items.at(-1)
    return item?._tag === "Entry" ? item.position : 0
  })
  /** Waits until so many events have been kept in all. */
  const kept = (n: number) =>
    Effect.gen(function*() {
      while ((yield* last) < n) yield* Effect.yieldNow
    })
  return { visitor, all, kept }
})

const keyed = Effect.flatMap(
  Layer.build(KeyValueStore.layerMemory),
  (context) => KeyValueJournal.make(Context.get(context, KeyValueStore.KeyValueStore), { weight: 2_000 })
)

const makers = [
  { name: "in memory", make: MemoryNodes.makeJournal({ weight: 2_000 }) },
  { name: "in a KeyValueStore", make: keyed }
]

for (const { make, name } of makers) {
  describe(`events of one session in a journal ${name}`, () => {
    it.effect("come back, each stream by itself, though others have more than there is room for", () =>
      Effect.gen(function*() {
        const { all: [quiet, loud], kept, visitor } = yield* calls(yield* make, ["a", "b"])
        for (let n = 2; n <= 20; n++) loud?.tell(`b${n}`)
        yield* kept(21)
        quiet?.tell("a2")
        quiet?.finish("a3")
        yield* kept(23)
        assert.deepStrictEqual(texts(yield* (yield* visitor.get(quiet?.lastId)).read.rest), ["a2", "a3"])
      }))

    it.effect("are missed where one of their stream is gone, whatever is there behind it", () =>
      Effect.gen(function*() {
        const { all: [one], kept, visitor } = yield* calls(yield* make, ["a"])
        for (let n = 2; n <= 20; n++) one?.tell(`a${n}`)
        yield* kept(20)
        assert.strictEqual(yield* web.goneOf(visitor.get(one?.lastId)), -31_005)
      }))
  })
}

/** A journal that takes no event while it is broken. */
const breakable = Effect.map(MemoryNodes.makeJournal(), (whole) => {
  const journal: Journal & { isBroken: boolean } = {
    ...whole,
    isBroken: false,
    append: (key, ...entry) =>
      journal.isBroken ? Effect.fail(new Overloaded({ key, reason: "broken" })) : whole.append(key, ...entry)
  }
  return journal
})

/** The lines of the log, without their causes, and the Layer that keeps them. */
const linesOfLog = () => {
  const lines: Array<string> = []
  const keep = Logger.make<unknown, void>(({ message }) => void lines.push(String(message).replace(/,.*/s, "")))
  return { lines, layer: Logger.layer([keep]) }
}

describe("sessions that cannot be kept", () => {
  it.effect("fill no log: it has ten lines in a minute", () => {
    const { layer, lines } = linesOfLog()
    return Effect.gen(function*() {
      const journal = yield* breakable
      const store = SessionStore.makeJournal(journal)
      journal.isBroken = true
      for (let n = 0; n < 25; n++) yield* store.remove(`${n}`, 0)
      assert.deepStrictEqual(lines, new Array(10).fill("a session could not be kept or read"))
    }).pipe(Effect.provide(layer))
  })
})

describe("events that cannot be kept", () => {
  it.effect("fill no log: it has ten lines in a minute, and the next tells how many were left out", () => {
    const { layer, lines } = linesOfLog()
    return Effect.gen(function*() {
      const journal = yield* breakable
      const { begin, visitor } = yield* visited(journal)
      const { finish, read, tell } = yield* begin("a", "one")
      yield* read.message
      journal.isBroken = true
      for (let n = 0; n < 25; n++) {
        tell(`${n}`)
        yield* read.message
      }
      assert.strictEqual(lines.length, 10)
      yield* TestClock.adjust("1 minute")
      tell("later")
      yield* read.message
      const line = "an event could not be kept or read"
      assert.deepStrictEqual(lines, [...new Array(10).fill(line), `${line}; 15 more such lines were left out`])
      journal.isBroken = false
      finish("last")
      yield* visitor.get(read.lastId())
    }).pipe(Effect.provide(layer))
  })

  it.effect("reach who reads them now, and are missed by who comes back", () =>
    Effect.gen(function*() {
      const journal = yield* breakable
      const { begin, visitor } = yield* visited(journal)
      const { abort, finish, read, tell } = yield* begin("a", "one")
      yield* read.message
      const lastId = read.lastId()
      journal.isBroken = true
      tell("two")
      assert.strictEqual((yield* read.message).params?.["data"], "two")
      journal.isBroken = false
      tell("three")
      assert.strictEqual((yield* read.message).params?.["data"], "three")
      const laterId = read.lastId()
      abort()
      finish("four")
      assert.strictEqual(yield* web.goneOf(visitor.get(lastId)), -31_005)
      assert.deepStrictEqual(texts(yield* (yield* visitor.get(laterId)).read.rest), ["four"])
    }))

  it.effect("are missed by who comes back with an id of before their journal was emptied", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const { begin, visitor } = yield* visited(journal)
      const { abort, finish, read, tell } = yield* begin("a", "one")
      yield* read.message
      const lastId = read.lastId()
      for (const text of ["two", "three"]) {
        tell(text)
        yield* read.message
      }
      yield* journal.drop(`mcp/events/${visitor.id}`, 0)
      const seen = ["four", "five"]
      for (const text of seen) {
        tell(text)
        assert.strictEqual((yield* read.message).params?.["data"], text)
      }
      abort()
      assert.strictEqual(yield* web.goneOf(visitor.get(lastId)), -31_005)
      finish("six")
      yield* settled
      assert.strictEqual(yield* web.goneOf(visitor.get(lastId)), -31_005)
    }))

  it.effect("are missed by who comes back for them when their stream is over", () =>
    Effect.gen(function*() {
      const journal = yield* breakable
      const { begin, visitor } = yield* visited(journal)
      const { finish, read, tell } = yield* begin("a", "one")
      yield* read.message
      const lastId = read.lastId()
      journal.isBroken = true
      tell("two")
      yield* read.message
      journal.isBroken = false
      finish("three")
      yield* read.rest
      assert.strictEqual(yield* web.goneOf(visitor.get(lastId)), -31_005)
      assert.strictEqual((yield* visitor.get(read.lastId())).status, 200)
    }))

  it.effect("reach who reads them from the first on, and who comes back while they come", () =>
    Effect.gen(function*() {
      const goOn = yield* Deferred.make<void>()
      const journal = yield* breakable
      journal.isBroken = true
      const { begin, visitor } = yield* visited({
        ...journal,
        read: (...from) => Effect.andThen(Deferred.await(goOn), journal.read(...from))
      })
      const unkept = yield* begin("a", "one")
      unkept.tell("two")
      unkept.finish("three")
      assert.deepStrictEqual(texts(yield* unkept.read.rest), ["one", "two", "three"])
      journal.isBroken = false
      const { abort, finish, read, tell } = yield* begin("a", "one")
      yield* read.message
      const lastId = read.lastId()
      abort()
      tell("two")
      yield* settled
      const again = yield* Effect.forkChild(visitor.get(lastId))
      yield* settled
      journal.isBroken = true
      tell("three")
      yield* settled
      finish("four")
      yield* Deferred.succeed(goOn, undefined)
      assert.deepStrictEqual(texts(yield* (yield* Fiber.join(again)).read.rest), ["two", "three", "four"])
    }))
})
