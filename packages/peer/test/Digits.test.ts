/** Who asks for the digits of numbers is given them, and who does not is not. */
import { assert, describe, it } from "@effect/vitest"
import { Router } from "@parley/peer"
import { Effect, Fiber, Logger, Option, References } from "effect"
import { connect, settle } from "./wire.ts"

describe("digits", () => {
  it.effect("of a method's params are those of the wire, as long as it is served", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const text = (method: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[1.0]}`
      const echo = Effect.scoped(Effect.gen(function*() {
        yield* router.add("exact", ({ params }) => Effect.succeed(params ?? null), { exact: true })
        yield* router.add("plain", ({ params }) => Effect.succeed(params ?? null))
        return [yield* router.answer(text("exact")), yield* router.answer(text("plain"))]
      }))
      const answer = (result: string) => Option.some(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
      assert.deepStrictEqual(yield* echo, [answer("[1.0]"), answer("[1]")])
      assert.strictEqual(router.exact.size, 0)
    }))

  it.effect("of numbers beyond the range of doubles are read where they are asked for", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      yield* router.add("exact", ({ params }) => Effect.succeed(params ?? null), { exact: true })
      const answer = yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"exact","params":[1e999]}`)
      assert.deepStrictEqual(answer, Option.some(`{"jsonrpc":"2.0","id":1,"result":[1e999]}`))
    }))

  it.effect("that would exceed the budget are refused", () =>
    Effect.gen(function*() {
      const router = yield* Router.make({ limits: { budget: 4_096 } })
      yield* router.add("exact", () => Effect.succeed(1), { exact: true })
      const params = `[${Array.from({ length: 100 }, () => "1.0").join()}]`
      const answer = yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"exact","params":${params}}`)
      assert.include(Option.getOrThrow(answer), `"code":-32600`)
    }))

  it.effect("of a notification that would exceed the budget are dropped, and the log names the notification", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make((entry) => void lines.push(entry.message))
      const { peer, wire } = yield* connect({}, { limits: { budget: 4_096 } }).pipe(
        Effect.provideService(References.MinimumLogLevel, "Debug"),
        Effect.provide(Logger.layer([logger]))
      )
      yield* peer.listen("told", { exact: true, take: () => true, end: () => {} })
      const params = `[${Array.from({ length: 100 }, () => "1.0").join()}]`
      yield* wire.send(`{"jsonrpc":"2.0","method":"told","params":${params}}`)
      yield* wire.send(`{"jsonrpc":"2.0","method":"other","params":[1e999]}`)
      yield* settle
      assert.deepStrictEqual(lines, [
        [
          "dropped the notification told: the digits of its numbers cannot be kept: "
          + "RangeError: its numbers exceed the budget"
        ],
        ["dropped the notification other: a number in `params` is beyond the range of a double"]
      ])
      assert.deepStrictEqual(wire.received, [])
    }))

  it.effect("of a notification are those of the wire where a listener asks for them", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const heard: Array<unknown> = []
      const listen = (exact: boolean) =>
        peer.listen("told", { exact, take: (params) => (heard.push(JSON.stringify(params)), true), end: () => {} })
      const tell = Effect.andThen(wire.send(`{"jsonrpc":"2.0","method":"told","params":[1.0]}`), settle)
      yield* Effect.scoped(Effect.andThen(listen(true), tell))
      yield* Effect.scoped(Effect.andThen(listen(false), tell))
      assert.deepStrictEqual(heard, ["[1.0]", "[1]"])
    }))

  it.effect("of the data of an error are those of the wire where its call asks for them", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const asking = yield* Effect.forkChild(Effect.flip(peer.request("a", [], { exact: true })), {
        startImmediately: true
      })
      const leaving = yield* Effect.forkChild(Effect.flip(peer.request("b")), { startImmediately: true })
      yield* wire.send(
        `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m","data":1.0}}`,
        `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":1.0}}`
      )
      assert.include(JSON.stringify(yield* Fiber.join(asking)), `"data":1.0`)
      assert.notInclude(JSON.stringify(yield* Fiber.join(leaving)), "1.0")
    }))
})
