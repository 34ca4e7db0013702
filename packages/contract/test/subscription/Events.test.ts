/** The events of many subscriptions, which one listener hands to theirs. */
import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Caller } from "@parley/peer"
import { Arbitrary, Effect, Exit, Schema, Scope, Stream } from "effect"
import { Contract, Subscription } from "../../src/index.ts"
import * as Events from "../../src/internal/client/events.ts"

const carrier = Subscription.notifications({ notification: "ticked", close: "untick" })

const Ticker = Contract.make("Ticker", {
  ticks: Subscription.make({ params: { n: Schema.Int }, item: Schema.Int, carrier })
})

/** A caller in the hands of the test: subscriptions have the id of their param, and events come from `tick`. */
const calling = () => {
  const listeners = new Set<Caller.NotificationListener>()
  const calls = { listens: 0, looks: 0, closed: 0 }
  const caller = Caller.make({
    request: (method, params) =>
      Effect.sync(() => {
        if (method === "untick") calls.closed++
        return method === "ticks" ? Object(params).n : null
      }),
    notify: () => Effect.void,
    batch: () => Effect.succeed([]),
    pause: () => () => {},
    listen: (_method, listener) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => {
          calls.listens++
          listeners.add(listener)
        }),
        () => Effect.sync(() => listeners.delete(listener))
      ))
  })
  const tick = (subscription: number, result: number) => {
    for (const listener of listeners) {
      calls.looks++
      if (listener.take({ subscription, result })) return
    }
  }
  return { caller, calls, listeners, tick }
}

describe("many subscriptions of one caller", () => {
  it.effect("have one listener, which looks at each event once, and leaves with the last of them", () =>
    Effect.gen(function*() {
      const { caller, calls, listeners, tick } = calling()
      const client = Ticker.client(caller)
      const scope = yield* Scope.make()
      const seen: Array<number> = []
      const count = 1_000
      for (let n = 0; n < count; n++) {
        const ticks = Stream.runForEach(client.ticks({ n }), (item) => Effect.sync(() => void seen.push(item - n)))
        yield* Effect.forkIn(ticks, scope, { startImmediately: true })
      }
      yield* Effect.yieldNow
      for (let n = count - 1; n >= 0; n--) tick(n, n)
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      assert.deepStrictEqual(calls, { listens: 1, looks: count, closed: 0 })
      assert.deepStrictEqual(seen, Array.from({ length: count }, () => 0))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual([listeners.size, calls.closed], [0, count])
    }))

  const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
  // So few that many are given twice.
  const Id = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  const Step = Schema.Union([
    Schema.TaggedStruct("Opens", { subscriber: Small }),
    Schema.TaggedStruct("Opened", { subscriber: Small, id: Id }),
    Schema.TaggedStruct("Leaves", { subscriber: Small }),
    Schema.TaggedStruct("Event", { id: Id })
  ])

  it.prop(
    "get what their models get, in any order of opening, events and leaving",
    [Generators.sequence(Arbitrary.schema(Step), 40)],
    ([steps]) => {
      const events = new Events.Events("id", false)
      const subscribers = Array.from({ length: 4 }, () => {
        const seen: Array<unknown> = []
        return {
          seen,
          subscriber: new Events.Subscriber((event) => void seen.push(event["item"]), () => {}),
          state: "new" as "new" | "opening" | "open" | "over",
          id: -1,
          early: [] as Array<{ readonly id: number; readonly item: number }>,
          expected: [] as Array<unknown>
        }
      })
      /** Those that are open, in the order in which they opened. */
      const open: Array<(typeof subscribers)[number]> = []
      let item = 0
      for (const step of steps) {
        if (step._tag === "Event") {
          const event = { id: step.id, item: ++item }
          const owner = open.find(({ id }) => id === step.id)
          owner?.expected.push(event.item)
          if (owner === undefined) { for (const one of subscribers) if (one.state === "opening") one.early.push(event) }
          assert.strictEqual(events.take(event), owner !== undefined)
          continue
        }
        const one = subscribers[step.subscriber]
        assert(one !== undefined)
        if (step._tag === "Opens" && one.state === "new") {
          one.state = "opening"
          events.opens(one.subscriber)
        } else if (step._tag === "Opened" && one.state === "opening") {
          one.state = "open"
          one.id = step.id
          open.push(one)
          const own = one.early.filter(({ id }) => id === step.id)
          one.expected.push(...own.map((event) => event.item))
          // An event belongs to one subscription.
          for (const other of subscribers) other.early = other.early.filter((event) => !own.includes(event))
          assert.strictEqual(events.opened(one.subscriber, step.id), 0)
        } else if (step._tag === "Leaves" && (one.state === "opening" || one.state === "open")) {
          events.leaves(one.subscriber, one.state === "open" ? one.id : undefined)
          one.state = "over"
          if (open.includes(one)) open.splice(open.indexOf(one), 1)
        }
      }
      for (const { expected, seen } of subscribers) assert.deepStrictEqual(seen, expected)
    },
    { arbitrary: { runs: 3_000 } }
  )
})
