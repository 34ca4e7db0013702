/** Routes among the middleware of Effect's server. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as HttpRoute from "@parley/http/HttpRoute"
import { Router } from "@parley/peer"
import { ByteSize, Context, Effect, Layer } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as http from "node:http"
import { gzipSync } from "node:zlib"
import * as posting from "./support/posting.ts"

/** Serves an echo behind middleware, and gives the URL. */
const serving = (middleware: HttpMiddleware.HttpMiddleware) =>
  Effect.gen(function*() {
    const routes = Layer.provide(HttpRoute.layer(), Router.layer({ echo: (call) => Effect.succeed(call.params) }))
    const server = Layer.provideMerge(
      HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, middleware }),
      NodeHttpServer.layerServer(() => http.createServer(), {
        port: 0,
        host: "127.0.0.1",
        gracefulShutdownTimeout: 100
      })
    )
    const { address } = Context.get(yield* Layer.build(server), HttpServer.HttpServer)
    return `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}/`
  })

const json = { "content-type": "application/json" }
const bodies = [["small", "x"], ["large", "x".repeat(100_000)]] as const
const answer = (text: string) => `{"jsonrpc":"2.0","id":1,"result":["${text}"]}`

describe.each(bodies)("a %s body for a route of Effect's server", (_, text) => {
  it.live("is read as its middleware decompresses it", () =>
    Effect.gen(function*() {
      const url = yield* serving(HttpMiddleware.decompression())
      const body = gzipSync(posting.request("echo", [text]))
      const headers = { ...json, "content-encoding": "gzip", "content-length": body.length }
      assert.strictEqual((yield* posting.post(url, { body, headers })).text, answer(text))
    }))

  it.live("is bounded by the limit of the route alone", () =>
    Effect.gen(function*() {
      const url = yield* serving((app) => Effect.provideService(app, MaxBodySize, ByteSize.fromInputUnsafe(10)))
      const body = posting.request("echo", [text])
      const headers = { ...json, "content-length": body.length }
      assert.strictEqual((yield* posting.post(url, { body, headers })).text, answer(text))
    }))

  it.live.each(bodies)(
    "asks for a %s body that its client holds back until then",
    ([_, text]) =>
      Effect.gen(function*() {
        const url = yield* serving((app) => app)
        const body = posting.request("echo", [text])
        const headers = { ...json, "content-length": body.length, expect: "100-continue" }
        const { answer: answered, request } = yield* posting.begin(url, { headers })
        request.on("continue", () => request.end(body))
        assert.strictEqual((yield* answered).text, answer(text))
      })
  )
})
