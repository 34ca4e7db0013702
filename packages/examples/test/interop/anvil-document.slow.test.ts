/**
 * A contract that is written from the document of others, of Ethereum's execution API as MetaMask publishes it, talks to
 * `anvil`.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { NodeHttp, NodeWebSocket } from "@parley/node"
import { Peer } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Context, Effect, Layer, Stream } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Anvil, anvil } from "./Anvil.ts"
import * as Generated from "./Generated.ts"

interface Document {
  readonly methods: ReadonlyArray<{ readonly name: string }>
}

const published: Document = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("@metamask/api-specs/dist/build/openrpc.json"), "utf8")
)

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The items of a subscription, and their carrier: OpenRPC has no member for them. */
const subscription = {
  item: {
    type: "object",
    required: ["number", "hash", "parentHash"],
    properties: { number: ref("uint"), hash: ref("hash32"), parentHash: ref("hash32") }
  },
  // As JSON: without what it does not have.
  carrier: JSON.parse(JSON.stringify({ _tag: "Notifications", ...Dialect.ethereum.subscriptions }))
}

/** The errors that the document does not describe. */
const reverted = { code: 3, message: "execution reverted", data: { type: "string" } }

const completed = (document: Document) => ({
  ...document,
  methods: document.methods.map((method) => {
    switch (method.name) {
      case "eth_subscribe":
        return { ...method, "x-parley-subscription": subscription }
      case "eth_call":
        return { ...method, errors: [reverted] }
      default:
        return method
    }
  })
})

const generated = Generated.load("Ethereum", completed(published), { byPosition: true })

class Ethereum extends Context.Service<Ethereum, Effect.Success<typeof generated>>()("test/Ethereum") {
  static readonly layer = Layer.effect(Ethereum, generated)
}

/** Code that gives back an error, when it is run. */
const reverting = "0x60006000fd"

const none = `0x${"0".repeat(40)}`

/** The notice of an object that the document closes. */
const closed = "additionalProperties is false and is not checked: other members are left out"

/** Notices of what describes, and says nothing of a value. */
const prose = /^((title|description) beside \$ref is|tags has no place in a contract, and is) left out$/

const suites = () => {
  layer(Layer.merge(Anvil.layer, Ethereum.layer))("a contract of the document of Ethereum", (it) => {
    it.effect("says what it does not check, and that is little", () =>
      Effect.map(Ethereum, ({ contract, notices }) => {
        assert.isAbove(Object.keys(contract.members).length, 50)
        assert.lengthOf(notices.filter(({ issue }) => issue === closed), 12)
        const unchecked = notices.filter(({ issue }) => issue !== closed && !prose.test(issue))
        const places = new Set(unchecked.map(({ path }) => path.split("/").slice(0, 4).join("/")))
        // Some of its examples do not fit its own schemas.
        assert.sameMembers([...places].filter((place) => !place.endsWith("/examples")), [
          "#/components/schemas/TransactionInfo",
          "#/components/schemas/TypedData",
          "#/methods/0/errors",
          "#/methods/8/errors",
          "#/methods/18/params"
        ])
      }))

    const ways = {
      HTTP: (authority: string) => NodeHttp.makeCaller({ url: `http://${authority}`, dialect: Dialect.ethereum }),
      WebSocket: (authority: string) =>
        Effect.flatMap(
          NodeWebSocket.makeTransport({ url: `ws://${authority}` }),
          (transport) => Peer.make(transport, { dialect: Dialect.ethereum })
        )
    }
    for (const [way, connect] of Object.entries(ways)) {
      describe(`over ${way}`, () => {
        const client = Effect.gen(function*() {
          const { authority } = yield* Anvil
          const { contract } = yield* Ethereum
          const caller = yield* connect(authority)
          return Generated.clientOf(contract, caller)
        })

        it.effect("calls by position, with and without params, and reads blocks, transactions and receipts", () =>
          Effect.gen(function*() {
            const eth = yield* client
            assert.strictEqual(yield* eth.call<string>("eth_chainId"), "0x7a69")
            const [from] = yield* eth.call<ReadonlyArray<string>>("eth_accounts")
            const hash = yield* eth.call<string>("eth_sendTransaction", {
              Transaction: { from, to: none, value: "0x1" }
            })
            // The node gives the hash before its block is there.
            const receipt = yield* Effect.repeat(
              eth.call<Generated.Json | null>("eth_getTransactionReceipt", { "Transaction hash": hash }),
              { until: (receipt): receipt is Generated.Json => receipt !== null }
            )
            assert.deepInclude(receipt, { transactionHash: hash, from, to: none, status: "0x1" })
            const sent = yield* eth.call("eth_getTransactionByHash", { "Transaction hash": hash })
            assert.deepInclude(sent, { hash, from, to: none, value: "0x1", blockNumber: receipt["blockNumber"] })
            for (const hydrated of [true, false]) {
              const block = yield* eth.call("eth_getBlockByNumber", {
                Block: receipt["blockNumber"],
                "Hydrated transactions": hydrated
              })
              assert.deepInclude(block, { number: receipt["blockNumber"], hash: receipt["blockHash"] })
              assert.deepStrictEqual(block["transactions"], hydrated ? [sent] : [hash])
            }
            // The node takes a call without its last params.
            assert.match(yield* eth.call<string>("eth_estimateGas", { Transaction: { from, to: none } }), /^0x/)
          }))

        it.effect("fails with the typed error of the node, and does not send what the document refuses", () =>
          Effect.gen(function*() {
            const eth = yield* client
            const [from] = yield* eth.call<ReadonlyArray<string>>("eth_accounts")
            assert.deepInclude(
              Object(
                yield* Effect.flip(eth.call("eth_call", { Transaction: { from, input: reverting }, Block: "latest" }))
              ),
              { _tag: "ExecutionReverted", data: "0x" }
            )
            assert.deepInclude(yield* Effect.flip(eth.call("eth_getBalance", { Address: "nobody", Block: "latest" })), {
              _tag: "InvalidArguments"
            })
          }))
      })
    }

    it.effect("follows new heads over WebSocket", () =>
      Effect.gen(function*() {
        const { authority } = yield* Anvil
        const { contract } = yield* Ethereum
        const caller = yield* ways.WebSocket(authority)
        const eth = Generated.clientOf(contract, caller)
        const heads = yield* Effect.raceFirst(
          Stream.runCollect(Stream.take(eth.stream("eth_subscribe", { subscriptionType: "newHeads" }), 3)),
          Effect.forever(caller.request("evm_mine", []))
        )
        for (const [index, head] of heads.slice(1).entries()) {
          assert.strictEqual(head["parentHash"], heads[index]?.["hash"])
        }
      }))
  })
}

if (anvil !== undefined) suites()
else {
  it("needs `anvil`, which its package has not for every platform", () => {
    if (process.env["CI"]) assert.fail(`there is none for ${process.platform} on ${process.arch}`)
  })
}
