import { assert, describe, it } from "@effect/vitest"
import * as Method from "@parley/contract/Method"
import * as Notification from "@parley/contract/Notification"
import { MethodCodec } from "@parley/contract/shared"
import { RemoteError } from "@parley/peer/Caller"
import { Cause, Effect, Schema } from "effect"

class NoFunds extends Schema.TaggedError<NoFunds>()("NoFunds", { missing: Schema.Int }) {}

const codec = MethodCodec.make(
  "withdraw",
  Method.make({
    params: { day: Schema.DateFromString },
    result: Schema.Struct({ left: Schema.FiniteFromString }),
    errors: { 1001: NoFunds }
  })
)

const day = new Date(0)

describe("the codec of a method", () => {
  it.effect("writes and reads params and results, and says what does not fit", () =>
    Effect.gen(function*() {
      const params = yield* codec.encodeParams({ day })
      assert.deepStrictEqual(params, { day: "1970-01-01T00:00:00.000Z" })
      assert.deepStrictEqual(yield* codec.decodeParams(params), { day })
      const refused = yield* Effect.flip(codec.decodeParams({ day: 1 }))
      assert.deepInclude(refused, { code: -32602 })
      assert.deepStrictEqual(yield* codec.encodeResult({ left: 1 }), { left: "1" })
      assert.deepStrictEqual(yield* codec.decodeResult({ left: "1" }), { left: 1 })
      const misfit = yield* Effect.flip(codec.decodeResult({ left: 1 }))
      assert.deepInclude(misfit, { _tag: "InvalidResult", method: "withdraw" })
    }))

  it.effect("writes and reads typed errors, and leaves others as they are", () =>
    Effect.gen(function*() {
      const response = yield* Effect.flip(codec.encodeFailure(Cause.fail(new NoFunds({ missing: 3 }))))
      assert.deepInclude(response, { code: 1001, data: { missing: 3 } })
      assert.deepInclude(yield* Effect.flip(codec.encodeFailure(Cause.fail("what?"))), { code: -32603 })
      const remote = (data: Schema.Json) => new RemoteError({ method: "withdraw", code: 1001, text: "NoFunds", data })
      assert.deepStrictEqual(yield* codec.decodeError(remote({ missing: 3 })), new NoFunds({ missing: 3 }))
      const other = remote({ missing: "much" })
      assert.strictEqual(yield* codec.decodeError(other), other)
    }))

  it.effect("without params, result and errors reads anything, and gives nothing", () =>
    Effect.gen(function*() {
      const bare = MethodCodec.make("go", Method.make())
      assert.isUndefined(yield* bare.encodeParams())
      assert.isUndefined(yield* bare.decodeParams({ a: 1 }))
      assert.isNull(yield* bare.encodeResult())
      assert.isUndefined(yield* bare.decodeResult({ a: 1 }))
      const told = MethodCodec.ofNotification("told", Notification.make({ params: { text: Schema.String } }))
      assert.deepStrictEqual(yield* told.encodeParams({ text: "x" }), { text: "x" })
      assert.deepInclude(yield* Effect.flip(told.decodeParams({})), { code: -32602 })
    }))
})
