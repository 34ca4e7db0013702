/** The text of a result is kept for who asks for it, and a result in which a name stands twice is refused. */
import { assert, describe, it } from "@effect/vitest"
import * as Message from "@parley/protocol/Message"
import { Effect, Fiber } from "effect"
import { connect, settle } from "./wire.ts"

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
