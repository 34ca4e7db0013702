import { assert, describe, it } from "@effect/vitest"
import { Dialect, Framing } from "@parley/protocol"
import { Deferred, Effect, Result } from "effect"
import jayson from "jayson"
import { listening, peer, served } from "./sides.ts"

const speech = { framing: Framing.line, dialect: Dialect.jsonRpc }

describe("jayson as the client of our server", () => {
  const call = (client: jayson.Client, method: string, params: jayson.RequestParamsLike) =>
    Effect.callback<unknown>((resume) => {
      client.request(
        method,
        params,
        (failure: unknown, reply: unknown) => resume(failure ? Effect.die(failure) : Effect.succeed(reply))
      )
    })

  it.live("gets results, and our errors with code, message and data", () =>
    Effect.gen(function*() {
      const client = jayson.Client.tcp({ port: yield* served(speech) })
      assert.deepInclude(yield* call(client, "subtract", [42, 23]), { jsonrpc: "2.0", result: 19 })
      assert.deepInclude(yield* call(client, "echo", { a: ["é"] }), { result: { a: ["é"] } })
      assert.deepInclude(yield* call(client, "fail", []), {
        error: { code: 1234, message: "Application error", data: { detail: "boom" } }
      })
      assert.deepInclude(yield* call(client, "nope", []), {
        error: { code: -32601, message: "Method not found", data: "nope" }
      })
    }))

  it.live("gets the replies of a batch", () =>
    Effect.gen(function*() {
      const client = jayson.Client.tcp({ port: yield* served(speech) })
      const replies = yield* Effect.callback<unknown>((resume) => {
        const batch = [
          client.request("sum", [1, 2, 3], 1),
          client.request("update", [], null),
          client.request("get_data", [], "two")
        ]
        client.request(batch, (failure: unknown, replies: unknown) =>
          resume(failure ? Effect.die(failure) : Effect.succeed(replies)))
      })
      assert.deepStrictEqual(replies, [
        { jsonrpc: "2.0", id: 1, result: 6 },
        { jsonrpc: "2.0", id: "two", result: ["hello", 5] }
      ])
    }))

  it.live("notifies us", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const port = yield* served(speech, { note: ({ params }) => Deferred.succeed(noted, params) })
      jayson.Client.tcp({ port }).request("note", { text: "hi" }, null, () => {})
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "hi" })
    }))
})

describe("jayson as the server of our client", () => {
  const noted: Array<unknown> = []
  const pair = Effect.suspend(() => {
    type Done = (error?: jayson.JSONRPCError | null, result?: unknown) => void
    const server = new jayson.Server({
      sum: (numbers: ReadonlyArray<number>, done: Done) => done(null, numbers.reduce((sum, number) => sum + number, 0)),
      fail: (_: unknown, done: Done) =>
        done({ code: 1234, message: "no money", data: { balance: 5 } } as jayson.JSONRPCError),
      note: (params: unknown, done: Done) => {
        noted.push(params)
        done(null, null)
      },
      late: (_: unknown, done: Done) => void setTimeout(() => done(null, "late"), 100)
    })
    return Effect.flatMap(listening(server.tcp()), (port) => peer(port, speech))
  })

  it.live("answers our calls, out of order where it likes", () =>
    Effect.gen(function*() {
      const client = yield* pair
      const order: Array<unknown> = []
      yield* Effect.all([
        Effect.map(client.request("late", []), (result) => order.push(result)),
        Effect.map(client.request("sum", [1, 2, 3]), (result) => order.push(result))
      ], { concurrency: "unbounded" })
      assert.deepStrictEqual(order, [6, "late"])
    }))

  it.live("fails our call with its error's code, message and data, and an unknown method with -32601", () =>
    Effect.gen(function*() {
      const client = yield* pair
      const error = { _tag: "RemoteError", code: 1234, text: "no money", data: { balance: 5 } } as const
      assert.deepInclude(yield* Effect.flip(client.request("fail", [])), error)
      assert.deepInclude(yield* Effect.flip(client.request("nope", [])), { _tag: "RemoteError", code: -32601 })
    }))

  it.live("answers a batch of ours, and takes our notifications", () =>
    Effect.gen(function*() {
      const client = yield* pair
      const results = yield* client.batch([
        { method: "sum", params: [40, 2] },
        { method: "note", params: ["x"], notification: true }
      ])
      assert.deepStrictEqual(results, [Result.succeed(42), undefined])
      assert.deepStrictEqual(noted, [["x"]])
    }))
})
