/** HTTP as some peers speak it: what a caller sees of an answer beside its text, and other types and statuses. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as HttpRoute from "@parley/http/HttpRoute"
import * as NodeHttp from "@parley/node/NodeHttp"
import { type Caller, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Effect, Result, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import type * as http from "node:http"
import * as servers from "../support/httpServers.ts"

const callers: ReadonlyArray<{
  readonly name: string
  readonly make: (options: HttpCaller.HttpCallerOptions) => Effect.Effect<Caller.Caller, unknown, Scope.Scope>
}> = [
  { name: "NodeHttp", make: NodeHttp.makeCaller },
  {
    name: "HttpCaller",
    make: (options) => Effect.provide(HttpCaller.make(options), FetchHttpClient.layer)
  }
]

const respond =
  (status: number, headers: http.OutgoingHttpHeaders, body: string): http.RequestListener => (request, response) => {
    request.resume()
    request.on("end", () => {
      response.writeHead(status, headers)
      response.end(body)
    })
  }

const five = `{"jsonrpc":"2.0","id":1,"result":5}`
const json = { "content-type": "application/json" }

describe.each(callers)("a call by $name", ({ make }) => {
  const calling = (server: http.RequestListener, options: Partial<HttpCaller.HttpCallerOptions> = {}) =>
    Effect.flatMap(servers.answering(server), (url) => make({ ...options, url }))

  it.live("sees the head of its answer before its result, for every call and for one", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const see = (name: string): HttpCaller.OnResponse => ({ cookies, header, status }) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => void seen.push([name, status, header("retry-after"), header("absent"), cookies.length]))
        )
      const headers = { ...json, "retry-after": "7", "set-cookie": ["a=1", "b=2"] }
      const caller = yield* calling(respond(200, headers, five), { onResponse: see("all") })
      const call = Effect.provideService(caller.request("m"), HttpCaller.ResponseListener, see("one"))
      assert.strictEqual(yield* Effect.tap(call, () => Effect.sync(() => void seen.push("result"))), 5)
      assert.deepStrictEqual(seen, [["all", 200, "7", undefined, 2], ["one", 200, "7", undefined, 2], "result"])
    }))

  it.live("sees the head of an answer that fails it", () =>
    Effect.gen(function*() {
      const seen: Array<number> = []
      const onResponse: HttpCaller.OnResponse = ({ status }) => Effect.sync(() => void seen.push(status))
      const caller = yield* calling(respond(503, { "retry-after": "1" }, ""), { onResponse })
      assert.deepInclude(yield* Effect.flip(caller.request("m")), { _tag: "HttpStatusError", status: 503 })
      assert.deepStrictEqual(seen, [503])
    }))

  it.live.each<[string, http.OutgoingHttpHeaders]>([
    ["text/plain", { "content-type": "text/plain" }],
    ["no type", {}]
  ])(
    "promise 7: a call ends exactly once, by an answer of %s where any type will do",
    ([_, headers]) =>
      Effect.gen(function*() {
        const lenient = yield* calling(respond(200, headers, five), { mediaTypes: "any" })
        assert.strictEqual(yield* lenient.request("m"), 5)
        const refused = yield* calling(
          respond(400, headers, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`),
          {
            mediaTypes: "any"
          }
        )
        assert.deepInclude(yield* Effect.flip(refused.request("m")), { _tag: "RemoteError", code: 1 })
        const strict = yield* calling(respond(200, headers, five))
        assert.strictEqual((yield* Effect.flip(strict.request("m")))._tag, "InvalidResponse")
      })
  )

  it.live.each<[number, http.OutgoingHttpHeaders, string]>([
    [204, {}, ""],
    [202, {}, ""],
    [200, {}, ""],
    [200, json, ""],
    [200, json, "\r\n "],
    [200, { "content-type": "text/plain" }, "\n"]
  ])("takes any empty answer to a notification: %d %j %j", ([status, headers, body]) =>
    Effect.gen(function*() {
      const caller = yield* calling(respond(status, headers, body))
      assert.isTrue(Result.isSuccess(yield* Effect.result(caller.notify("n"))))
      const error = yield* Effect.flip(caller.request("m"))
      assert.strictEqual(error._tag, "InvalidResponse")
      if (headers !== json) return
      assert.include(error.message, "no response came")
    }))
})

describe("a server whose dialect answers what has no reply with 200", () => {
  const answering = (dialect: Dialect.Dialect) =>
    Effect.map(Router.make({ dialect, fallback: () => Effect.succeed(1) }), (router) => ({ router, dialect }))

  const post = (url: string) =>
    Effect.promise(async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: `{"method":"n","params":[],"id":null}`
      })
      return [response.status, response.headers.get("content-length"), await response.text()]
    })

  it.live("promise 20: a notification is never answered, with an empty body by NodeHttp and by HttpRoute", () =>
    Effect.gen(function*() {
      const { dialect, router } = yield* answering(Dialect.jsonRpc1)
      const { address } = yield* Effect.provideService(
        NodeHttp.serveRouter({ port: 0, dialect }),
        Router.Router,
        router
      )
      assert.deepStrictEqual(yield* post(address), [200, "0", ""])
      const handle = HttpRoute.toWebHandler(router, { dialect })
      const response = yield* Effect.promise(() =>
        handle(
          new Request("http://localhost/", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: `{"method":"n","params":[],"id":null}`
          })
        )
      )
      assert.deepStrictEqual([response.status, yield* Effect.promise(() => response.text())], [200, ""])
    }))
})
