/** Numbers beyond the range of a double, found without looking at the values of nearly every text. */
import { assert, describe, it } from "@effect/vitest"
import * as Batch from "@parley/protocol/Batch"
import { Arbitrary, Result, Schema } from "effect"

const finite = (text: string) => Batch.finite(Batch.decode(text), text)

const isRefused = (batch: Batch.Batch) => !Batch.isMembers(batch) && Result.isFailure(batch)

const below = (maximum: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })))

/** A number of JSON near the end of the range, in any spelling. */
const number = Arbitrary.map(
  Arbitrary.all({ whole: below(330), fraction: below(3), exponent: below(420), sign: below(2), zeros: below(2) }),
  ({ exponent, fraction, sign, whole, zeros }) =>
    `${whole % 2 === 0 ? "" : "-"}${whole === 0 ? "0" : "7".repeat(whole)}${
      fraction === 0 ? "" : `.${"3".repeat(fraction)}`
    }${exponent > 350 ? "" : `${exponent % 2 === 0 ? "e" : "E"}${["", "+", "-"][sign]}${"0".repeat(zeros)}${exponent}`}`
)

describe("Batch.finite", () => {
  it.prop(
    "refuses a request exactly where a number of its params is infinite",
    [number, below(300)],
    ([number, pad]) => {
      const text = `{"jsonrpc":"2.0","id":1e999,"method":"m","params":{"a":[${" ".repeat(pad)}${number}]}}`
      assert.strictEqual(isRefused(finite(text)), !Number.isFinite(Number(number)), number)
    },
    { arbitrary: { runs: 1_000 } }
  )

  it.each([
    ["few", "0,"],
    ["many", `"e",`]
  ])("searches a long text that has %s letters of exponents", (_, filler) => {
    for (const number of ["1e308", "1e309", "1E+309", "1e-309"]) {
      const text = `{"jsonrpc":"2.0","id":7,"result":[${filler.repeat(2_000)}${number}]}`
      assert.strictEqual(isRefused(finite(text)), !Number.isFinite(Number(number)), number)
    }
  })

  it.each([
    [`{"jsonrpc":"2.0","id":1e999,"method":"m","params":["1e999"]}`, false],
    [`{"jsonrpc":"2.0","id":7,"method":"m","more":[1e999]}`, true],
    [`{"jsonrpc":"2.0","id":7,"result":{"":1e999}}`, true],
    [`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m","data":1e999}}`, false],
    [`{"jsonrpc":"2.0","id":7,"method":"m","params":{"__proto__":1e999}}`, true],
    [`{"jsonrpc":"2.0","id":7,"method":"${"1".repeat(400)}","params":[1e-999]}`, false]
  ])("%s: %s", (text, expected) => {
    assert.strictEqual(isRefused(finite(text)), expected)
  })

  it("gives a refusal the id of its request or response, and drops a notification", () => {
    const refusals = finite(`[
      {"jsonrpc":"2.0","id":1.0,"method":"m","params":[1e999]},
      {"jsonrpc":"2.0","method":"m","params":[1e999]},
      {"jsonrpc":"2.0","id":"a","result":-1e999},
      {"jsonrpc":"2.0","id":2,"result":1}
    ]`)
    assert.isTrue(Batch.isMembers(refusals))
    const told = (Batch.isMembers(refusals) ? refusals : []).map((member) =>
      Result.match(member, {
        onFailure: (error) => [error._tag, "id" in error ? JSON.stringify(error.id) : undefined],
        onSuccess: ({ _tag }) => [_tag]
      })
    )
    assert.deepStrictEqual(told, [["InvalidRequest", "1.0"], ["InvalidResponse", "null"], ["InvalidResponse", `"a"`], [
      "Success"
    ]])
  })
})
