/** Who asks for the digits of numbers is given them, and who does not is not. */
import { assert, describe, it } from "@effect/vitest"
import { Router } from "@parley/peer"
import * as Message from "@parley/protocol/Message"
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

/** As JavaScript would not write it. */
const rows = `[{"b":1.0,"1":"\\u0061"}]`

/** The results of calls that wait at once, where the other side answers with this text. */
const answered = Effect.fnUntraced(function*(text: string, ...calls: ReadonlyArray<{ readonly keepText?: boolean }>) {
  const { peer, wire } = yield* connect()
  const asking = yield* Effect.forEach(
    calls,
    (options) => Effect.forkChild(Effect.result(peer.request("a", [], options)), { startImmediately: true })
  )
  yield* settle
  yield* wire.send(text)
  yield* settle
  return yield* Effect.forEach(asking, Fiber.join)
})

const passed = (result: unknown): string =>
  Message.successText("9", { ...Object(result), more: 1 }).slice(`{"jsonrpc":"2.0","id":9,"result":`.length, -1)

const response = (id: number, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

describe("the text of a result", () => {
  it.effect("is kept for the call that asks for it, and for no other", () =>
    Effect.gen(function*() {
      const [kept] = yield* answered(response(1, `{"rows":${rows}}`), { keepText: true })
      assert.strictEqual(kept?._tag === "Success" && passed(kept.success), `{"rows":${rows},"more":1}`)
      const [plain] = yield* answered(response(1, `{"rows":${rows}}`), {})
      assert.strictEqual(plain?._tag === "Success" && passed(plain.success), `{"rows":[{"1":"a","b":1}],"more":1}`)
    }))

  it.effect("is kept where the response comes with others in one text", () =>
    Effect.gen(function*() {
      const [kept, plain, refused] = yield* answered(
        `[${response(1, `{"rows":${rows}}`)}, ${response(2, `{"rows":${rows}}`)},${response(3, `{"a":1,"a":2}`)}]`,
        { keepText: true },
        {},
        { keepText: true }
      )
      assert.strictEqual(kept?._tag === "Success" && passed(kept.success), `{"rows":${rows},"more":1}`)
      assert.strictEqual(plain?._tag === "Success" && passed(plain.success), `{"rows":[{"1":"a","b":1}],"more":1}`)
      assert.strictEqual(refused?._tag === "Failure" && refused.failure._tag, "InvalidResponse")
    }))

  it.effect("is refused where a name stands twice in it, and only for the call that asks for it", () =>
    Effect.gen(function*() {
      for (const length of [1, 2_000]) {
        const text = response(1, `{"a":{"b":"${"x".repeat(length)}","\\u0062":2}}`)
        const [refused] = yield* answered(text, { keepText: true })
        assert.include(
          refused?._tag === "Failure" ? refused.failure.message : "",
          `the response to a (id 1) is invalid: the name "b" stands twice in one object`
        )
        const [plain] = yield* answered(text, {})
        assert.deepStrictEqual(plain?._tag === "Success" && plain.success, { a: { b: 2 } })
      }
    }))

  it.effect("nests no deeper than any other", () =>
    Effect.gen(function*() {
      const nested = (levels: number) => response(1, `${"[".repeat(levels)}${"]".repeat(levels)}`)
      const [fits] = yield* answered(nested(511), { keepText: true })
      assert.strictEqual(fits?._tag, "Success")
      const [refused] = yield* answered(nested(600), { keepText: true })
      assert.strictEqual(refused?._tag === "Failure" && refused.failure._tag, "InvalidResponse")
    }))
})
