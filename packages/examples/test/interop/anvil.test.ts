/**
 * `anvil`, a node for Ethereum's developers written in Rust, over its three wires: HTTP, WebSocket, and a Unix socket
 * on which values have nothing between them but what the writer liked.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Contract, ContractPair, Method, Subscription } from "@parley/contract"
import { NodeHttp, NodeUnix, NodeWebSocket } from "@parley/node"
import { Dialect, Framing } from "@parley/protocol"
import { Transport } from "@parley/transport"
import { Context, Effect, Fiber, Layer, Queue, Result, Schema, SchemaTransformation, Stream } from "effect"
import * as Wire from "../../src/lsp/Wire.ts"
import { Anvil, anvil, start } from "./Anvil.ts"

/** A whole number as it is on the wire: hexadecimal, as large as it likes. */
const Quantity = Schema.String.pipe(Schema.decodeTo(
  Schema.BigInt,
  SchemaTransformation.transform({ decode: BigInt, encode: (number) => `0x${number.toString(16)}` })
))

const Head = Schema.Struct({ number: Quantity, hash: Schema.String, parentHash: Schema.String })

const carrier = Subscription.notifications(Dialect.ethereum.subscriptions)

class Eth extends Contract.make("Eth", {
  eth_blockNumber: Method.make({ result: Quantity }),
  eth_accounts: Method.make({ result: Schema.Array(Schema.String) }),
  eth_getBalance: Method.make({ params: [Schema.String, Schema.Literal("latest")], result: Quantity }),
  eth_call: Method.make({
    params: [Schema.Struct({ data: Schema.String }), Schema.Literal("latest")],
    result: Schema.String
  }),
  eth_sendTransaction: Method.make({
    params: [Schema.Struct({ from: Schema.String, to: Schema.String, value: Quantity })],
    result: Schema.String
  }),
  anvil_setBalance: Method.make({ params: [Schema.String, Quantity] }),
  evm_mine: Method.make({ result: Schema.String }),
  eth_subscribe: Subscription.make({ params: [Schema.Literal("newHeads")], item: Head, carrier })
}) {}

/** The same method, with other items. */
class Pending extends Contract.make("Pending", {
  eth_subscribe: Subscription.make({
    params: [Schema.Literal("newPendingTransactions")],
    item: Schema.String,
    carrier
  })
}) {}

const protocol = ContractPair.make({ client: Contract.make("Wallet", {}), server: Eth, dialect: Dialect.ethereum })

const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

/** Code that gives back an error, when it is run. */
const reverting = "0x60006000fd"

const overHttp = Effect.gen(function*() {
  const { authority } = yield* Anvil
  const caller = yield* NodeHttp.makeCaller({ url: `http://${authority}`, dialect: Dialect.ethereum })
  return { caller, eth: Eth.client(caller) }
})

/** Clients of a node, and what passes on their wire. */
const over = (transport: Layer.Layer<Transport.Transport, unknown>) =>
  Effect.gen(function*() {
    const wire = yield* Wire.make
    const context = yield* Layer.build(
      Pending.layerClient().pipe(
        Layer.provideMerge(protocol.layerClient({})),
        Layer.provide(wire.layer),
        Layer.provide(Layer.orDie(transport))
      )
    )
    return { eth: Context.get(context, Eth.Client), pending: Context.get(context, Pending.Client), wire }
  })

const ways = [
  {
    name: "WebSocket",
    connect: (node: Anvil["Service"]) => over(NodeWebSocket.layerTransport({ url: `ws://${node.authority}` }))
  },
  {
    name: "a Unix socket",
    connect: (node: Anvil["Service"]) =>
      over(NodeUnix.layerTransport({ path: node.path, framing: Framing.concatenated }))
  }
]

const suites = () => {
  layer(Anvil.layer)("anvil", (it) => {
    describe("over HTTP", () => {
      it.effect("gives numbers to the last digit, however large", () =>
        Effect.gen(function*() {
          const { eth } = yield* overHttp
          const most = 2n ** 256n - 1n
          yield* eth.anvil_setBalance([address(1), most])
          assert.strictEqual(yield* eth.eth_getBalance([address(1), "latest"]), most)
          assert.strictEqual(yield* eth.eth_getBalance([address(2), "latest"]), 0n)
        }))

      it.effect("fails calls with its errors: a method it has not, params that are none, code that reverts", () =>
        Effect.gen(function*() {
          const { caller, eth } = yield* overHttp
          const error = (code: number, message: string) => ({ _tag: "RemoteError", code, text: message } as const)
          assert.deepInclude(yield* Effect.flip(caller.request("nope", [])), error(-32601, "Method not found"))
          assert.deepInclude(
            yield* Effect.flip(eth.eth_getBalance(["nobody", "latest"])),
            error(-32602, "invalid string length")
          )
          assert.deepInclude(yield* Effect.flip(eth.eth_call([{ data: reverting }, "latest"])), {
            ...error(3, "execution reverted"),
            data: "0x"
          })
          // It has no way to carry the items.
          assert.deepInclude(
            yield* Effect.flip(Stream.runDrain(eth.eth_subscribe(["newHeads"]))),
            error(-32601, "Method not found")
          )
        }))

      it.effect("answers a batch, each where its call stood, and notifications with nothing", () =>
        Effect.gen(function*() {
          const { caller, eth } = yield* overHttp
          yield* eth.anvil_setBalance([address(3), 3n])
          const [first, nothing, second, third] = yield* caller.batch([
            { method: "eth_getBalance", params: [address(3), "latest"] },
            { method: "anvil_setBalance", params: [address(4), "0x4"], notification: true },
            { method: "nope" },
            { method: "eth_chainId" }
          ])
          assert.deepStrictEqual([first, nothing, third], [
            Result.succeed("0x3"),
            undefined,
            Result.succeed("0x7a69")
          ])
          assert.deepInclude(yield* Effect.flip(Effect.fromResult(second ?? assert.fail("no result"))), {
            code: -32601
          })
          yield* caller.notify("anvil_setBalance", [address(4), "0x5"])
          assert.deepStrictEqual(
            yield* caller.batch([{ method: "anvil_setBalance", params: [address(4), "0x6"], notification: true }]),
            [undefined]
          )
          // It takes notifications, and runs none of them.
          assert.strictEqual(yield* eth.eth_getBalance([address(4), "latest"]), 0n)
        }))

      it.effect("answers a hundred calls at once, each with its own result", () =>
        Effect.gen(function*() {
          const { eth } = yield* overHttp
          const numbers = Array.from({ length: 100 }, (_, index) => index + 1_000)
          yield* Eth.batch(eth, (calls) => numbers.map((n) => calls.anvil_setBalance([address(n), BigInt(n)])))
          const balances = yield* Effect.forEach(numbers, (n) => eth.eth_getBalance([address(n), "latest"]), {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(balances, numbers.map(BigInt))
        }))
    })

    for (const { connect, name } of ways) {
      describe(`over ${name}`, () => {
        it.effect("answers many calls, and a batch of them", () =>
          Effect.gen(function*() {
            const { eth } = yield* Effect.flatMap(Anvil, connect)
            const numbers = Array.from({ length: 100 }, (_, index) => index + 2_000)
            yield* Effect.forEach(numbers, (n) => eth.anvil_setBalance([address(n), BigInt(n)]), {
              concurrency: "unbounded"
            })
            const balances = yield* Eth.batch(
              eth,
              (calls) => numbers.map((n) => calls.eth_getBalance([address(n), "latest"]))
            )
            assert.deepStrictEqual(balances, numbers.map((n) => Result.succeed(BigInt(n))))
            assert.deepInclude(yield* Effect.flip(eth.eth_call([{ data: reverting }, "latest"])), {
              code: 3,
              data: "0x"
            })
          }))

        it.effect("tells of new heads in order, and hears when a subscription is left", () =>
          Effect.gen(function*() {
            const { eth, wire } = yield* Effect.flatMap(Anvil, connect)
            // When it is open is nobody's to know, so there are new heads until enough of them have come.
            const heads = yield* Effect.raceFirst(
              Stream.runCollect(Stream.take(eth.eth_subscribe(["newHeads"]), 4)),
              Effect.forever(eth.evm_mine())
            )
            for (const [index, { number, parentHash }] of heads.slice(1).entries()) {
              const before = heads[index] ?? assert.fail("no head before")
              assert.deepStrictEqual([number, parentHash], [before.number + 1n, before.hash])
            }
            const { id, params } = yield* wire.next(({ method }) => method === "eth_unsubscribe")
            assert.match(Object(params)[0], /^0x[0-9a-f]+$/)
            const closed = yield* wire.next((passed) => passed.method === undefined && passed.id === id)
            assert.strictEqual(closed.result, true)
            // The server does not report blocks that are mined now: the next message is the response.
            yield* eth.evm_mine()
            const mined = yield* wire.next(({ direction }) => direction === "received")
            assert.strictEqual(mined.result, "0x0")
          }))

        it.effect("gives each of two subscriptions its own items, in its own type", () =>
          Effect.gen(function*() {
            const { eth, pending } = yield* Effect.flatMap(Anvil, connect)
            const [from = assert.fail("no account")] = yield* eth.eth_accounts()
            const sent = yield* Queue.unbounded<string>()
            const send = Effect.tap(eth.eth_sendTransaction([{ from, to: address(9), value: 1n }]), (hash) =>
              Queue.offer(sent, hash))
            const [hashes, heads] = yield* Effect.raceFirst(
              Effect.all([
                Stream.runCollect(Stream.take(pending.eth_subscribe(["newPendingTransactions"]), 2)),
                Stream.runCollect(Stream.take(eth.eth_subscribe(["newHeads"]), 2))
              ], { concurrency: "unbounded" }),
              Effect.forever(send)
            )
            // Each transaction makes a block.
            assert.includeMembers(yield* Queue.takeAll(sent), [...hashes])
            assert.strictEqual(heads[1]?.parentHash, heads[0]?.hash)
          }))

        it.effect("ends a subscription and what waits with Disconnected when it is gone", () =>
          Effect.gen(function*() {
            const node = yield* start
            const { eth, wire } = yield* connect(node)
            const following = yield* Effect.forkChild(Effect.flip(Stream.runDrain(eth.eth_subscribe(["newHeads"]))))
            yield* wire.next(({ direction }) => direction === "received")
            yield* node.kill
            assert.deepInclude(yield* Fiber.join(following), { _tag: "Disconnected" })
            assert.deepInclude(yield* Effect.flip(eth.eth_blockNumber()), { _tag: "Disconnected", sent: false })
          }))
      })
    }
  })
}

if (anvil !== undefined) suites()
else {
  it("needs `anvil`, which its package has not for every platform", () => {
    if (process.env["CI"]) assert.fail(`there is none for ${process.platform} on ${process.arch}`)
  })
}
