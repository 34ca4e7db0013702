/** Promises 11, 13 and 17: what need not wait for the notifications before it, and what waits for a reply. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ErrorResponse, type Handler, Router } from "../src/index.ts"
import { connect, failure, notification, request, settle, success } from "./wire.ts"

const echo: Handler.Handler = (call) => Effect.succeed(call.params ?? null)

const reply = (id: number, result: unknown) => ({ jsonrpc: "2.0", id, result })

/** A router whose `ping` is concurrent. */
const concurrent = (handlers: Router.Handlers) =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.addAll(handlers)
    yield* router.add("ping", echo, { order: "concurrent" })
    return router
  })

describe("a concurrent method", () => {
  it.effect("promise 13: notifications keep their order, and what is concurrent does not wait for them", () =>
    Effect.gen(function*() {
      const router = yield* concurrent({ hang: () => Effect.never, echo })
      const { wire } = yield* connect({}, { router })
      yield* wire.send(notification("hang"), request(1, "echo"), request(2, "ping", [2]), notification("ping"))
      yield* settle
      assert.deepStrictEqual(wire.received, [reply(2, [2])])
      yield* TestClock.adjust("30010 millis")
      assert.deepStrictEqual(wire.received, [reply(2, [2]), reply(1, null)])
    }))

  it.effect("promise 13: notifications keep their order, and what is concurrent passes even a full inbox", () =>
    Effect.gen(function*() {
      const router = yield* concurrent({ hang: () => Effect.never, echo })
      const { wire } = yield* connect({}, { router, limits: { inbox: 2, batch: 2 } })
      yield* wire.send(notification("hang"), request(1, "echo"), request(2, "echo"))
      yield* wire.send(request(3, "ping"), request(4, "echo"), request(5, "ping"))
      yield* settle
      // What comes behind a call that has no room is not read.
      assert.deepStrictEqual(wire.received, [reply(3, null)])
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, concurrent ones too", () =>
    Effect.gen(function*() {
      const gates = new Map<unknown, Deferred.Deferred<string>>()
      const gate = (id: unknown) => {
        const found = gates.get(id) ?? Deferred.makeUnsafe<string>()
        gates.set(id, found)
        return found
      }
      const open = (...ids: ReadonlyArray<number>) =>
        Effect.andThen(Effect.forEach(ids, (id) => Deferred.succeed(gate(id), "open")), settle)
      const router = yield* Router.make()
      yield* router.addAll({ hang: () => Effect.never, echo })
      yield* router.add("wait", (call) => Deferred.await(gate(call.id)), { order: "concurrent" })
      const { wire } = yield* connect({}, { router, limits: { inFlight: 2, inbox: 4, batch: 4 } })
      yield* wire.send(notification("hang"), ...[1, 2, 3].map((id) => request(id, "wait")), request(4, "echo"))
      yield* wire.send(request(5, "wait"))
      yield* settle
      yield* open(3, 5)
      assert.deepStrictEqual(wire.received, [])
      // What waited for a place waits for nothing else: 3 and 5 run, and 4 still waits for the notification.
      yield* open(1)
      assert.deepStrictEqual(wire.received, [reply(1, "open"), reply(3, "open"), reply(5, "open")])
      yield* open(2)
      assert.deepStrictEqual(wire.received.slice(3), [reply(2, "open")])
      yield* TestClock.adjust("30010 millis")
      assert.deepStrictEqual(wire.received.slice(4), [reply(4, null)])
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, none where the budget is spent", () =>
    Effect.gen(function*() {
      const router = yield* concurrent({ hang: () => Effect.never })
      const { wire } = yield* connect({}, { router })
      yield* wire.send(notification("hang", ["x".repeat(1000)]), request(1, "ping"))
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }).pipe(Effect.scoped, Effect.provideService(Budget.Budget, Budget.make(1000))))

  it.effect("promise 13: notifications keep their order; no response waits for their handlers, and a listener hears them before", () =>
    Effect.gen(function*() {
      const heard: Array<string> = []
      const { peer, wire } = yield* connect({
        slow: () => Effect.andThen(Effect.sleep("1 second"), Effect.sync(() => void heard.push("slow")))
      })
      yield* peer.listen("update", {
        take: (params) => heard.push(JSON.stringify(params)) > 0,
        end: () => {}
      })
      const call = yield* Effect.forkChild(
        Effect.tap(peer.request("m"), () => Effect.sync(() => void heard.push("response"))),
        {
          startImmediately: true
        }
      )
      yield* settle
      yield* wire.send(notification("slow"), notification("update", [1]), notification("update", [2]), success(1, null))
      yield* Fiber.join(call)
      assert.deepStrictEqual(heard, ["[1]", "[2]", "response"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heard, ["[1]", "[2]", "response", "slow"])
    }))

  it.effect("is so while it is added, and for `answer` too", () =>
    Effect.gen(function*() {
      const router = yield* concurrent({ hang: () => Effect.never, echo })
      const scope = yield* Scope.make()
      yield* Scope.provide(router.addAll({ one: echo, two: echo }, { order: "concurrent" }), scope)
      const methods = ["ping", "one", "two", "echo", "hang", "unknown"]
      assert.deepStrictEqual(methods.map(router.isConcurrent), [true, true, true, false, false, false])
      const order: Array<string> = []
      yield* router.add("early", () => Effect.sync(() => void order.push("early")), { order: "concurrent" })
      yield* router.add("late", () => Effect.sync(() => void order.push("late")), { order: "afterNotifications" })
      yield* Effect.forkChild(router.answer(`[${notification("hang")},${request(1, "late")},${request(2, "early")}]`), {
        startImmediately: true
      })
      yield* TestClock.adjust("30010 millis")
      assert.deepStrictEqual(order, ["early", "late"])
      yield* Scope.close(scope, Exit.void)
      yield* router.add("one", echo)
      assert.isFalse(router.isConcurrent("one"))
    }))
})

const after = (call: Handler.Call, item: string) => call.afterReply(Effect.ignore(call.peer.notify("item", [item])))

/** Sends an item when it is answered. */
const subscribe: Handler.Handler = (call) =>
  Effect.sync(() => {
    after(call, String(call.id))
    return "subscribed"
  })

const item = (name: string) => ({ jsonrpc: "2.0", method: "item", params: [name] })

describe("what runs after a reply", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response, or after: what runs after the reply", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        now: subscribe,
        later: (call) => Effect.andThen(Effect.yieldNow, subscribe(call)),
        twice: (call) => (after(call, "a"), after(call, "b"), Effect.succeed("c"))
      })
      yield* wire.send(request(1, "now"))
      yield* wire.take(2)
      yield* wire.send(request(2, "later"))
      yield* wire.take(4)
      yield* wire.send(request(3, "twice"))
      assert.deepStrictEqual(yield* wire.take(7), [
        reply(1, "subscribed"),
        item("1"),
        reply(2, "subscribed"),
        item("2"),
        reply(3, "c"),
        item("a"),
        item("b")
      ])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response, or after: for a member when its batch is answered", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        subscribe,
        slow: () => Effect.as(Effect.sleep(10), "slow"),
        fail: (call) => (after(call, "failed"), Effect.fail(ErrorResponse.make(1, "no")))
      })
      yield* wire.send(
        `[${request(1, "subscribe")},${request(2, "slow")},${request(3, "fail")},${request(4, "subscribe")}]`
      )
      yield* settle
      assert.deepStrictEqual(wire.received, [])
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(yield* wire.take(3), [
        [reply(1, "subscribed"), reply(2, "slow"), failure(3, 1, "no"), reply(4, "subscribed")],
        item("1"),
        item("4")
      ])
      yield* settle
      assert.strictEqual(wire.received.length, 3)
    }))

  it.effect("runs for a notification whose handler ended well", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        well: (call) => Effect.sync(() => after(call, "well")),
        badly: (call) => (after(call, "badly"), Effect.fail(ErrorResponse.make(1, "no")))
      })
      yield* wire.send(notification("badly"), notification("well"), `[${notification("well")}]`)
      yield* settle
      assert.deepStrictEqual(wire.received, [item("well"), item("well")])
    }))

  it.effect("does not run for what failed, was cancelled, or could not be written", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        fail: (call) => (after(call, "fail"), Effect.fail(ErrorResponse.make(1, "no"))),
        die: (call) => (after(call, "die"), Effect.die("no")),
        cancel: (call) => (after(call, "cancel"), Effect.never),
        write: (call) => (after(call, "write"), Effect.succeed(BigInt(1) as unknown as null)),
        large: (call) => (after(call, "large"), Effect.succeed("x".repeat(1000)))
      }, { limits: { batchReply: 500 } })
      yield* wire.send(...["fail", "die", "cancel", "write"].map((method, id) => request(id, method)))
      yield* wire.send(`[${request(4, "large")}]`, notification("$/cancelRequest", { id: 2 }))
      yield* settle
      const codes = wire.received.flat().map((message) => [Object(message).id, Object(message).error?.code])
      assert.deepStrictEqual(codes, [[0, 1], [1, -32603], [3, -32603], [4, -32001], [2, -32800]])
    }))

  it.effect("does not run where a call that is not answered was cancelled", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "test", cancellation: Dialect.cancelledNotification([]) })
      const { wire } = yield* connect({ cancel: (call) => (after(call, "cancel"), Effect.never) }, { dialect })
      yield* wire.send(request(1, "cancel"), notification("notifications/cancelled", { requestId: 1 }))
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }))

  it.effect("is ignored where a call stands alone", () =>
    Effect.gen(function*() {
      let ran = 0
      const router = yield* Router.make()
      yield* router.add("m", (call) => {
        call.afterReply(Effect.sync(() => void ran++))
        return Effect.succeed(call.connection === undefined && call.partialResult === undefined)
      })
      const answer = yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"partialResultToken":1}}`)
      yield* settle
      assert.strictEqual(answer.valueOrUndefined, success(1, true))
      assert.strictEqual(ran, 0)
    }))
})

describe("a call names", () => {
  it.effect("its connection, the same for all of one", () =>
    Effect.gen(function*() {
      const seen: Array<object | undefined> = []
      const router = yield* Router.make()
      yield* router.add("m", (call) => Effect.sync(() => void seen.push(call.connection)))
      const [one, other] = [yield* connect({}, { router }), yield* connect({}, { router })]
      yield* one.wire.send(request(1, "m"), notification("m"))
      yield* settle
      yield* other.wire.send(request(1, "m"))
      yield* settle
      const [first, second, third] = seen
      assert.isDefined(first)
      assert.strictEqual(first, second)
      assert.isDefined(third)
      assert.notStrictEqual(first, third)
    }))
})
