/** `json-rpc-2.0` has no transport of its own: it is glued to `fetch` and to `node:http`, as its users do. */
import { assert, describe, it } from "@effect/vitest"
import { NodeHttp } from "@parley/node"
import { Deferred, Effect, Queue, Result } from "effect"
import {
  createJSONRPCRequest,
  JSONRPCClient,
  JSONRPCErrorException,
  type JSONRPCResponse,
  JSONRPCServer
} from "json-rpc-2.0"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { listening } from "./sides.ts"
import { servedAtHttp } from "./webSides.ts"

describe("json-rpc-2.0 as the client of our HTTP server", () => {
  /** Their client, and the statuses of its answers. */
  const theirs = (url: string) => {
    const statuses: Array<number> = []
    const client: JSONRPCClient = new JSONRPCClient(async (payload) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(payload)
      })
      statuses.push(response.status)
      if (response.status === 200) client.receive(await response.json() as JSONRPCResponse | Array<JSONRPCResponse>)
      else if (response.status !== 204) throw new Error(response.statusText)
    })
    return { client, statuses }
  }

  const errorOf = (call: PromiseLike<unknown>) =>
    Effect.promise(() =>
      call.then(() => assert.fail("it succeeded"), ({ code, data, message }: JSONRPCErrorException) => ({
        code,
        message,
        data
      }))
    )

  it.live("gets results, and our errors with code, message and data, all with status 200", () =>
    Effect.gen(function*() {
      const { client, statuses } = theirs(yield* servedAtHttp())
      assert.strictEqual(yield* Effect.promise(() => client.request("subtract", [42, 23])), 19)
      assert.deepStrictEqual(yield* Effect.promise(() => client.request("echo", { a: ["é"] })), { a: ["é"] })
      assert.deepStrictEqual(yield* errorOf(client.request("fail", undefined)), {
        code: 1234,
        message: "Application error",
        data: { detail: "boom" }
      })
      assert.deepInclude(yield* errorOf(client.request("nope", undefined)), { code: -32601, data: "nope" })
      assert.deepStrictEqual(statuses, [200, 200, 200, 200])
    }))

  it.live("gets the replies of a batch, and 204 for notifications", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const { client, statuses } = theirs(
        yield* servedAtHttp({ note: ({ params }) => Deferred.succeed(noted, params) })
      )
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
      client.notify("note", { text: "hi" })
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "hi" })
      assert.deepStrictEqual(yield* Effect.promise(() => client.request("sum", [1])), 1)
      assert.sameMembers(statuses, [200, 204, 200])
    }))
})

describe("json-rpc-2.0 as the HTTP server of our client", () => {
  const served = Effect.gen(function*() {
    const noted = yield* Queue.unbounded<unknown>()
    const abandoned = yield* Deferred.make<void>()
    const waiting = yield* Deferred.make<void>()
    const server = new JSONRPCServer({ errorListener: () => {} })
    server.addMethod("sum", (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0))
    server.addMethod("fail", () => {
      throw new JSONRPCErrorException("no money", 1234, { balance: 5 })
    })
    server.addMethod("note", (params) => void Queue.offerUnsafe(noted, params))
    server.addMethod("nothing", () => undefined)
    server.addMethod("wait", () => {
      Deferred.doneUnsafe(waiting, Effect.void)
      return new Promise(() => {})
    })
    const port = yield* listening(createServer(async (request, response) => {
      response.on("close", () => {
        if (!response.writableFinished) Deferred.doneUnsafe(abandoned, Effect.void)
      })
      const reply = await server.receiveJSON(await text(request))
      if (reply === null) response.writeHead(204).end()
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply))
    }))
    const client = yield* NodeHttp.makeCaller({ url: `http://127.0.0.1:${port}/rpc` })
    return {
      client,
      noted: Queue.take(noted),
      waiting: Deferred.await(waiting),
      abandoned: Deferred.await(abandoned)
    }
  })

  it.live("answers our calls, and fails them with its errors", () =>
    Effect.gen(function*() {
      const { client } = yield* served
      assert.strictEqual(yield* client.request("sum", [1, 2, 3]), 6)
      assert.isNull(yield* client.request("nothing"))
      const error = { _tag: "RemoteError", code: 1234, text: "no money", data: { balance: 5 } } as const
      assert.deepInclude(yield* Effect.flip(client.request("fail")), error)
      assert.deepInclude(yield* Effect.flip(client.request("nope")), { _tag: "RemoteError", code: -32601 })
    }))

  it.live("answers a batch of ours, and takes our notifications", () =>
    Effect.gen(function*() {
      const { client, noted } = yield* served
      const [first, nothing, second] = yield* client.batch([
        { method: "sum", params: [40, 2] },
        { method: "note", params: ["in a batch"], notification: true },
        { method: "sum", params: [] }
      ])
      assert.deepStrictEqual([first, nothing, second], [Result.succeed(42), undefined, Result.succeed(0)])
      assert.deepStrictEqual(yield* noted, ["in a batch"])
      yield* client.notify("note", ["alone"])
      assert.deepStrictEqual(yield* noted, ["alone"])
    }))

  it.live("sees that a call was given up when it is interrupted or takes too long, and others go on", () =>
    Effect.gen(function*() {
      const slow = yield* served
      const late = yield* Effect.flip(slow.client.request("wait", [], { timeout: 50 }))
      assert.deepInclude(late, { _tag: "RequestTimeout", method: "wait" })
      yield* slow.abandoned

      const { abandoned, client, waiting } = yield* served
      // The loser of the race is interrupted.
      yield* Effect.raceFirst(client.request("wait"), waiting)
      yield* abandoned
      assert.strictEqual(yield* client.request("sum", [1, 2]), 3)
    }))
})
