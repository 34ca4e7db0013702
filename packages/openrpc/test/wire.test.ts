/** A document describes what is on the wire, which a contract may name in its own way. */
import { assert, describe, it } from "@effect/vitest"
import { Contract, Digits, Method } from "@parley/contract"
import { Codegen, OpenRpc } from "@parley/openrpc"
import { Result, Schema } from "effect"

class Reverted extends Schema.TaggedError<Reverted>()("Reverted", { message: Schema.String, data: Schema.String }) {}

class Busy extends Schema.TaggedError<Busy>()("Busy", { seconds: Schema.Int }, { description: "try later" }) {}

class Limited extends Schema.TaggedError<Limited>()("Limited", { why: Schema.String, until: Schema.Int }) {}

const Chain = Contract.make("Chain", {
  call: Method.make({
    method: "eth_call",
    params: { amount: Digits.UInt64, price: Digits.Decimal },
    result: Digits.BigInteger,
    errors: {
      3: Method.error(Reverted, { messageField: "message", dataField: "data" }),
      4: Method.error(Limited, { messageField: "why" }),
      5: Method.error(Busy, { dataField: "seconds" })
    }
  })
})

describe("a document", () => {
  it("has names, numbers and errors as they are on the wire", () => {
    const [method] = OpenRpc.fromContract(Chain).methods
    assert.strictEqual(method?.name, "eth_call")
    assert.deepInclude(Object(method?.params[0]).schema, { type: "integer" })
    assert.deepInclude(Object(method?.params[1]).schema, { type: "number" })
    assert.deepStrictEqual(method?.errors, [
      { code: 3, message: "Reverted", data: { type: "string" } },
      {
        code: 4,
        message: "Limited",
        data: { type: "object", properties: { until: { type: "integer" } }, required: ["until"] }
      },
      { code: 5, message: "try later", data: { type: "integer" } }
    ])
  })

  it("gives a contract whose errors travel in the same way", () => {
    const text = Result.getOrThrow(Codegen.toModule(OpenRpc.fromContract(Chain)))
    for (
      const line of [
        `3: Method.error(Reverted, { messageField: "message", dataField: "data" }),`,
        `4: Method.error(Limited, { messageField: "why" }),`,
        `5: Method.error(Busy, { message: "try later", dataField: "seconds" })`,
        `("Busy", { seconds: Schema.Int }) {}`
      ]
    ) assert.include(text, line)
  })

  it("refuses members that share a method, and names them", () => {
    const Shared = Contract.make("Shared", {
      one: Method.make({ method: "both" }),
      two: Method.make({ method: "both" })
    })
    assert.throws(() => OpenRpc.fromContract(Shared), "the members one and two share the method both")
  })
})
