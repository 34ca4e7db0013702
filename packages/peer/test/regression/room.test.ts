/** Room came, and nobody looked again; or nobody could look at anything else meanwhile. */
import { assert, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Fiber, Option } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type { Lookup } from "../../src/Handler.ts"
import * as Session from "../../src/Session.ts"
import * as Exchange from "../../src/shared/Exchange.ts"
import { connect, failure, notification, request, routerOf, settle, success } from "../wire.ts"

/** Some 12 MB of values in 0.2 MB of text. */
const heavy = (id: number) => request(id, "hang", Array.from({ length: 20_000 }, () => ({ i: [] })))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor turns in circles before a text without room", () =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const { wire } = yield* connect({ wait: () => Effect.as(Deferred.await(gate), null), hang: () => Effect.never }, {
      limits: { budget: 32 * 1024 * 1024 }
    })
    yield* wire.send(request(0, "wait"))
    for (let id = 1; id < 20; id++) yield* wire.send(heavy(id))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    assert.deepStrictEqual(wire.received, [{ jsonrpc: "2.0", id: 0, result: null }])
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor a call behind one whose time ran out", () =>
  Effect.gen(function*() {
    const { peer, wire } = yield* connect({}, { limits: { window: 1 } })
    yield* Effect.forkChild(Effect.exit(peer.request("first", undefined, { timeout: "1 second" })))
    yield* settle
    const second = yield* Effect.forkChild(peer.request("second"))
    yield* settle
    yield* TestClock.adjust("1 second")
    yield* settle
    yield* wire.send(success(2, "served"))
    assert.strictEqual(
      yield* Effect.flatMap(settle, () => Effect.fromNullishOr(second.pollUnsafe()).pipe(Effect.flatten)),
      "served"
    )
  }))

it.effect("promise 12: the receive loop waits for nothing but the transport: a cancel that came before its call was taken", () =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const { wire } = yield* connect({
      wait: () => Effect.as(Deferred.await(gate), null),
      hang: () => Effect.never,
      ping: () => Effect.succeed(null)
    }, { limits: { inFlight: 1, inbox: 1, batch: 1 } })
    const calls = [request(1, "wait"), request(2, "ping"), request(3, "hang"), request(4, "ping"), request(5, "ping")]
    yield* wire.send(...calls, notification("$/cancelRequest", { id: 3 }))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    assert.deepStrictEqual(wire.received.map((reply) => (reply as { id: number }).id), [1, 2, 3, 4, 5])
  }))

/** Values that outweigh the whole budget, in a text that is too short to be weighed before it is parsed. */
const outweighing = Array.from({ length: 10_000 }, () => ({}))

const refused = (id: number) => failure(id, -32000, "Overloaded")

it.effect("promise 22: when nothing moves, nothing waits that could move: nor a text that no budget of this size can hold", () =>
  Effect.gen(function*() {
    const router = yield* routerOf({ echo: ({ params }) => Effect.succeed(params ?? null) })
    const session = yield* Session.make({ router })
    for (const { answer } of [session, router]) {
      const reply = yield* answer(request(1, "echo", outweighing))
      assert.deepStrictEqual(JSON.parse(Option.getOrThrow(reply)), refused(1))
    }
    assert.isTrue(Option.isNone(yield* session.answer(notification("echo", outweighing))))
    assert.isUndefined(session.gone())

    const { wire } = yield* connect({ echo: ({ params }) => Effect.succeed(params ?? null) })
    yield* wire.send(request(2, "echo", outweighing), notification("echo", outweighing), request(3, "echo", [3]))
    yield* settle
    assert.deepStrictEqual(wire.received, [refused(2), { jsonrpc: "2.0", id: 3, result: [3] }])
  }).pipe(Effect.provideService(Budget.Budget, Budget.make(256 * 1024))))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor texts that together would fill the budget", () =>
  Effect.gen(function*() {
    const router = yield* routerOf({ wait: () => Effect.as(Effect.sleep(10), null) })
    const session = yield* Session.make({ router, limits: { budget: 10_000 } })
    const page = "x".repeat(1_000)
    const ids = Array.from({ length: 40 }, (_, id) => id)
    const all = yield* Effect.forkChild(
      Effect.forEach(ids, (id) => session.answer(request(id, "wait", [page])), { concurrency: "unbounded" })
    )
    for (const _ of ids) yield* Effect.andThen(settle, TestClock.adjust(10))
    yield* settle
    assert.isDefined(all.pollUnsafe(), "texts still wait")
    const replies = (yield* Fiber.join(all)).map((reply) => JSON.parse(Option.getOrThrow(reply)))
    assert.deepStrictEqual(replies, ids.map((id) => ({ jsonrpc: "2.0", id, result: null })))
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor a notification without room that somebody begins to listen to", () =>
  Effect.gen(function*() {
    const begin = yield* Deferred.make<void>()
    const { wire } = yield* connect({
      a: ({ peer }) =>
        Effect.gen(function*() {
          yield* Deferred.await(begin)
          const went = yield* Deferred.make<string>()
          // Nothing else happens: the handler neither calls nor ends.
          yield* Effect.orDie(peer.listen("go", {
            take: () => Deferred.doneUnsafe(went, Effect.succeed("went")),
            end: () => {}
          }))
          return yield* Deferred.await(went)
        }).pipe(Effect.scoped),
      b: () => Effect.succeed(null)
    }, { limits: { inFlight: 1, inbox: 1, batch: 1 } })
    yield* wire.send(request(1, "a"), request(2, "b"), notification("go"))
    yield* settle
    yield* Deferred.succeed(begin, undefined)
    yield* settle
    assert.deepStrictEqual(wire.received[0], { jsonrpc: "2.0", id: 1, result: "went" })
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: and a pause holds posts that bring no response", () =>
  Effect.gen(function*() {
    const heard: Array<unknown> = []
    const post: Exchange.Exchange["post"] = (text, take) =>
      Effect.gen(function*() {
        const { id } = JSON.parse(text)
        if (id !== undefined) yield* take(success(id, null)) ?? Effect.void
        for (const n of [1, 2]) yield* take(notification("n", [text.includes("ours") ? n : -n])) ?? Effect.void
        return "stream" as const
      })
    const caller = yield* Exchange.makeCaller({ post })
    yield* caller.listen("n", { take: (params) => heard.push(params) > 0, end: () => {} })
    const goOn = caller.pause()
    yield* Effect.forkChild(Effect.exit(caller.notify("note")), { startImmediately: true })
    assert.isNull(yield* caller.request("ours"))
    yield* settle
    assert.deepStrictEqual(heard, [])
    goOn()
    yield* settle
    assert.sameDeepMembers(heard, [[-1], [-2], [1], [2]])
  }))

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox: heavy ones of a session run one after the other", () =>
  Effect.gen(function*() {
    let running = 0
    let most = 0
    const work = Effect.acquireUseRelease(
      Effect.sync(() => {
        most = Math.max(most, ++running)
      }),
      () => Effect.as(Effect.sleep(10), null),
      () => Effect.sync(() => running--)
    )
    const router = yield* routerOf({ work: () => work })
    const session = yield* Session.make({ router, limits: { budget: 10 * 1024 * 1024 } })
    const ids = Array.from({ length: 10 }, (_, id) => id)
    const heavy = Array.from({ length: 20_000 }, () => ({ i: [] }))
    const all = yield* Effect.forkChild(
      Effect.forEach(ids, (id) => session.answer(request(id, "work", heavy)), { concurrency: "unbounded" })
    )
    for (const _ of ids) yield* Effect.andThen(settle, TestClock.adjust(10))
    const replies = (yield* Fiber.join(all)).map((reply) => JSON.parse(Option.getOrThrow(reply)))
    assert.deepStrictEqual(replies, ids.map((id) => ({ jsonrpc: "2.0", id, result: null })))
    assert.isAtMost(most, 3)
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor a text that another session had no room for", () =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<null>()
    const router = yield* routerOf({ wait: () => Deferred.await(gate), pass: () => Effect.succeed("passed") })
    const open = Effect.provideService(Session.make({ router }), Budget.Budget, Budget.make(5 * 1024 * 1024))
    const [first, second] = [yield* open, yield* open]
    const params = Array.from({ length: 20_000 }, () => ({ i: [] }))
    const one = yield* Effect.forkChild(first.answer(request(1, "wait", params)), { startImmediately: true })
    const other = yield* Effect.forkChild(second.answer(request(2, "pass", params)), { startImmediately: true })
    yield* settle
    assert.isUndefined(other.pollUnsafe())
    yield* Deferred.succeed(gate, null)
    yield* settle
    assert.isDefined(one.pollUnsafe())
    assert.isDefined(other.pollUnsafe())
  }))

/** How often texts are asked whether they have room, while so many wait in a session in which one call runs. */
const asked = (count: number) =>
  Effect.gen(function*() {
    const router = yield* routerOf({ tiny: () => Effect.as(Effect.yieldNow, null) })
    let asks = 0
    const counting: Lookup = {
      handlerOf: (method) => router.handlerOf(method),
      // It is asked of every text that finds the inbox full.
      isConcurrent: () => {
        asks++
        return false
      }
    }
    const session = yield* Session.make({ router: counting, limits: { inFlight: 1, inbox: 1, batch: 1 } })
    const ids = Array.from({ length: count }, (_, id) => id)
    const replies = yield* Effect.forEach(ids, (id) => session.answer(request(id, "tiny")), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(replies.map((reply) => JSON.parse(Option.getOrThrow(reply)).id), ids)
    return asks
  })

it.effect("promise 22: when nothing moves, nothing waits that could move: and a thousand that wait are not all asked at each step", () =>
  Effect.gen(function*() {
    assert.isBelow(yield* asked(1_000), 1_000 * 100)
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor what somebody begins to listen to, behind hundreds of requests without room", () =>
  Effect.gen(function*() {
    const router = yield* routerOf({ hang: () => Effect.never })
    const session = yield* Session.make({ router, limits: { inFlight: 1, inbox: 1, batch: 1, drain: 0 } })
    const ids = Array.from({ length: 200 }, (_, id) => id)
    yield* Effect.forkScoped(
      Effect.forEach(ids, (id) => session.answer(request(id, "hang")), { concurrency: "unbounded" })
    )
    yield* settle
    const caller = session.caller({ send: () => Effect.void })
    const heard: Array<string> = []
    // It waits behind the requests, and nobody listens to it yet.
    const told = yield* Effect.forkScoped(session.answer(notification("go")))
    yield* settle
    assert.isUndefined(told.pollUnsafe())
    yield* caller.listen("go", { take: () => heard.push("go") > 0, end: () => {} })
    yield* settle
    assert.deepStrictEqual(heard, ["go"])
  }))
