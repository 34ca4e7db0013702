/** What stands on the wire: JSON-RPC 2.0, and nothing of Effect's own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { EffectRpc } from "../src/index.ts"
import { Bank, handlers } from "./Bank.ts"
import { answers, pair } from "./sides.ts"

const served = Layer.provide(EffectRpc.layerHandlers(Bank), Bank.toLayer(handlers))

const contract = EffectRpc.contract("Bank", Bank)

const cases: ReadonlyArray<readonly [title: string, request: string, response: string]> = [
  [
    "a result",
    `{"jsonrpc":"2.0","id":1,"method":"withdraw","params":{"amount":1}}`,
    `{"jsonrpc":"2.0","id":1,"result":4}`
  ],
  [
    "a result of params by position",
    `{"jsonrpc":"2.0","id":"a","method":"withdraw","params":[2]}`,
    `{"jsonrpc":"2.0","id":"a","result":3}`
  ],
  ["no payload and no result", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `{"jsonrpc":"2.0","id":0,"result":null}`],
  [
    "an error by its code, without its tag",
    `{"jsonrpc":"2.0","id":1,"method":"withdraw","params":{"amount":9}}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"Insufficient","data":{"balance":5}}}`
  ],
  [
    "another error of the union, with the message that it describes itself by",
    `{"jsonrpc":"2.0","id":1,"method":"withdraw","params":{"amount":900}}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":1002,"message":"The account is frozen","data":{"since":"1970-01-01T00:00:00.000Z"}}}`
  ],
  [
    "an error by the code that its Rpc names, without data where it has no fields",
    `{"jsonrpc":"2.0","id":1,"method":"find","params":{"name":"Bob"}}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":404,"message":"NotFound"}}`
  ],
  [
    "a result as its Schema writes it",
    `{"jsonrpc":"2.0","id":1,"method":"find","params":{"name":"Ada"}}`,
    `{"jsonrpc":"2.0","id":1,"result":"1970-01-01T00:00:00.000Z"}`
  ],
  [
    "a payload that is no object, as the only positional parameter",
    `{"jsonrpc":"2.0","id":1,"method":"length","params":["four"]}`,
    `{"jsonrpc":"2.0","id":1,"result":4}`
  ],
  [
    "a payload that is a tuple, by position",
    `{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}`,
    `{"jsonrpc":"2.0","id":1,"result":19}`
  ],
  ["what comes later", `{"jsonrpc":"2.0","id":1,"method":"later"}`, `{"jsonrpc":"2.0","id":1,"result":"at last"}`],
  [
    "promise 15: a defect answers -32603 without data: that of an Rpc's handler",
    `{"jsonrpc":"2.0","id":1,"method":"breaks"}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`
  ],
  [
    "an unknown method",
    `{"jsonrpc":"2.0","id":1,"method":"nothing"}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":"nothing"}}`
  ],
  [
    "all items of a stream in the response, where the caller names no token",
    `{"jsonrpc":"2.0","id":1,"method":"entries","params":{"count":2}}`,
    `{"jsonrpc":"2.0","id":1,"result":[{"at":"1970-01-01T00:00:01.000Z","amount":1},{"at":"1970-01-01T00:00:02.000Z","amount":2}]}`
  ],
  [
    "how a stream fails",
    `{"jsonrpc":"2.0","id":1,"method":"entries","params":{"count":4}}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"Insufficient","data":{"balance":3}}}`
  ]
]

describe("the wire has", () => {
  for (const [title, request, response] of cases) {
    it.effect(title, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* answers(served, [request], 1), [response])
      }))
  }

  const refused: ReadonlyArray<readonly [method: string, params: string, path: string]> = [
    ["withdraw", `{"amount":"one"}`, `["amount"]`],
    ["withdraw", `{}`, `["amount"]`],
    ["withdraw", `[]`, `["amount"]`],
    ["withdraw", `[1,null,3]`, `[]`],
    ["length", `{"text":"four"}`, `[]`],
    ["length", `[4]`, `[0]`],
    ["length", `[]`, `[0]`],
    ["ping", `[1]`, `[]`],
    ["entries", `{"count":1.5}`, `["count"]`]
  ]
  for (const [method, params, path] of refused) {
    it.effect(`-32602 and where it is wrong: ${method} ${params}`, () =>
      Effect.gen(function*() {
        const request = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`
        const [response = ""] = yield* answers(served, [request], 1)
        const start =
          `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":[{"path":${path},`
        assert.strictEqual(response.slice(0, start.length), start)
      }))
  }

  it.effect("promise 20: a notification is never answered: not when it fails, and not when it streams", () =>
    Effect.gen(function*() {
      const notified = ["withdraw", "breaks", "entries", "nothing"].map((method) =>
        JSON.stringify({ jsonrpc: "2.0", method, params: { amount: 9, count: 2 } })
      )
      const last = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
      assert.deepStrictEqual(yield* answers(served, [...notified, last], 1), [
        `{"jsonrpc":"2.0","id":1,"result":null}`
      ])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response: the items of a stream", () =>
    Effect.gen(function*() {
      const request = (count: number) =>
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "entries", params: { count, partialResultToken: "t" } })
      const item = (amount: number) => `{"at":"1970-01-01T00:00:0${amount}.000Z","amount":${amount}}`
      const progress = (...amounts: ReadonlyArray<number>) =>
        `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"t","value":[${amounts.map(item).join()}]}}`
      assert.deepStrictEqual(yield* answers(served, [request(2)], 2), [
        progress(1, 2),
        `{"jsonrpc":"2.0","id":1,"result":[]}`
      ])
      assert.deepStrictEqual(yield* answers(served, [request(4)], 2), [
        progress(1, 2, 3),
        `{"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"Insufficient","data":{"balance":3}}}`
      ])
    }))

  it.effect("the items of a stream as notifications, where its Rpc says so", () =>
    Effect.gen(function*() {
      const request = `{"jsonrpc":"2.0","id":1,"method":"watch","params":{"name":"frozen"}}`
      assert.deepStrictEqual(yield* answers(served, [request], 3), [
        `{"jsonrpc":"2.0","id":1,"result":"0x1"}`,
        `{"jsonrpc":"2.0","method":"watched","params":{"subscription":"0x1","result":1}}`,
        `{"jsonrpc":"2.0","method":"watched","params":{"subscription":"0x1","error":{"code":1002,"message":"The account is frozen","data":{"since":"1970-01-01T00:00:00.000Z"}}}}`
      ])
    }))

  it.effect("what a client sends: no tags, no headers, no params where there are none", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const bank = contract.client(yield* pair(served, texts))
      yield* bank.withdraw({ amount: 1, at: new Date(0) })
      yield* bank.ping()
      yield* bank.length("four")
      yield* bank.subtract([42, 23])
      yield* Stream.runDrain(bank.queued())
      assert.deepStrictEqual(texts, [
        `{"jsonrpc":"2.0","id":1,"method":"withdraw","params":{"amount":1,"at":"1970-01-01T00:00:00.000Z"}}`,
        `{"jsonrpc":"2.0","id":1,"result":4}`,
        `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
        `{"jsonrpc":"2.0","id":2,"result":null}`,
        `{"jsonrpc":"2.0","id":3,"method":"length","params":["four"]}`,
        `{"jsonrpc":"2.0","id":3,"result":4}`,
        `{"jsonrpc":"2.0","id":4,"method":"subtract","params":[42,23]}`,
        `{"jsonrpc":"2.0","id":4,"result":19}`,
        `{"jsonrpc":"2.0","id":5,"method":"queued","params":{"partialResultToken":"partial-5"}}`,
        `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"partial-5","value":[1,2,3]}}`,
        `{"jsonrpc":"2.0","id":5,"result":[]}`
      ])
    }))
})
