import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { JSONRPCClient, JSONRPCErrorException, JSONRPCServer, JSONRPCServerAndClient } from "json-rpc-2.0"
import type { WebSocket } from "ws"
import { acceptingSockets, connectedSocket, servedAtSocket, socketPeer } from "./webSides.ts"

/** Both of their sides on one WebSocket. */
const theirs = (socket: WebSocket): JSONRPCServerAndClient => {
  const server = new JSONRPCServer({ errorListener: () => {} })
  const client = new JSONRPCClient((message) => socket.send(JSON.stringify(message)))
  const both = new JSONRPCServerAndClient(server, client, { errorListener: () => {} })
  socket.on("message", (data) => void both.receiveAndSend(JSON.parse(String(data))))
  return both
}

describe("json-rpc-2.0 as the client of our WebSocket server", () => {
  it.live("gets results and our errors, notifies us, and is called back by our handler", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const url = yield* servedAtSocket({ note: ({ params }) => Deferred.succeed(noted, params) })
      const client = theirs(yield* connectedSocket(url))
      client.addMethod("double", ([number]: [number]) => number * 2)
      assert.strictEqual(yield* Effect.promise(() => client.request("subtract", [42, 23])), 19)
      const failed = yield* Effect.promise(() =>
        client.request("fail", undefined).then(
          () => assert.fail("it succeeded"),
          ({ code, data }: JSONRPCErrorException) => ({ code, data })
        )
      )
      assert.deepStrictEqual(failed, { code: 1234, data: { detail: "boom" } })
      client.notify("note", { text: "hi" })
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "hi" })
      assert.strictEqual(
        yield* Effect.promise(() => client.request("callback", { method: "double", params: [21] })),
        42
      )
    }))
})

describe("json-rpc-2.0 as the WebSocket server of our client", () => {
  it.live("answers our calls and a batch of them, and fails them with its errors", () =>
    Effect.gen(function*() {
      const url = yield* acceptingSockets((socket) => {
        const server = theirs(socket)
        server.addMethod("sum", (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0))
        server.addMethod("fail", () => {
          throw new JSONRPCErrorException("no money", 1234, { balance: 5 })
        })
      })
      const client = yield* socketPeer(url)
      assert.strictEqual(yield* client.request("sum", [1, 2, 3]), 6)
      const error = { _tag: "RemoteError", code: 1234, text: "no money", data: { balance: 5 } } as const
      assert.deepInclude(yield* Effect.flip(client.request("fail")), error)
      assert.deepInclude(yield* Effect.flip(client.request("nope")), { _tag: "RemoteError", code: -32601 })
      const results = yield* client.batch([
        { method: "sum", params: [40, 2] },
        { method: "sum", params: [1], notification: true },
        { method: "sum", params: [] }
      ])
      assert.deepStrictEqual(results, [Result.succeed(42), undefined, Result.succeed(0)])
    }))

  it.live("calls and notifies us on the same connection, and hears that we shut down", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const left = yield* Deferred.make<unknown>()
      const asked = yield* Deferred.make<void>()
      const url = yield* acceptingSockets((socket) => {
        const server = theirs(socket)
        server.addMethod("relay", (params) => {
          server.notify("note", params)
          return server.request("ask", params)
        })
        server.addMethod("follow", () => {
          server.request("never", undefined).then(
            () => assert.fail("it succeeded"),
            (error: Error) => Deferred.doneUnsafe(left, Effect.succeed(error.message))
          )
        })
      })
      const using = yield* Effect.forkChild(Effect.scoped(Effect.gen(function*() {
        const client = yield* socketPeer(url, {
          note: ({ params }) => Deferred.succeed(noted, params),
          ask: ({ params }) => Effect.succeed({ asked: params ?? null }),
          never: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
        }, { limits: { drain: 10 } })
        assert.deepStrictEqual(yield* client.request("relay", ["x"]), { asked: ["x"] })
        assert.deepStrictEqual(yield* Deferred.await(noted), ["x"])
        yield* client.notify("follow")
        return yield* Effect.never
      })))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(using)
      assert.strictEqual(yield* Deferred.await(left), "Shutting down")
    }))
})
