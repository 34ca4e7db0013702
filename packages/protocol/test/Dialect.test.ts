import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "../src/Dialect.ts"

describe("Dialect", () => {
  it("make changes what is named, and leaves the rest as in JSON-RPC", () => {
    const made = Dialect.make({ name: "mine", batches: "refuse" })
    assert.deepStrictEqual(made, { ...Dialect.jsonRpc, name: "mine", batches: "refuse" })
  })

  it("jsonRpc cancels and tells progress as its libraries agree", () => {
    const { cancellation, overloadCode, partialResults, progress, traceContext } = Dialect.jsonRpc
    assert.deepStrictEqual(cancellation, {
      method: "$/cancelRequest",
      member: "id",
      reply: { code: -32800, message: "Request cancelled" },
      except: []
    })
    assert.deepStrictEqual(progress, { method: "$/progress", member: "token", request: ["workDoneToken"] })
    assert.deepStrictEqual(partialResults, {
      method: "$/progress",
      member: "token",
      request: ["partialResultToken"],
      value: "value"
    })
    assert.deepStrictEqual(traceContext, { in: "message", path: [] })
    assert.strictEqual(overloadCode, -32000)
    assert.deepStrictEqual([Dialect.jsonRpc.tooLargeCode, Dialect.jsonRpc.shutDownCode], [-32001, -32000])
  })

  it("lsp has headers and no batches, and cancels as JSON-RPC does", () => {
    const { batches, cancellation, framing, name } = Dialect.lsp
    assert.deepStrictEqual([name, framing, batches], ["lsp", "contentLength", "refuse"])
    assert.strictEqual(cancellation, Dialect.jsonRpc.cancellation)
  })

  it("ethereum has subscriptions by notifications, and a code of its own for too much", () => {
    const { cancellation, framing, nullParams, overloadCode, subscriptions } = Dialect.ethereum
    // As geth, which takes `"params":null`.
    assert.strictEqual(nullParams, "absent")
    assert.deepStrictEqual([framing, cancellation, overloadCode], ["concatenated", undefined, -32005])
    assert.deepStrictEqual(subscriptions, {
      notification: "eth_subscription",
      close: "eth_unsubscribe",
      id: "subscription",
      item: "result",
      error: undefined,
      end: undefined
    })
  })
})
