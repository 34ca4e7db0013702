import { assert, describe, it } from "@effect/vitest"
import { Contract, ContractPair, Method, Notification } from "@parley/contract"
import { NodeWebSocket } from "@parley/node"
import { Dialect } from "@parley/protocol"
import { Transport } from "@parley/transport"
import { Context, Deferred, Effect, Fiber, Layer, Queue, Result, Schema } from "effect"
import { once } from "node:events"
import { Client, Server } from "rpc-websockets"
import { closing, servedAtSocket, socketPeer, urlOf } from "./webSides.ts"

describe("rpc-websockets as the client of our server", () => {
  const connected = (url: string) =>
    Effect.acquireRelease(
      Effect.callback<Client>((resume) => {
        const client = new Client(url, { reconnect: false })
        client.once("open", () => resume(Effect.succeed(client)))
      }),
      (client) => Effect.sync(() => client.close())
    )

  const errorOf = (call: Promise<unknown>): Effect.Effect<unknown> =>
    Effect.promise(() => call.then(() => assert.fail("it succeeded"), (error: unknown) => error))

  it.live("gets results, and our errors with code, message and data", () =>
    Effect.gen(function*() {
      const client = yield* connected(yield* servedAtSocket())
      assert.strictEqual(yield* Effect.promise(() => client.call("subtract", [42, 23])), 19)
      assert.strictEqual(yield* Effect.promise(() => client.call("subtract", { minuend: 42, subtrahend: 23 })), 19)
      assert.deepStrictEqual(yield* Effect.promise(() => client.call("echo", { a: ["é"] })), { a: ["é"] })
      assert.deepStrictEqual(yield* errorOf(client.call("fail")), {
        code: 1234,
        message: "Application error",
        data: { detail: "boom" }
      })
      assert.deepStrictEqual(yield* errorOf(client.call("nope")), {
        code: -32601,
        message: "Method not found",
        data: "nope"
      })
    }))

  it.live("gets the results of calls that end in another order", () =>
    Effect.gen(function*() {
      const first = yield* Deferred.make<string>()
      const url = yield* servedAtSocket({
        wait: () => Deferred.await(first),
        go: () => Effect.as(Deferred.succeed(first, "first"), "second")
      })
      const client = yield* connected(url)
      assert.deepStrictEqual(
        yield* Effect.promise(() => Promise.all([client.call("wait"), client.call("go")])),
        ["first", "second"]
      )
    }))

  it.live("notifies us, subscribes with us, and hears our notifications as its events", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const url = yield* servedAtSocket({
        note: ({ params }) => Deferred.succeed(noted, params),
        "rpc.on": ({ params, peer }) =>
          Effect.gen(function*() {
            assert.deepStrictEqual(params, ["feed"])
            for (const number of [1, 2, 3]) yield* Effect.orDie(peer.notify("feed", { number }))
            return { feed: "ok" }
          })
      })
      const client = yield* connected(url)
      yield* Effect.promise(() => client.notify("note", { text: "hi" }))
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "hi" })

      const heard = yield* Queue.unbounded<unknown>()
      client.on("feed", (params: unknown) => void Queue.offerUnsafe(heard, params))
      assert.deepStrictEqual(yield* Effect.promise(() => client.subscribe("feed")), { feed: "ok" })
      for (const number of [1, 2, 3]) assert.deepStrictEqual(yield* Queue.take(heard), { number })
    }))
})

describe("rpc-websockets as the server of our client", () => {
  class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {}

  class Bank extends Contract.make("Bank", {
    sum: Method.make({ params: [Schema.Finite, Schema.Finite], result: Schema.Finite }),
    take: Method.make({ params: { amount: Schema.Finite }, errors: { 1001: Insufficient } }),
    crash: Method.make(),
    nothing: Method.make(),
    wait: Method.make(),
    note: Notification.make({ params: { text: Schema.String } }),
    "rpc.on": Method.make({
      params: Schema.Array(Schema.String),
      result: Schema.Record(Schema.String, Schema.String)
    })
  }) {}

  const served = Effect.gen(function*() {
    const noted = yield* Queue.unbounded<unknown>()
    const server = new Server({ port: 0, host: "127.0.0.1" })
    yield* closing(server.wss)
    server.register("sum", (numbers) => Number(numbers[0]) + Number(numbers[1]))
    server.register("take", () => {
      throw { code: 1001, message: "no money", data: { balance: 5 } }
    })
    server.register("crash", () => {
      throw new TypeError("boom")
    })
    server.register("nothing", () => undefined)
    server.register("wait", () => new Promise(() => {}))
    server.register("note", (params) => void Queue.offerUnsafe(noted, params))
    server.event("feed")
    yield* Effect.promise(() => once(server.wss, "listening"))
    return { server, url: urlOf(server.wss), noted: Queue.take(noted) }
  })

  const feed = Array.from({ length: 150 }, (_, number) => ({ number }))

  it.live("answers typed calls, and fails them with the contract's own error", () =>
    Effect.gen(function*() {
      const { noted, url } = yield* served
      const bank = Bank.client(yield* socketPeer(url))
      assert.strictEqual(yield* bank.sum([40, 2]), 42)
      const poor = yield* Effect.flip(bank.take({ amount: 10 }))
      assert.deepInclude(poor, { _tag: "Insufficient", balance: 5 })
      assert.deepInclude(yield* Effect.flip(bank.crash()), {
        _tag: "RemoteError",
        code: -32000,
        text: "TypeError",
        data: "boom"
      })
      yield* bank.note({ text: "hi" })
      assert.deepStrictEqual(yield* noted, { text: "hi" })
    }))

  it.live("answers without a result what returned none, and that ends the call, too", () =>
    Effect.gen(function*() {
      const bank = Bank.client(yield* socketPeer((yield* served).url))
      // `{"jsonrpc":"2.0","id":1}` has what names the call, and nothing else.
      assert.deepInclude(yield* Effect.flip(bank.nothing()), {
        _tag: "InvalidResponse",
        method: "nothing",
        rule: "a message must have a `method`, a `result` or an `error`"
      })
      assert.strictEqual(yield* bank.sum([1, 2]), 3)
    }))

  it.live("answers a method that it has not with -32601, notifications too, which harms nobody", () =>
    Effect.gen(function*() {
      const peer = yield* socketPeer((yield* served).url)
      const unknown = { _tag: "RemoteError", code: -32601, text: "Method not found" } as const
      assert.deepInclude(yield* Effect.flip(peer.request("nope")), unknown)
      yield* peer.notify("nope")
      assert.strictEqual(yield* peer.request("sum", [1, 2]), 3)
      // In a batch its answer to the notification comes first, and has the id null.
      const [nothing, sum, failed] = yield* peer.batch([
        { method: "nope", notification: true },
        { method: "sum", params: [40, 2] },
        { method: "nope" }
      ])
      assert.deepStrictEqual([nothing, sum], [undefined, Result.succeed(42)])
      assert.deepInclude(yield* Effect.flip(Effect.fromResult(failed ?? assert.fail("no result"))), unknown)
    }))

  it.live("ends every call that waits with Disconnected when it dies", () =>
    Effect.gen(function*() {
      const { server, url } = yield* served
      const bank = Bank.client(yield* socketPeer(url))
      const calls = yield* Effect.forEach(
        feed,
        () => Effect.forkChild(Effect.flip(bank.wait()), { startImmediately: true })
      )
      // They are in order: when it answers this, it has all of them.
      yield* bank.sum([1, 2])
      for (const socket of server.wss.clients) socket.terminate()
      for (const error of yield* Fiber.joinAll(calls)) assert.deepInclude(error, { _tag: "Disconnected", sent: true })
      assert.deepInclude(yield* Effect.flip(bank.wait()), { _tag: "Disconnected", sent: false })
    }))

  it.live("sends events that are no JSON-RPC, and the connection outlives any number of them", () =>
    Effect.gen(function*() {
      const { server, url } = yield* served
      const bank = Bank.client(yield* socketPeer(url))
      assert.deepStrictEqual(yield* bank["rpc.on"](["feed", "nope"]), { feed: "ok", nope: "provided event invalid" })
      for (const item of feed) server.emit("feed", item)
      assert.strictEqual(yield* bank.sum([40, 2]), 42)
    }))

  it.live("a wrapping that translates makes typed notifications of its events, in order", () =>
    Effect.gen(function*() {
      const { server, url } = yield* served
      const heard = yield* Queue.unbounded<number>()
      const protocol = ContractPair.make({
        client: Contract.make("Listener", { feed: Notification.make({ params: { number: Schema.Int } }) }),
        server: Bank,
        dialect: Dialect.make({ name: "rpc-websockets" })
      })
      const translated = Transport.wrap((inner) =>
        Effect.succeed({
          ...inner,
          receive: Effect.map(inner.receive, ([first, ...rest]) => [standard(first), ...rest.map(standard)] as const)
        })
      )
      const side = protocol.layerClient({ feed: ({ number }) => Queue.offer(heard, number) }).pipe(
        Layer.provide(translated),
        Layer.provide(NodeWebSocket.layerTransport({ url }))
      )
      const bank = Context.get(yield* Layer.build(side), Bank.Client)
      yield* bank["rpc.on"](["feed"])
      for (const item of feed) server.emit("feed", item)
      for (const { number } of feed) assert.strictEqual(yield* Queue.take(heard), number)
    }))
})

/** An event as the notification that it would be. */
const standard = <A>(received: A): A | string => {
  if (typeof received !== "string") return received
  const { notification, params } = JSON.parse(received)
  return notification === undefined ? received : JSON.stringify({ jsonrpc: "2.0", method: notification, params })
}
