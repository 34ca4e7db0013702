/** A program that knows neither Effect nor Parley, on either side of a group. */
import { assert, describe, it } from "@effect/vitest"
import { Contract } from "@parley/contract"
import { Caller } from "@parley/peer"
import { Deferred, Effect, Layer, Schema, Stream } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import * as rpc from "vscode-jsonrpc/node"
import { EffectRpc } from "../../src/index.ts"
import { Bank, entry, handlers, Insufficient, NotFound } from "../Bank.ts"
import { accepting, connected, listening, socket } from "../sides.ts"

/** The error that a call of theirs rejects with. */
const errorOf = (call: Promise<unknown>) =>
  Effect.promise(() =>
    call.then(
      () => assert.fail("it succeeded"),
      ({ code, data, message }: rpc.ResponseError<unknown>) => ({ code, message, data })
    )
  )

const json = (amount: number) => ({ at: entry(amount).at.toISOString(), amount })

describe("vscode-jsonrpc as the client of a group", () => {
  const theirs = (served: Parameters<typeof listening>[0]) =>
    Effect.gen(function*() {
      const line = yield* socket(yield* listening(served))
      const connection = rpc.createMessageConnection(
        new rpc.SocketMessageReader(line),
        new rpc.SocketMessageWriter(line)
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => connection.dispose()))
      connection.listen()
      return connection
    })

  const served = Layer.provide(EffectRpc.layerHandlers(Bank), Bank.toLayer(handlers))

  it.live("gets results, whatever the payload is", () =>
    Effect.gen(function*() {
      const client = yield* theirs(served)
      const call = (method: string, ...params: ReadonlyArray<unknown>) =>
        Effect.promise(() => client.sendRequest(method, ...params))
      assert.strictEqual(yield* call("withdraw", { amount: 1 }), 4)
      assert.strictEqual(yield* call("ping"), null)
      assert.strictEqual(yield* call("find", { name: "Ada" }), "1970-01-01T00:00:00.000Z")
      assert.strictEqual(yield* call("length", "four"), 4)
      assert.strictEqual(yield* call("subtract", 42, 23), 19)
    }))

  it.live("gets errors with their codes and fields", () =>
    Effect.gen(function*() {
      const client = yield* theirs(served)
      assert.deepStrictEqual(yield* errorOf(client.sendRequest("withdraw", { amount: 9 })), {
        code: 1001,
        message: "Insufficient",
        data: { balance: 5 }
      })
      assert.deepStrictEqual(yield* errorOf(client.sendRequest("find", { name: "Bob" })), {
        code: 404,
        message: "NotFound",
        data: undefined
      })
      assert.strictEqual((yield* errorOf(client.sendRequest("nothing"))).code, rpc.ErrorCodes.MethodNotFound)
      assert.strictEqual(
        (yield* errorOf(client.sendRequest("withdraw", { amount: "one" }))).code,
        rpc.ErrorCodes.InvalidParams
      )
    }))

  it.live("gets the items of a stream by its token, and how the stream fails", () =>
    Effect.gen(function*() {
      const client = yield* theirs(served)
      const seen: Array<unknown> = []
      client.onProgress(new rpc.ProgressType<ReadonlyArray<unknown>>(), "mine", (items) => void seen.push(...items))
      const stream = (count: number) => client.sendRequest("entries", { count, partialResultToken: "mine" })
      assert.deepStrictEqual(yield* Effect.promise(() => stream(2)), [])
      assert.deepStrictEqual(seen.splice(0), [json(1), json(2)])
      assert.strictEqual((yield* errorOf(stream(9))).code, 1001)
      assert.deepStrictEqual(seen, [json(1), json(2), json(3)])
    }))

  it.live("cancels a call with its token, and the handler is interrupted", () =>
    Effect.gen(function*() {
      class Slow extends RpcGroup.make(Rpc.make("wait")) {}
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const client = yield* theirs(Layer.provide(
        EffectRpc.layerHandlers(Slow),
        Slow.toLayer({
          wait: () =>
            Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
            )
        })
      ))
      const source = new rpc.CancellationTokenSource()
      const call = client.sendRequest("wait", {}, source.token)
      yield* Deferred.await(started)
      source.cancel()
      assert.strictEqual((yield* errorOf(call)).code, -32800)
      yield* Deferred.await(interrupted)
    }))
})

describe("vscode-jsonrpc as the server of a group", () => {
  const pair = (prepare: (server: rpc.MessageConnection) => void) =>
    Effect.gen(function*() {
      const port = yield* accepting((socket) => {
        const server = rpc.createMessageConnection(
          new rpc.SocketMessageReader(socket),
          new rpc.SocketMessageWriter(socket)
        )
        prepare(server)
        server.listen()
      })
      return EffectRpc.contract("Bank", Bank).client(yield* connected(port))
    })

  it.live("answers, and its errors are those of the group where they fit", () =>
    Effect.gen(function*() {
      const bank = yield* pair((server) => {
        server.onRequest("withdraw", ({ amount }: { readonly amount: number }): unknown => {
          if (amount === 1) return 4
          return amount === 2 ? "four" : new rpc.ResponseError(1001, "no", amount === 3 ? { balance: 5 } : "nothing")
        })
        server.onRequest("length", (text: string) => text.length)
        server.onRequest("find", () => new rpc.ResponseError(404, "nobody"))
      })
      assert.strictEqual(yield* bank.withdraw({ amount: 1 }), 4)
      assert.instanceOf(yield* Effect.flip(bank.withdraw({ amount: 2 })), Contract.InvalidResult)
      assert.deepStrictEqual(yield* Effect.flip(bank.withdraw({ amount: 3 })), new Insufficient({ balance: 5 }))
      const misfit = yield* Effect.flip(bank.withdraw({ amount: 4 }))
      assert.deepStrictEqual(
        misfit,
        new Caller.RemoteError({ method: "withdraw", id: 4, code: 1001, text: "no", data: "nothing" })
      )
      assert.strictEqual(yield* bank.length("four"), 4)
      assert.deepStrictEqual(yield* Effect.flip(bank.find({ name: "" })), new NotFound())
    }))

  it.live("streams by the token that it is given", () =>
    Effect.gen(function*() {
      const bank = yield* pair((server) => {
        const items = new rpc.ProgressType<ReadonlyArray<Schema.Json>>()
        server.onRequest("entries", async (params: { readonly count: number; readonly partialResultToken: string }) => {
          await server.sendProgress(items, params.partialResultToken, [json(1)])
          await server.sendProgress(items, params.partialResultToken, [json(2), json(3)])
          return params.count > 3 ? new rpc.ResponseError(1001, "no", { balance: 3 }) : []
        })
      })
      assert.deepStrictEqual(yield* Stream.runCollect(bank.entries({ count: 3 })), [entry(1), entry(2), entry(3)])
      const seen: Array<unknown> = []
      const failing = Stream.runForEach(bank.entries({ count: 4 }), (item) => Effect.sync(() => seen.push(item)))
      assert.deepStrictEqual(yield* Effect.flip(failing), new Insufficient({ balance: 3 }))
      assert.lengthOf(seen, 3)
    }))
})
