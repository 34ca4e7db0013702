import { assert, describe, it } from "@effect/vitest"
import { Contract, ContractPair, Method, Subscription } from "@parley/contract"
import { NodeTcp } from "@parley/node"
import { Dialect, Framing } from "@parley/protocol"
import { Listener, Transport } from "@parley/transport"
import { Context, Deferred, Effect, Fiber, Layer, Queue, Schema, Stream } from "effect"
import type { Socket } from "node:net"
import { accepting, connected } from "./sides.ts"

const Head = Schema.Struct({ number: Schema.String, hash: Schema.String })

const Log = Schema.Struct({ address: Schema.String, data: Schema.String })

const Filter = Schema.Struct({ address: Schema.String })

/** One method, several kinds of items: to a server all of them are one member. */
class Node extends Contract.make("Node", {
  eth_blockNumber: Method.make({ result: Schema.String }),
  eth_subscribe: Subscription.make({
    params: Schema.Union([Schema.Tuple([Schema.Literal("newHeads")]), Schema.Tuple([Schema.Literal("logs"), Filter])]),
    item: Schema.Union([Head, Log]),
    carrier: Subscription.notifications(Dialect.ethereum.subscriptions)
  })
}) {}

/** A client may have a contract for each kind. */
class Heads extends Contract.make("Heads", {
  eth_subscribe: Subscription.make({
    params: [Schema.Literal("newHeads")],
    item: Head,
    carrier: Subscription.notifications(Dialect.ethereum.subscriptions)
  })
}) {}

class Logs extends Contract.make("Logs", {
  eth_subscribe: Subscription.make({
    params: [Schema.Literal("logs"), Filter],
    item: Log,
    carrier: Subscription.notifications(Dialect.ethereum.subscriptions)
  })
}) {}

const protocol = ContractPair.make({ client: Contract.make("Wallet", {}), server: Node, dialect: Dialect.ethereum })

const head = (number: number) => ({ number: `0x${number.toString(16)}`, hash: `0xbeef${number}` })

/** A message as it is on the wire. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The other side by hand: JSON values one after the other, with nothing between them. */
const raw = (socket: Socket) => {
  const messages = Queue.unbounded<Message>()
  return Effect.map(messages, (messages) => {
    let rest = ""
    let [start, depth, quoted, escaped] = [0, 0, false, false]
    let at = 0
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      rest += chunk
      for (; at < rest.length; at++) {
        const character = rest[at]
        if (escaped) escaped = false
        else if (quoted && character === "\\") escaped = true
        else if (character === `"`) quoted = !quoted
        else if (!quoted && character === "{") depth++
        else if (!quoted && character === "}" && --depth === 0) {
          Queue.offerUnsafe(messages, JSON.parse(rest.slice(start, at + 1)))
          start = at + 1
        }
      }
    })
    return {
      next: Queue.take(messages),
      /** All in one write, and so most likely in one chunk. */
      send: (...texts: ReadonlyArray<object>) =>
        Effect.sync(() => void socket.write(texts.map((text) => JSON.stringify({ jsonrpc: "2.0", ...text })).join(""))),
      socket
    }
  })
}

type Raw = Effect.Success<ReturnType<typeof raw>>

const event = (subscription: string, result: unknown) => ({
  method: "eth_subscription",
  params: { subscription, result }
})

describe("Ethereum subscriptions of our client, at a node by hand", () => {
  /** Our clients, and the node's end of their connection. */
  const connection = Effect.gen(function*() {
    const sockets = yield* Queue.unbounded<Socket>()
    const port = yield* accepting((socket) => void Queue.offerUnsafe(sockets, socket))
    const transport = yield* NodeTcp.makeTransport({ port, framing: Framing.concatenated })
    const clients = Layer.mergeAll(Heads.layerClient(), Logs.layerClient()).pipe(
      Layer.provideMerge(protocol.layerClient({}))
    )
    const context = yield* Effect.provideService(Layer.build(clients), Transport.Transport, transport)
    return {
      node: yield* raw(yield* Queue.take(sockets)),
      eth: Context.get(context, Node.Client),
      heads: Context.get(context, Heads.Client),
      logs: Context.get(context, Logs.Client)
    }
  })

  /** Waits for a request, and gives its id. */
  const asked = (node: Raw, method: string, params: unknown) =>
    Effect.map(node.next, (request) => {
      // The whole message: nothing of other families is in it.
      assert.deepStrictEqual(request, Object({ jsonrpc: "2.0", id: request.id, method, params }))
      return request.id
    })

  it.live("gives items in the order of the wire, also those before the response, and closes when it is left", () =>
    Effect.gen(function*() {
      const { eth, heads, node } = yield* connection
      const taking = yield* Effect.forkChild(Stream.runCollect(Stream.take(heads.eth_subscribe(["newHeads"]), 4)))
      const id = yield* asked(node, "eth_subscribe", ["newHeads"])
      yield* node.send(
        event("0xabc", head(1)),
        event("0xother", head(99)),
        event("0xabc", head(2)),
        { id, result: "0xabc" },
        event("0xabc", head(3)),
        event("0xother", head(99)),
        event("0xabc", head(4)),
        event("0xabc", head(5))
      )
      assert.deepStrictEqual(yield* Fiber.join(taking), [head(1), head(2), head(3), head(4)])

      const closing = yield* asked(node, "eth_unsubscribe", ["0xabc"])
      // Later notifications have no listener, and do no harm.
      yield* node.send(event("0xabc", head(6)), { id: closing, result: true }, event("0xabc", head(7)))
      const number = yield* Effect.forkChild(eth.eth_blockNumber())
      yield* node.send({ id: (yield* node.next).id, result: "0x7" })
      assert.strictEqual(yield* Fiber.join(number), "0x7")
    }))

  it.live("gives each of two subscriptions its own items, in its own type", () =>
    Effect.gen(function*() {
      const { heads, logs, node } = yield* connection
      const log = (data: string) => ({ address: "0xcafe", data })
      const [firstHeads, firstLogs] = yield* Effect.all([
        Effect.forkChild(Stream.runCollect(Stream.take(heads.eth_subscribe(["newHeads"]), 2)), {
          startImmediately: true
        }),
        Effect.forkChild(Stream.runCollect(Stream.take(logs.eth_subscribe(["logs", { address: "0xcafe" }]), 2)), {
          startImmediately: true
        })
      ])
      const headsId = yield* asked(node, "eth_subscribe", ["newHeads"])
      const logsId = yield* asked(node, "eth_subscribe", ["logs", { address: "0xcafe" }])
      // In the other order, and before anyone knows whose is whose.
      yield* node.send(
        event("0x2", log("a")),
        event("0x1", head(1)),
        { id: logsId, result: "0x2" },
        event("0x2", log("b")),
        event("0x1", head(2)),
        { id: headsId, result: "0x1" }
      )
      assert.deepStrictEqual(yield* Fiber.join(firstHeads), [head(1), head(2)])
      assert.deepStrictEqual(yield* Fiber.join(firstLogs), [log("a"), log("b")])
      const closed = [yield* node.next, yield* node.next]
      assert.sameDeepMembers(closed.map(({ method, params }) => [method, params]), [
        ["eth_unsubscribe", ["0x1"]],
        ["eth_unsubscribe", ["0x2"]]
      ])
    }))

  it.live("ends with Disconnected when the node is gone, after the items that came", () =>
    Effect.gen(function*() {
      const { heads, node } = yield* connection
      const seen: Array<unknown> = []
      const first = yield* Deferred.make<void>()
      const taking = heads.eth_subscribe(["newHeads"]).pipe(
        Stream.runForEach((head) =>
          Effect.andThen(Effect.sync(() => seen.push(head)), Deferred.succeed(first, undefined))
        ),
        Effect.flip
      )
      const ending = yield* Effect.forkChild(taking)
      const id = yield* asked(node, "eth_subscribe", ["newHeads"])
      yield* node.send({ id, result: "0xabc" }, event("0xabc", head(1)))
      yield* Deferred.await(first)
      yield* node.send(event("0xabc", head(2)))
      node.socket.end()
      assert.deepInclude(yield* Fiber.join(ending), { _tag: "Disconnected" })
      assert.deepStrictEqual(seen, [head(1), head(2)])
    }))

  it.live("fails when it is refused, as any call", () =>
    Effect.gen(function*() {
      const { heads, node } = yield* connection
      const failing = yield* Effect.forkChild(Effect.flip(Stream.runDrain(heads.eth_subscribe(["newHeads"]))))
      const id = yield* asked(node, "eth_subscribe", ["newHeads"])
      yield* node.send({ id, error: { code: -32001, message: "notifications not supported" } })
      assert.deepInclude(yield* Fiber.join(failing), {
        _tag: "RemoteError",
        code: -32001,
        text: "notifications not supported"
      })
    }))

  it.live("fails at an item that does not fit, after those before it, and closes", () =>
    Effect.gen(function*() {
      const { heads, node } = yield* connection
      const seen: Array<unknown> = []
      const failing = yield* Effect.forkChild(
        Effect.flip(Stream.runForEach(heads.eth_subscribe(["newHeads"]), (head) => Effect.sync(() => seen.push(head))))
      )
      const id = yield* asked(node, "eth_subscribe", ["newHeads"])
      yield* node.send({ id, result: "0xabc" }, event("0xabc", head(1)), event("0xabc", { number: 2 }))
      assert.deepInclude(yield* Fiber.join(failing), { _tag: "InvalidResult", method: "eth_subscribe" })
      assert.deepStrictEqual(seen, [head(1)])
      yield* asked(node, "eth_unsubscribe", ["0xabc"])
    }))

  it.live("closes what opens after it was left", () =>
    Effect.gen(function*() {
      const { heads, node } = yield* connection
      const leaving = yield* Effect.forkChild(Stream.runDrain(heads.eth_subscribe(["newHeads"])))
      const id = yield* asked(node, "eth_subscribe", ["newHeads"])
      yield* Fiber.interrupt(leaving)
      // No cancellation was sent: the family has none. The next that the node hears is about its response.
      yield* node.send(event("0xabc", head(1)), { id, result: "0xabc" })
      yield* asked(node, "eth_unsubscribe", ["0xabc"])
    }))
})

describe("Ethereum subscriptions of our node, with a wallet by hand", () => {
  /** Our node: heads come from a queue, logs end by themselves. */
  const node = Effect.gen(function*() {
    const heads = yield* Queue.unbounded<typeof Head.Type>()
    const closed = yield* Queue.unbounded<string>()
    const listener = yield* NodeTcp.makeListener({ port: 0, framing: Framing.concatenated })
    yield* protocol.serve({
      eth_blockNumber: () => Effect.succeed("0x7"),
      eth_subscribe: ([kind, filter]) =>
        kind === "newHeads"
          ? Stream.ensuring(Stream.fromQueue(heads), Queue.offer(closed, kind))
          : Stream.make("0x1", "0x2").pipe(
            Stream.map((data) => ({ address: filter.address, data })),
            Stream.ensuring(Queue.offer(closed, kind))
          )
    }).pipe(
      Effect.provideService(Listener.Listener, listener),
      Effect.forkScoped
    )
    const wallet = Effect.flatMap(connected(Number(new URL(listener.address).port)), raw)
    return { closed: Queue.take(closed), mine: (number: number) => Queue.offer(heads, head(number)), wallet }
  })

  const idIn = ({ result }: Message) => typeof result === "string" ? result : assert.fail(`the id is ${result}`)

  /** The next message, without its version. */
  const next = (wallet: Raw) =>
    Effect.map(wallet.next, (message) => {
      const { jsonrpc, ...rest } = Object(message)
      assert.strictEqual(jsonrpc, "2.0")
      return rest
    })

  it.live("answers before the first item, sends items in order, and stops when it is asked to", () =>
    Effect.gen(function*() {
      const { closed, mine, wallet } = yield* node
      const client = yield* wallet
      yield* mine(1)
      yield* mine(2)
      yield* client.send({ id: 1, method: "eth_subscribe", params: ["newHeads"] })
      const opened = yield* client.next
      const id = idIn(opened)
      assert.deepStrictEqual(opened, Object({ jsonrpc: "2.0", id: 1, result: id }))
      assert.match(id, /^0x[0-9a-f]+$/)
      yield* mine(3)
      for (const number of [1, 2, 3]) assert.deepStrictEqual(yield* next(client), event(id, head(number)))

      yield* client.send({ id: 2, method: "eth_unsubscribe", params: [id] })
      assert.deepStrictEqual(yield* next(client), { id: 2, result: true })
      assert.strictEqual(yield* closed, "newHeads")
      yield* mine(4)
      yield* client.send({ id: 3, method: "eth_unsubscribe", params: [id] })
      assert.deepStrictEqual(yield* next(client), { id: 3, result: false })
    }))

  it.live("does not tell when a stream has ended, and knows its id no more", () =>
    Effect.gen(function*() {
      const { closed, wallet } = yield* node
      const client = yield* wallet
      yield* client.send({ id: 1, method: "eth_subscribe", params: ["logs", { address: "0xcafe" }] })
      const id = idIn(yield* client.next)
      for (const data of ["0x1", "0x2"]) {
        assert.deepStrictEqual(yield* next(client), event(id, { address: "0xcafe", data }))
      }
      assert.strictEqual(yield* closed, "logs")
      yield* client.send({ id: 2, method: "eth_unsubscribe", params: [id] })
      assert.deepStrictEqual(yield* next(client), { id: 2, result: false })
    }))

  it.live("gives each connection its own subscriptions, and nobody closes another's", () =>
    Effect.gen(function*() {
      const { mine, wallet } = yield* node
      const [one, other] = [yield* wallet, yield* wallet]
      // Three in one write: they are answered in their order, and what is subscribed to comes last.
      yield* one.send(
        { id: 1, method: "eth_blockNumber" },
        { id: 2, method: "eth_subscribe", params: ["newHeads"] },
        { id: 3, method: "eth_blockNumber", params: [] }
      )
      assert.deepStrictEqual(yield* next(one), { id: 1, result: "0x7" })
      const id = idIn(yield* one.next)
      assert.deepStrictEqual(yield* next(one), { id: 3, result: "0x7" })

      yield* other.send({ id: 1, method: "eth_unsubscribe", params: [id] })
      assert.deepStrictEqual(yield* next(other), { id: 1, result: false })
      yield* mine(1)
      assert.deepStrictEqual(yield* next(one), event(id, head(1)))
      yield* other.send({ id: 2, method: "eth_blockNumber" })
      assert.deepStrictEqual(yield* next(other), { id: 2, result: "0x7" })
    }))

  it.live("refuses what it cannot subscribe to, and ids that are none", () =>
    Effect.gen(function*() {
      const client = yield* (yield* node).wallet
      yield* client.send({ id: 1, method: "eth_subscribe", params: ["nonsense"] })
      const refused = yield* next(client)
      assert.deepInclude(refused.error, { code: -32602, message: "Invalid params" })
      yield* client.send({ id: 2, method: "eth_unsubscribe", params: [] })
      assert.deepInclude((yield* next(client)).error, { code: -32602, message: "Invalid params" })
      yield* client.send({ id: 3, method: "eth_unsubscribe", params: ["0xffff"] })
      assert.deepStrictEqual(yield* next(client), { id: 3, result: false })
    }))

  it.live("ends the streams of a connection that is gone", () =>
    Effect.gen(function*() {
      const { closed, wallet } = yield* node
      const client = yield* wallet
      yield* client.send({ id: 1, method: "eth_subscribe", params: ["newHeads"] })
      idIn(yield* client.next)
      client.socket.destroy()
      assert.strictEqual(yield* closed, "newHeads")
    }))
})
