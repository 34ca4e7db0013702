/** The address of something else than a server is said to be one before any rule is tried. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import * as Server from "../suites/Server.ts"

/** A server of HTTP that answers each request alike. */
const page = (status: number, body: string) => ({
  _tag: "Http" as const,
  name: "http",
  url: "http://127.0.0.1/",
  headers: {},
  fetcher: {
    fetch: () =>
      Effect.succeed({
        status,
        header: () => undefined,
        read: <E>(take: (bytes: Uint8Array) => Effect.Effect<unknown, E> | undefined) =>
          Effect.suspend(() => Effect.asVoid(take(new TextEncoder().encode(body)) ?? Effect.void))
      })
  }
})

const rows: ReadonlyArray<readonly [name: string, status: number, body: string, reason: string | undefined]> = [
  ["a page that does not exist", 404, "", "HTTP 404"],
  ["an error of a framework", 500, `{"error":"Internal Server Error"}`, "HTTP 500"],
  ["a page for people", 200, "<html>hello</html>", "its answer is no JSON-RPC: <html>hello</html>"],
  ["a server that asks for credentials", 401, "", undefined],
  ["an error of JSON-RPC", 404, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, undefined],
  ["a server without a word", 204, "", undefined]
]

describe("what answers over HTTP", () => {
  for (const [name, status, body, expected] of rows) {
    it.live(name, () =>
      Effect.gen(function*() {
        const run = Conform.run(page(status, body), { protocol: "jsonrpc", timeout: 50, only: ["jsonrpc/batch-empty"] })
        const reason = yield* Effect.match(Effect.scoped(run), {
          onFailure: ({ reason }) => reason,
          onSuccess: () => undefined
        })
        assert.strictEqual(reason, expected)
      }))
  }
})

describe("what answers over a stream", () => {
  it.live("is said to answer nothing at all", () =>
    Effect.gen(function*() {
      const silent = yield* Server.target({ answer: () => [] })
      const { reason } = yield* Effect.flip(Conform.run(silent, { protocol: "jsonrpc", timeout: 50 }))
      assert.include(reason, "it answers nothing")
    }))

  it.live("may answer nothing but a method that somebody has named", () =>
    Effect.gen(function*() {
      const shy = yield* Server.target({ answer: (input, right) => input.includes("\"known\"") ? right : [] })
      const methods = [{ method: "known", params: [] }]
      const { results } = yield* Conform.run(shy, {
        protocol: "jsonrpc",
        timeout: 50,
        methods,
        only: ["jsonrpc/id-same"]
      })
      assert.strictEqual(results[0]?.verdict, "fail")
    }))
})
