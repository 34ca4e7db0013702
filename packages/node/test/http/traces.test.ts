/** The trace of a call over HTTP, where the message itself has no place for it. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as Tracing from "@parley/middleware/Tracing"
import * as NodeHttp from "@parley/node/NodeHttp"
import { type Caller, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Effect, Layer, type Scope, Tracer } from "effect"
import * as servers from "../support/httpServers.ts"

const callers: ReadonlyArray<{
  readonly name: string
  readonly make: (options: HttpCaller.HttpCallerOptions) => Effect.Effect<Caller.Caller, unknown, Scope.Scope>
}> = [
  { name: "NodeHttp", make: NodeHttp.makeCaller },
  {
    name: "HttpCaller",
    make: (options) =>
      Effect.flatMap(
        Layer.build(NodeHttpClient.layerUndici),
        (client) => Effect.provideContext(HttpCaller.make(options), client)
      )
  }
]

describe.each(callers)("a call by $name", ({ make }) => {
  it.live("promise 11: what belongs to a call reaches it before its response: the trace of its caller, by a header", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const traced = Tracing.handler(Dialect.jsonRpc)
      yield* router.add("trace", traced(() => Effect.orDie(Effect.map(Effect.currentSpan, ({ traceId }) => traceId))))
      const { address } = yield* Effect.provideService(NodeHttp.serveRouter({ port: 0 }), Router.Router, router)
      const caller = yield* make({ url: address })
      const call = Effect.zip(Effect.map(Effect.currentSpan, ({ traceId }) => traceId), caller.request("trace"))
      const [here, there] = yield* Effect.withSpan(call, "here")
      assert.strictEqual(there, here)
    }).pipe(Effect.withTracer(Tracer.nativeTracer)))

  it.live("names no span where no tracer listens", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const url = yield* servers.answering((request, response) => {
        seen.push(request.headers["traceparent"])
        request.resume()
        response.writeHead(200, { "content-type": "application/json" }).end(`{"jsonrpc":"2.0","id":1,"result":1}`)
      })
      const caller = yield* make({ url })
      assert.strictEqual(yield* caller.request("m"), 1)
      assert.deepStrictEqual(seen, [undefined])
    }))
})
