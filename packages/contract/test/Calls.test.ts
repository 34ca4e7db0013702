/** Methods and notifications: the typed client on one side, the handlers on the other. */
import { assert, describe, it } from "@effect/vitest"
import { Caller, type Handler } from "@parley/peer"
import { Deferred, Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Contract, Method, Notification } from "../src/index.ts"
import {
  calling,
  failure,
  notification,
  pair,
  parsed,
  quietly,
  request,
  serving,
  settle,
  started,
  success
} from "./wire.ts"

const Clock = Contract.make("Clock", {
  now: Method.make({ result: Schema.Date }),
  later: Method.make({ params: { by: Schema.Finite }, result: Schema.Finite, deadline: "10 seconds" }),
  set: Method.make({ params: { to: Schema.Date }, idempotent: true }),
  reset: Method.make({ deadline: Duration.infinity, idempotent: true }),
  tick: Notification.make({ params: { at: Schema.Date } }),
  hang: Notification.make(),
  ping: Method.make({ result: Schema.String, order: "concurrent" }),
  pong: Method.make({ result: Schema.String })
})

type Clocks = Contract.MembersOf<typeof Clock>

const handlers: Contract.Handlers<Clocks> = {
  now: () => Effect.succeed(new Date(0)),
  later: ({ by }) => Effect.succeed(by + 1),
  set: () => Effect.void,
  reset: () => Effect.void,
  tick: () => Effect.void,
  hang: () => Effect.never,
  ping: () => Effect.succeed("ping"),
  pong: () => Effect.succeed("pong")
}

/** These handlers need nothing. */
const live = (some: Partial<Contract.Handlers<Clocks>> = {}) => Clock.toLayer({ ...handlers, ...some }) as never

/** A caller that keeps what it is asked for. */
const recorder = () => {
  const asked: Array<Caller.CallOptions | undefined> = []
  const refused = Effect.never
  const caller = Caller.make({
    request: (_method, _params, options) => {
      asked.push(options)
      return Exit.succeed(null)
    },
    notify: () => Effect.void,
    batch: (_members, options) => {
      asked.push(options)
      return Effect.succeed([])
    },
    listen: () => refused,
    pause: () => () => {}
  })
  return { asked, caller }
}

describe("a method", () => {
  it.effect("gives what its handler gives, as its Schema has it", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(live())
      const clock = Clock.client(peer)
      assert.deepStrictEqual(yield* clock.now(), new Date(0))
      assert.strictEqual(yield* clock.later({ by: 1 }), 2)
      assert.isUndefined(yield* clock.set({ to: new Date(0) }))
      const { wire } = yield* serving(live())
      yield* wire.send(request(1, "now"), request(2, "set", { to: new Date(0) }))
      assert.deepStrictEqual(yield* wire.take(2), [
        parsed(success(1, "1970-01-01T00:00:00.000Z")),
        parsed(success(2, null))
      ])
    }))

  it.effect("may be called as often as one likes, also by the same Effect", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const call = Clock.client(peer).later({ by: 1 })
      const calls = yield* started(Effect.all([call, call], { concurrency: "unbounded" }))
      assert.deepStrictEqual(yield* wire.take(2), [
        parsed(request(1, "later", { by: 1 })),
        parsed(request(2, "later", { by: 1 }))
      ])
      yield* wire.send(success(2, 20), success(1, 10))
      assert.deepStrictEqual(yield* Fiber.join(calls), [10, 20])
      yield* started(call)
      assert.deepStrictEqual((yield* wire.take(3))[2], parsed(request(3, "later", { by: 1 })))
    }))

  it.effect("fails with InvalidResult when what comes does not fit", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const call = yield* started(Effect.flip(Clock.client(peer).now()))
      yield* wire.take(1)
      yield* wire.send(success(1, "yesterday"))
      const error = yield* Fiber.join(call)
      assert.deepInclude(error, { _tag: "InvalidResult", method: "now" })
      assert.include(error.message, "the response to now does not fit the contract")
    }))

  it.effect("without a result takes any", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const call = yield* started(Clock.client(peer).set({ to: new Date(0) }))
      yield* wire.take(1)
      yield* wire.send(success(1, { any: "thing" }))
      assert.isUndefined(yield* Fiber.join(call))
    }))

  it.effect("whose handler gives what does not fit answers -32603, for it is our fault", () =>
    Effect.gen(function*() {
      // What a handler without types may do.
      const wrong = () => Effect.succeed("tomorrow" as unknown as Date)
      const { wire } = yield* serving(
        live({ now: wrong, ping: () => Effect.andThen(Effect.yieldNow, Effect.die("no")) })
      )
      yield* wire.send(request(1, "now"), request(2, "ping"))
      assert.deepStrictEqual(yield* wire.take(2), [
        parsed(failure(1, -32603, "Internal error")),
        parsed(failure(2, -32603, "Internal error"))
      ])
    }).pipe(quietly))

  it.effect("shows its handler the call, and the peer to call back", () =>
    Effect.gen(function*() {
      const seen: Array<Handler.Call> = []
      const Other = Contract.make("Other", { name: Method.make({ params: [Schema.String], result: Schema.String }) })
      const { wire } = yield* serving(live({
        later: ({ by }, call) => {
          seen.push(call)
          return Effect.as(Effect.orDie(Other.client(call.peer).name(["who?"])), by)
        }
      }))
      yield* wire.send(`{"jsonrpc":"2.0","id":"a","method":"later","params":{"by":1},"more":true}`)
      assert.deepStrictEqual(yield* wire.take(1), [parsed(request(1, "name", ["who?"]))])
      yield* wire.send(success(1, "me"))
      assert.deepStrictEqual((yield* wire.take(2))[1], parsed(success("a", 1)))
      assert.deepInclude(seen[0], { id: "a", method: "later", extra: { more: true } })
    }))

  it.effect("that comes as a notification runs, and is not answered", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { wire } = yield* serving(live({ later: ({ by }) => Effect.sync(() => seen.push(by)) }))
      yield* wire.send(notification("later", { by: 3 }))
      yield* settle
      assert.deepStrictEqual([seen, wire.received], [[3], []])
    }))

  it.effect("may be called anything that an object may have", () =>
    Effect.gen(function*() {
      const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "then", "", "1"] as const
      const named = (name: string) => [name, Method.make({ result: Schema.String })] as const
      const Odd = Contract.make("Odd", Object.fromEntries(names.map(named)))
      const handlers = Object.fromEntries(names.map((name) => [name, () => Effect.succeed(`it is ${name}`)]))
      const { peer } = yield* pair(Odd.toLayer(handlers))
      const copies = [
        Odd,
        Contract.merge("Merged", Odd),
        Contract.pick("Picked", Odd, [...names]),
        Contract.omit("Omitted", Odd, [])
      ]
      for (const contract of copies) {
        const client: { readonly [name: string]: () => Effect.Effect<string, unknown> } = contract.client(peer)
        assert.sameMembers(Object.keys(client), [...names])
        for (const [name, call] of Object.entries(client)) assert.strictEqual(yield* call(), `it is ${name}`)
      }
    }))
})

describe("a codec that throws", () => {
  const Boom = Schema.String.check(Schema.makeFilter((text) => {
    if (text === "boom") throw new Error("boom")
    return undefined
  }))
  const Booming = Contract.make("Booming", {
    take: Method.make({ params: { text: Boom }, result: Schema.String }),
    give: Method.make({ params: { text: Schema.String }, result: Boom }),
    note: Notification.make({ params: { text: Boom } })
  })

  it.effect("is a defect of the call, and not of who makes it", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const booming = Booming.client(peer)
      const give = yield* started(Effect.exit(booming.give({ text: "" })))
      yield* wire.take(1)
      yield* wire.send(success(1, "boom"))
      const exits: ReadonlyArray<Exit.Exit<unknown, unknown>> = [
        yield* Fiber.join(give),
        yield* Effect.exit(booming.take({ text: "boom" })),
        yield* Effect.exit(booming.note({ text: "boom" }))
      ]
      for (const exit of exits) assert.isTrue(Exit.hasDies(exit) && !Exit.hasFails(exit))
      yield* settle
      assert.strictEqual(wire.received.length, 1)
    }))

  it.effect("promise 15: a defect answers -32603 without data, one of a codec too", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(Booming.toLayer({
        take: ({ text }) => Effect.succeed(text),
        give: ({ text }) => text === "later" ? Effect.as(Effect.yieldNow, "boom") : Effect.succeed(text),
        note: () => Effect.void
      }))
      yield* wire.send(request(1, "take", { text: "boom" }), request(2, "give", { text: "boom" }))
      yield* wire.send(request(3, "give", { text: "later" }), notification("note", { text: "boom" }))
      assert.deepStrictEqual(
        yield* wire.take(3),
        [1, 2, 3].map((id) => parsed(failure(id, -32603, "Internal error")))
      )
    }).pipe(quietly))
})

describe("what a handler acquires", () => {
  const counting = () => {
    const counts = { acquired: 0, released: 0 }
    const acquire = Effect.acquireRelease(
      Effect.sync(() => ++counts.acquired),
      () => Effect.sync(() => void counts.released++)
    )
    return { counts, acquire }
  }

  it.effect("is released when its call is over, before it is answered", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const { peer } = yield* pair(Clock.toLayer({
        ...handlers,
        later: ({ by }) => by > 0 ? acquire : Effect.andThen(acquire, Effect.die("no")),
        now: () => Effect.andThen(acquire, Effect.never),
        tick: () => acquire
      }) as never)
      const clock = Clock.client(peer)
      assert.strictEqual(yield* clock.later({ by: 1 }), 1)
      assert.deepStrictEqual(counts, { acquired: 1, released: 1 })
      yield* Effect.flip(clock.later({ by: 0 }))
      assert.deepStrictEqual(counts, { acquired: 2, released: 2 })
      yield* clock.tick({ at: new Date(0) })
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 3, released: 3 })
      const call = yield* started(clock.now())
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 4, released: 3 })
      yield* Fiber.interrupt(call)
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 4, released: 4 })
    }).pipe(quietly))
})

describe("a deadline", () => {
  const waitingFor = (call: (clock: Contract.Client<Clocks>) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const fiber = yield* started(Effect.flip(call(Clock.client(peer))))
      yield* wire.take(1)
      return fiber
    })

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, after the deadline of its method", () =>
    Effect.gen(function*() {
      const call = yield* waitingFor((clock) => clock.later({ by: 1 }))
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("11 millis")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", method: "later", milliseconds: 10_000 })
    }))

  it.effect("gives way to what a call says itself", () =>
    Effect.gen(function*() {
      const short = yield* waitingFor((clock) => clock.later({ by: 1 }, { timeout: "1 second" }))
      const long = yield* waitingFor((clock) => clock.later({ by: 1 }, { timeout: "1 hour" }))
      const usual = yield* waitingFor((clock) => clock.later({ by: 1 }, { onProgress: () => {} }))
      yield* TestClock.adjust("1010 millis")
      assert.deepInclude(yield* Fiber.join(short), { _tag: "RequestTimeout", milliseconds: 1000 })
      assert.isUndefined(usual.pollUnsafe())
      yield* TestClock.adjust("9 seconds")
      assert.deepInclude(yield* Fiber.join(usual), { _tag: "RequestTimeout", milliseconds: 10_000 })
      assert.isUndefined(long.pollUnsafe())
    }))

  it.effect("that a method has not is the caller's, and one without end has none", () =>
    Effect.gen(function*() {
      const usual = yield* waitingFor((clock) => clock.now())
      const never = yield* waitingFor((clock) => clock.reset())
      yield* TestClock.adjust("30010 millis")
      assert.deepInclude(yield* Fiber.join(usual), { _tag: "RequestTimeout", milliseconds: 30_000 })
      yield* TestClock.adjust("365 days")
      assert.isUndefined(never.pollUnsafe())
    }))
})

describe("a call tells its caller", () => {
  it.effect("promise 9: closing ends every call with Disconnected, and which may be made again", () =>
    Effect.gen(function*() {
      const { asked, caller } = recorder()
      const clock = Clock.client(caller)
      yield* Effect.ignore(clock.now())
      yield* clock.set({ to: new Date(0) })
      yield* clock.set({ to: new Date(0) }, { timeout: 5 })
      yield* Effect.ignore(clock.later({ by: 1 }, { extra: { a: 1 } }))
      yield* Effect.ignore(clock.later({ by: 1 }))
      assert.deepStrictEqual(asked.map((options) => options?.idempotent ?? false), [false, true, true, false, false])
      assert.deepStrictEqual(asked.map((options) => options?.timeout), [
        undefined,
        undefined,
        5,
        "10 seconds",
        "10 seconds"
      ])
      assert.deepStrictEqual(asked[3]?.extra, { a: 1 })
    }))

  it.effect("what else its message has", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      yield* started(Effect.ignore(Clock.client(peer).now(undefined, { extra: { traceparent: "00" } })))
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, method: "now", traceparent: "00" }])
    }))
})

describe("a notification", () => {
  it.effect("promise 20: a notification is never answered, and reaches its handler", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer } = yield* pair(live({ tick: ({ at }, { id }) => Effect.sync(() => seen.push([at, id])) }))
      yield* Clock.client(peer).tick({ at: new Date(7) })
      yield* settle
      assert.deepStrictEqual(seen, [[new Date(7), undefined]])
      const { wire } = yield* serving(live({
        tick: () => Effect.die("no"),
        hang: () => {
          throw new Error("no")
        }
      }))
      yield* wire.send(notification("tick", { at: new Date(0) }), notification("tick"), notification("hang"))
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }).pipe(quietly))

  it.effect("that comes as a request is answered null", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(live())
      yield* wire.send(request(1, "tick", { at: new Date(0) }))
      assert.deepStrictEqual(yield* wire.take(1), [parsed(success(1, null))])
    }))
})

describe("order", () => {
  it.effect("promise 13: notifications keep their order, and a method waits for them unless it is concurrent", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { wire } = yield* serving(live({ hang: () => Deferred.await(gate) }))
      yield* wire.send(notification("hang"), request(1, "pong"), request(2, "ping"))
      yield* settle
      assert.deepStrictEqual(wire.received, [parsed(success(2, "ping"))])
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual((yield* wire.take(2))[1], parsed(success(1, "pong")))
    }))
})

describe("a client", () => {
  it.effect("promise 9: closing ends every call with Disconnected, a typed one too", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const clock = Clock.client(peer)
      const call = yield* started(Effect.flip(clock.now()))
      yield* wire.take(1)
      yield* wire.transport.close
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", sent: true })
      assert.deepInclude(yield* Effect.flip(clock.now()), { _tag: "Disconnected", sent: false })
      yield* peer.closed
      assert.deepInclude(yield* Effect.flip(clock.hang()), { _tag: "Disconnected", sent: false })
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, and interrupts its handler", () =>
    Effect.gen(function*() {
      let interrupted = 0
      const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
      const { peer } = yield* pair(live({ now: () => never }))
      const call = yield* started(Clock.client(peer).now())
      yield* settle
      yield* Fiber.interrupt(call)
      yield* settle
      assert.strictEqual(interrupted, 1)
    }))
})
