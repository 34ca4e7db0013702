/** Errors that keep the message of the wire, and take any JSON as their data. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Fiber, Schema } from "effect"
import { Contract, Method } from "../../src/index.ts"
import { calling, failure, pair, request, serving, started } from "../wire.ts"

/** As Ethereum's nodes have it: the data is a string, and the message has the reason. */
class Reverted extends Schema.TaggedError<Reverted>()("Reverted", {
  message: Schema.String,
  data: Schema.optionalKey(Schema.Union([Schema.Uint8ArrayFromHex, Schema.Array(Schema.Json), Schema.Null]))
}) {}

class Limited extends Schema.TaggedError<Limited>()("Limited", {
  why: Schema.String,
  until: Schema.Date,
  note: Schema.optionalKey(Schema.Json)
}) {}

class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { value: Schema.Json }) {}

const Bare = Schema.Struct({ text: Schema.String })

const errors = {
  3: Method.error(Reverted, { messageField: "message", dataField: "data" }),
  4: Method.error(Limited, { messageField: "why" }),
  5: Method.error(Unknown, { dataField: "value", message: "It is unknown" }),
  6: Method.error(Bare, { messageField: "text" })
}

const Chain = Contract.make("Chain", { call: Method.make({ params: { how: Schema.String }, errors }) })

const failingWith = (error: Method.ErrorOf<typeof errors>) => Chain.toLayer({ call: () => Effect.fail(error) })

const AnyError: Schema.Codec<Method.ErrorOf<typeof errors>> = Schema.Union([Reverted, Limited, Unknown, Bare]) as never

describe("an error with fields of the wire", () => {
  it.effect.prop(
    "of any value is read as it was written",
    { error: Arbitrary.schema(AnyError) },
    ({ error }) =>
      Effect.gen(function*() {
        const { peer } = yield* pair(failingWith(error))
        assert.deepStrictEqual(yield* Effect.flip(Chain.client(peer).call({ how: "so" })), error)
      })
  )

  for (
    const [what, error, object] of [
      [
        "a message of its own and a string as data",
        new Reverted({ message: "execution reverted", data: new Uint8Array([8]) }),
        {
          code: 3,
          message: "execution reverted",
          data: "08"
        }
      ],
      ["no data", new Reverted({ message: "reverted" }), { code: 3, message: "reverted" }],
      ["null as data", new Reverted({ message: "reverted", data: null }), { code: 3, message: "reverted", data: null }],
      ["its other fields as data", new Limited({ why: "slow down", until: new Date(0) }), {
        code: 4,
        message: "slow down",
        data: { until: "1970-01-01T00:00:00.000Z" }
      }],
      ["the declared message where no field is one", new Unknown({ value: [1] }), {
        code: 5,
        message: "It is unknown",
        data: [1]
      }],
      ["no data without other fields", { text: "no" }, { code: 6, message: "no" }]
    ] as const
  ) {
    it.effect(`has on the wire ${what}`, () =>
      Effect.gen(function*() {
        const { wire } = yield* serving(failingWith(error))
        yield* wire.send(request(1, "call", { how: "so" }))
        assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, error: object }])
      }))
  }

  it.effect("whose data does not fit stays a RemoteError", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const call = yield* started(Effect.flip(Chain.client(peer).call({ how: "so" })))
      yield* wire.take(1)
      yield* wire.send(failure(1, 3, "execution reverted", { not: "hex" }))
      const error = yield* Fiber.join(call)
      assert.deepInclude(error, { _tag: "RemoteError", code: 3, text: "execution reverted" })
    }))

  it("must have the fields, and a place for each", () => {
    const make = (spec: Method.ErrorSpec) => () =>
      Contract.make("Broken", { call: Method.make({ errors: { 1: spec } }) })
    assert.throws(
      make({ schema: Bare, messageField: "why" }),
      `contract Broken, member call: error 1 has no field "why"`
    )
    assert.throws(
      make({ schema: Limited, dataField: "until" }),
      `error 1 has "until" for its data, so that its field why has no place`
    )
  })
})
