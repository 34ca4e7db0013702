import { assert, describe, it } from "@effect/vitest"
import * as EventStore from "@parley/mcp/http/EventStore"
import { Context, Effect, Layer, Option } from "effect"
import { KeyValueStore } from "effect/persistence"

const inMemory = Effect.sync(() => EventStore.makeMemory())

const keyed = Layer.build(EventStore.layerKeyValue.pipe(Layer.provideMerge(KeyValueStore.layerMemory)))

const dataOf = (events: Option.Option<ReadonlyArray<EventStore.StoredEvent>>) =>
  Option.getOrUndefined(Option.map(events, (events) => events.map(({ data }) => data)))

for (
  const { make, name } of [
    { name: "in memory", make: inMemory },
    { name: "in a KeyValueStore", make: Effect.map(keyed, (context) => Context.get(context, EventStore.EventStore)) }
  ]
) {
  describe(`events ${name}`, () => {
    it.effect("come back from behind an id, each stream by itself", () =>
      Effect.gen(function*() {
        const events = yield* make
        for (const id of ["a_1", "b_1", "a_2", "a_3"]) yield* events.put("s", { id, data: id })
        yield* events.put("t", { id: "a_1", data: "another session" })
        assert.deepStrictEqual(dataOf(yield* events.after("s", "a_0")), ["a_1", "a_2", "a_3"])
        assert.deepStrictEqual(dataOf(yield* events.after("s", "a_2")), ["a_3"])
        assert.deepStrictEqual(dataOf(yield* events.after("s", "a_3")), [])
        assert.deepStrictEqual(dataOf(yield* events.after("t", "a_0")), ["another session"])
      }))

    it.effect("are missed where they never were, or are no more", () =>
      Effect.gen(function*() {
        const events = yield* make
        yield* events.put("s", { id: "a_1", data: "1" })
        for (const id of ["a_2", "b_0", "a", "_1", "a_-1", ""]) {
          assert.strictEqual(dataOf(yield* events.after("s", id)), undefined, id)
        }
        yield* events.drop("s")
        assert.strictEqual(dataOf(yield* events.after("s", "a_0")), undefined)
      }))

    it.effect("of one session are bounded, but for the newest", () =>
      Effect.gen(function*() {
        const events = yield* make
        const data = "x".repeat(3_000_000)
        for (const id of ["a_1", "a_2"]) yield* events.put("s", { id, data })
        assert.strictEqual(dataOf(yield* events.after("s", "a_0")), undefined)
        assert.deepStrictEqual(dataOf(yield* events.after("s", "a_1")), [data])
        yield* events.put("s", { id: "b_1", data: data + data })
        assert.deepStrictEqual(dataOf(yield* events.after("s", "b_0")), [data + data])
        assert.strictEqual(dataOf(yield* events.after("s", "a_1")), undefined)
      }))
  })
}

describe("events in memory", () => {
  it.effect("of all sessions are bounded, those of the session that was quiet for longest go first", () =>
    Effect.gen(function*() {
      const events = EventStore.makeMemory({ session: 700, total: 800 })
      const put = (session: string, id: string) => events.put(session, { id, data: "x".repeat(60) })
      yield* put("s", "a_1")
      yield* put("t", "a_1")
      yield* put("s", "b_1")
      assert.strictEqual(dataOf(yield* events.after("t", "a_0")), undefined)
      assert.strictEqual(dataOf(yield* events.after("s", "b_0"))?.length, 1)
    }))
})

describe("events that hold next to nothing", () => {
  it.effect("cost what they cost all the same, so that there are not millions of them", () =>
    Effect.gen(function*() {
      const events = EventStore.makeMemory({ session: 10_000 })
      for (let place = 1; place <= 100; place++) yield* events.put("s", { id: `a_${place}`, data: "{}" })
      assert.strictEqual(dataOf(yield* events.after("s", "a_0")), undefined)
      assert.strictEqual(dataOf(yield* events.after("s", "a_70"))?.length, 30)
    }))
})

describe("events in a KeyValueStore that fails", () => {
  it.effect("are as if they were not there", () =>
    Effect.gen(function*() {
      const broken = KeyValueStore.makeStringOnly({
        get: () => Effect.fail(new KeyValueStore.KeyValueStoreError({ method: "get", message: "broken" })),
        set: () => Effect.fail(new KeyValueStore.KeyValueStoreError({ method: "set", message: "broken" })),
        remove: () => Effect.void,
        clear: Effect.void,
        size: Effect.succeed(0)
      } as never)
      const events = Context.get(
        yield* Layer.build(Layer.provide(EventStore.layerKeyValue, Layer.succeed(KeyValueStore.KeyValueStore, broken))),
        EventStore.EventStore
      )
      yield* events.put("s", { id: "a_1", data: "1" })
      assert.strictEqual(dataOf(yield* events.after("s", "a_0")), undefined)
    }))
})
