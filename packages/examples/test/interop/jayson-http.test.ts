import { assert, describe, it } from "@effect/vitest"
import { NodeHttp } from "@parley/node"
import { Deferred, Effect, Queue, Result } from "effect"
import jayson from "jayson"
import { replyTo, serverOf } from "./jaysonSides.ts"
import { listening } from "./sides.ts"
import { servedAtHttp } from "./webSides.ts"

describe("jayson as the client of our HTTP server", () => {
  const theirs = (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const { hostname, port } = new URL(url)
    return jayson.Client.http({ hostname, port, headers })
  }

  it.live("gets results, and our errors with code, message and data", () =>
    Effect.gen(function*() {
      const client = theirs(yield* servedAtHttp())
      const call = (method: string, params: jayson.RequestParamsLike) =>
        replyTo((replied) => void client.request(method, params, "an id", replied))
      assert.deepStrictEqual(yield* call("subtract", [42, 23]), { jsonrpc: "2.0", id: "an id", result: 19 })
      assert.deepInclude(yield* call("echo", { a: ["é"] }), { result: { a: ["é"] } })
      assert.deepInclude(yield* call("fail", []), {
        error: { code: 1234, message: "Application error", data: { detail: "boom" } }
      })
      assert.deepInclude(yield* call("nope", []), {
        error: { code: -32601, message: "Method not found", data: "nope" }
      })
    }))

  it.live("gets the replies of a batch, its notifications left out", () =>
    Effect.gen(function*() {
      const client = theirs(yield* servedAtHttp())
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
    }))

  it.live("notifies us, and hears nothing", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const url = yield* servedAtHttp({ note: ({ params }) => Deferred.succeed(noted, params) })
      const client = theirs(url)
      assert.isUndefined(yield* replyTo((replied) => void client.request("note", { text: "hi" }, null, replied)))
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "hi" })
    }))

  it.live("is refused what is no JSON by the status, and nothing runs", () =>
    Effect.gen(function*() {
      const noted = yield* Queue.unbounded<unknown>()
      const url = yield* servedAtHttp({ note: () => Queue.offer(noted, "ran") })
      const client = theirs(url, { "Content-Type": "text/plain" })
      const failure = yield* Effect.callback<unknown>((resume) => {
        client.request("note", [], (failure: unknown) => resume(Effect.succeed(failure)))
      })
      assert.deepInclude(failure, { code: 415 })
      assert.strictEqual(yield* Queue.size(noted), 0)
    }))
})

describe("jayson as the HTTP server of our client", () => {
  const served = Effect.gen(function*() {
    const noted = yield* Queue.unbounded<unknown>()
    const server = serverOf(noted)
    const url = `http://127.0.0.1:${yield* listening(server.http())}`
    return { url, noted: Queue.take(noted) }
  })

  it.live("answers a hundred calls at once, each with its own result", () =>
    Effect.gen(function*() {
      const client = yield* NodeHttp.makeCaller({ url: (yield* served).url })
      const numbers = Array.from({ length: 100 }, (_, index) => index)
      const sums = yield* Effect.forEach(numbers, (number) => client.request("sum", [number, 1]), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(sums, numbers.map((number) => number + 1))
    }))

  it.live("fails our call with its error's code, message and data, and an unknown method with -32601", () =>
    Effect.gen(function*() {
      const client = yield* NodeHttp.makeCaller({ url: (yield* served).url })
      const error = { _tag: "RemoteError", code: 1234, text: "no money", data: { balance: 5 } } as const
      assert.deepInclude(yield* Effect.flip(client.request("fail", [])), error)
      const unknown = { _tag: "RemoteError", code: -32601, text: "Method not found" } as const
      assert.deepInclude(yield* Effect.flip(client.request("nope", [])), unknown)
    }))

  it.live("answers a batch of ours, and takes our notifications", () =>
    Effect.gen(function*() {
      const { noted, url } = yield* served
      const client = yield* NodeHttp.makeCaller({ url })
      const [sum, nothing, failed] = yield* client.batch([
        { method: "sum", params: [40, 2] },
        { method: "note", params: ["in a batch"], notification: true },
        { method: "nope", params: [] }
      ])
      assert.deepStrictEqual([sum, nothing], [Result.succeed(42), undefined])
      assert.deepInclude(yield* Effect.flip(Effect.fromResult(failed ?? assert.fail("no result"))), { code: -32601 })
      assert.deepStrictEqual(yield* noted, ["in a batch"])
      yield* client.notify("note", ["alone"])
      assert.deepStrictEqual(yield* noted, ["alone"])
      assert.deepStrictEqual(yield* client.batch([{ method: "note", params: ["all"], notification: true }]), [
        undefined
      ])
      assert.deepStrictEqual(yield* noted, ["all"])
    }))

  it.live("refuses by its status what it does not take for JSON, and only that call fails", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const strange = yield* NodeHttp.makeCaller({ url, headers: { "content-type": "text/plain" } })
      assert.deepInclude(yield* Effect.flip(strange.request("sum", [1, 2])), {
        _tag: "HttpStatusError",
        status: 415,
        excerpt: "Unsupported Media Type"
      })
      const client = yield* NodeHttp.makeCaller({ url })
      assert.strictEqual(yield* client.request("sum", [1, 2]), 3)
    }))
})
