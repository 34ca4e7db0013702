import { assert, describe, it } from "@effect/vitest"
import { Dialect, Framing } from "@parley/protocol"
import { Deferred, Effect } from "effect"
import jayson from "jayson"
import { replyTo } from "./jaysonSides.ts"
import { listening, peer, served } from "./sides.ts"

const one = { framing: Framing.line, dialect: Dialect.jsonRpc1 }

type Done = (error?: jayson.JSONRPCError | null, result?: unknown) => void

describe("jayson in version 1.0", () => {
  it.live("calls our server: results, errors with code, message and data, and notifications", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const port = yield* served(one, {
        note: ({ params }) => Effect.asVoid(Deferred.succeed(noted, params))
      })
      const client = jayson.Client.tcp({ port, version: 1 })
      const call = (method: string, params: jayson.RequestParamsLike) =>
        replyTo((replied) => client.request(method, params, replied))
      assert.deepInclude(yield* call("subtract", [42, 23]), { result: 19, error: null })
      assert.deepInclude(yield* call("fail", []), {
        result: null,
        error: { code: 1234, message: "Application error", data: { detail: "boom" } }
      })
      yield* replyTo((replied) => client.request("note", ["é"], null, replied)).pipe(Effect.forkScoped)
      assert.deepStrictEqual(yield* Deferred.await(noted), ["é"])
    }))

  it.live("serves our client", () =>
    Effect.gen(function*() {
      const server = new jayson.Server({
        sum: (numbers: ReadonlyArray<number>, done: Done) => done(null, numbers.reduce((sum, each) => sum + each, 0)),
        fail: (_: unknown, done: Done) => done({ code: 7, message: "no" })
      }, { version: 1 })
      const caller = yield* peer(yield* listening(server.tcp()), one)
      assert.strictEqual(yield* caller.request("sum", [1, 2, 3]), 6)
      assert.deepInclude(yield* Effect.flip(caller.request("fail")), { _tag: "RemoteError", code: 7, text: "no" })
      assert.deepInclude(yield* Effect.flip(caller.request("nope")), { _tag: "RemoteError", code: -32601 })
    }))
})
