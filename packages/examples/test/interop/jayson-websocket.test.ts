import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Result } from "effect"
import jayson from "jayson"
import { replyTo, serverOf } from "./jaysonSides.ts"
import { connectedSocket, servedAtSocket, socketPeer, socketServer, urlOf } from "./webSides.ts"

describe("jayson as the client of our WebSocket server", () => {
  const theirs = (url: string) => Effect.map(connectedSocket(url), (ws) => jayson.Client.websocket({ ws }))

  it.live("gets results, and our errors with code, message and data", () =>
    Effect.gen(function*() {
      const client = yield* theirs(yield* servedAtSocket())
      const call = (method: string, params: jayson.RequestParamsLike) =>
        replyTo((replied) => void client.request(method, params, 7, replied))
      assert.deepStrictEqual(yield* call("subtract", [42, 23]), { jsonrpc: "2.0", id: 7, result: 19 })
      assert.deepInclude(yield* call("fail", []), {
        error: { code: 1234, message: "Application error", data: { detail: "boom" } }
      })
      assert.deepInclude(yield* call("nope", []), {
        error: { code: -32601, message: "Method not found", data: "nope" }
      })
    }))

  it.live("gets the replies of a batch in one message, and notifies us", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const client = yield* theirs(yield* servedAtSocket({ note: ({ params }) => Deferred.succeed(noted, params) }))
      const replies = yield* replyTo((replied) => {
        const batch = [
          client.request("sum", [1, 2, 3], 1),
          client.request("update", [], null),
          client.request("get_data", [], "two")
        ]
        client.request(batch, replied)
      })
      assert.deepStrictEqual(replies, [
        { jsonrpc: "2.0", id: 1, result: 6 },
        { jsonrpc: "2.0", id: "two", result: ["hello", 5] }
      ])
      client.request("note", ["hi"], null, () => {})
      assert.deepStrictEqual(yield* Deferred.await(noted), ["hi"])
    }))
})

describe("jayson as the WebSocket server of our client", () => {
  const served = Effect.gen(function*() {
    const noted = yield* Queue.unbounded<unknown>()
    const wss = yield* socketServer
    const server = serverOf(noted)
    // The same class, of types that are a version apart.
    server.websocket(Object({ wss }))
    return { url: urlOf(wss), noted: Queue.take(noted), wss }
  })

  it.live("answers our calls, a batch of them too, and fails them with its errors", () =>
    Effect.gen(function*() {
      const { noted, url } = yield* served
      const client = yield* socketPeer(url)
      assert.strictEqual(yield* client.request("sum", [1, 2, 3]), 6)
      const error = { _tag: "RemoteError", code: 1234, text: "no money", data: { balance: 5 } } as const
      assert.deepInclude(yield* Effect.flip(client.request("fail", [])), error)
      assert.deepInclude(yield* Effect.flip(client.request("nope", [])), { _tag: "RemoteError", code: -32601 })

      const results = yield* client.batch([
        { method: "sum", params: [40, 2] },
        { method: "note", params: ["x"], notification: true }
      ])
      assert.deepStrictEqual(results, [Result.succeed(42), undefined])
      assert.deepStrictEqual(yield* noted, ["x"])
    }))

  it.live("ends a call that waits with Disconnected when it closes with a code of its own", () =>
    Effect.gen(function*() {
      const { url, wss } = yield* served
      const client = yield* socketPeer(url)
      const waiting = yield* Effect.forkChild(Effect.flip(client.request("never", [])), { startImmediately: true })
      yield* client.request("sum", [1])
      for (const socket of wss.clients) socket.close(4000, "enough")
      assert.deepInclude(yield* Fiber.join(waiting), {
        _tag: "Disconnected",
        reason: { _tag: "CloseCode", code: 4000, text: "enough" },
        sent: true
      })
    }))
})
