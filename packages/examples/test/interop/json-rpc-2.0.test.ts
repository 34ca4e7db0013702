import { assert, describe, it } from "@effect/vitest"
import { Dialect, Framing } from "@parley/protocol"
import { Deferred, Effect, Result } from "effect"
import {
  createJSONRPCRequest,
  JSONRPCClient,
  JSONRPCErrorException,
  JSONRPCServer,
  JSONRPCServerAndClient
} from "json-rpc-2.0"
import type { Socket } from "node:net"
import { accepting, connected, onLines, peer, served } from "./sides.ts"

const speech = { framing: Framing.line, dialect: Dialect.jsonRpc }

/** Both of their sides on one socket, one message per line. */
const theirs = (socket: Socket): JSONRPCServerAndClient => {
  const server = new JSONRPCServer({ errorListener: () => {} })
  const client = new JSONRPCClient((message) => void socket.write(JSON.stringify(message) + "\n"))
  const both = new JSONRPCServerAndClient(server, client, { errorListener: () => {} })
  onLines(socket, (line) => void both.receiveAndSend(JSON.parse(line)))
  return both
}

const errorOf = (call: PromiseLike<unknown>) =>
  Effect.promise(() =>
    call.then(() => assert.fail("it succeeded"), ({ code, data, message }: JSONRPCErrorException) => ({
      code,
      message,
      data
    }))
  )

describe("json-rpc-2.0 as the client of our server", () => {
  it.live("gets results, and our errors with code, message and data", () =>
    Effect.gen(function*() {
      const client = theirs(yield* connected(yield* served(speech)))
      assert.strictEqual(yield* Effect.promise(() => client.request("subtract", [42, 23])), 19)
      assert.deepStrictEqual(yield* Effect.promise(() => client.request("echo", { a: ["é"] })), { a: ["é"] })
      assert.deepStrictEqual(yield* errorOf(client.request("fail", undefined)), {
        code: 1234,
        message: "Application error",
        data: { detail: "boom" }
      })
      assert.deepInclude(yield* errorOf(client.request("nope", undefined)), { code: -32601, data: "nope" })
    }))

  it.live("gets the replies of a batch in one text, its notifications left out", () =>
    Effect.gen(function*() {
      const client = theirs(yield* connected(yield* served(speech)))
      const replies = yield* Effect.promise(() =>
        client.requestAdvanced([
          createJSONRPCRequest(1, "sum", [1, 2, 3]),
          { jsonrpc: "2.0", method: "update" },
          createJSONRPCRequest("two", "get_data")
        ])
      )
      assert.deepStrictEqual(replies, [
        { jsonrpc: "2.0", id: 1, result: 6 },
        { jsonrpc: "2.0", id: "two", result: ["hello", 5] }
      ])
    }))

  it.live("notifies us, and is called back by our handler", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const port = yield* served(speech, { note: ({ params }) => Deferred.succeed(noted, params) })
      const client = theirs(yield* connected(port))
      client.addMethod("double", ([number]: [number]) => number * 2)
      client.notify("note", { text: "hi" })
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "hi" })
      assert.strictEqual(
        yield* Effect.promise(() => client.request("callback", { method: "double", params: [21] })),
        42
      )
    }))
})

describe("json-rpc-2.0 as the server of our client", () => {
  const pair = (prepare: (server: JSONRPCServerAndClient) => void, handlers: Parameters<typeof peer>[2] = {}) =>
    Effect.flatMap(
      accepting((socket) => prepare(theirs(socket))),
      (port) => peer(port, speech, handlers)
    )

  it.live("answers our calls, a batch of them too, and fails them with its errors", () =>
    Effect.gen(function*() {
      const client = yield* pair((server) => {
        server.addMethod("sum", (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0))
        server.addMethod("fail", () => {
          throw new JSONRPCErrorException("no money", 1234, { balance: 5 })
        })
      })
      assert.strictEqual(yield* client.request("sum", [1, 2, 3]), 6)
      const error = { _tag: "RemoteError", code: 1234, text: "no money", data: { balance: 5 } } as const
      assert.deepInclude(yield* Effect.flip(client.request("fail")), error)
      assert.deepInclude(yield* Effect.flip(client.request("nope")), { _tag: "RemoteError", code: -32601 })

      const [first, nothing, second] = yield* client.batch([
        { method: "sum", params: [40, 2] },
        { method: "sum", params: [1], notification: true },
        { method: "fail" }
      ])
      assert.deepStrictEqual(first, Result.succeed(42))
      assert.isUndefined(nothing)
      assert.deepInclude(Result.getFailure(second ?? assert.fail("no result")), { _tag: "Some" })
    }))

  it.live("calls and notifies us on the same connection", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const client = yield* pair((server) => {
        server.addMethod("relay", (params) => {
          server.notify("note", params)
          return server.request("ask", params)
        })
      }, {
        note: ({ params }) => Deferred.succeed(noted, params),
        ask: ({ params }) => Effect.succeed({ asked: params ?? null })
      })
      assert.deepStrictEqual(yield* client.request("relay", ["x"]), { asked: ["x"] })
      assert.deepStrictEqual(yield* Deferred.await(noted), ["x"])
    }))
})
