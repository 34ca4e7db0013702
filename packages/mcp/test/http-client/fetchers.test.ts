import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { HttpFetcher } from "@parley/http/shared/client"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import * as official from "./support/official.ts"
import { json, legacy, result, serve, signal, stream, text } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

/** Bytes that all answers of a fetcher hold together. */
const budget = 2 * 1024 * 1024

const clients: ReadonlyArray<readonly [string, Layer.Layer<HttpClient.HttpClient>]> = [
  ["fetch", FetchHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici],
  ["node:http", NodeHttpClient.layerNodeHttp]
]

for (const [name, client] of clients) {
  const fetcher = Effect.flatMap(
    Layer.build(client),
    (context) => Effect.provideContext(HttpFetcher.make({ limits: { budget } }), context)
  )

  describe(`over Effect's HttpClient with ${name}`, () => {
    it.live("a session with the official SDK is made, used and ended", () =>
      Effect.gen(function*() {
        const server = yield* official.v1Sessions()
        const scope = yield* Scope.make()
        const transport = yield* Scope.provide(transports.shaken(server.url, { fetcher }), scope)
        const params = { name: "echo", arguments: { text: "a" } }
        const echoed = { content: [{ type: "text", text: "a" }] }
        assert.deepStrictEqual(yield* transport.request("tools/call", params), echoed)
        const behind = yield* transport.request("tools/call", { name: "cut", arguments: {} })
        assert.deepStrictEqual(behind, { content: [{ type: "text", text: "behind the cut" }] })
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(server.open(), [])
      }))

    it.live("a call that is interrupted ends its stream", () =>
      Effect.gen(function*() {
        const closed = signal<void>()
        const server = yield* serve(legacy({
          slow: ({ response }) => {
            stream(response)({ data: { jsonrpc: "2.0", method: "notifications/x" } })
            response.on("close", () => closed.set())
          }
        }))
        const transport = yield* transports.shaken(server.url, { fetcher })
        const call = yield* Effect.forkChild(transport.request("slow"))
        yield* server.until(({ message }) => message.method === "slow")
        yield* Fiber.interrupt(call)
        yield* closed.wait
        yield* server.until(({ message }) => message.method === "notifications/cancelled")
      }))

    it.live("a stream that breaks is taken up, and a redirect to another origin is not followed", () =>
      Effect.gen(function*() {
        let id: number | undefined
        const server = yield* serve(legacy({
          work: ({ response, seen }) => {
            id = seen.message.id
            stream(response)({ id: "p", data: "", retry: 0 })
            setImmediate(() => response.destroy())
          },
          GET: ({ response, seen }) =>
            seen.headers["last-event-id"] === "p"
              ? stream(response)({ data: result(id, "done") })
              : text(response, 405),
          away: ({ response }) => text(response, 307, "", { location: "http://127.0.0.2:1/" })
        }))
        const transport = yield* transports.shaken(server.url, { fetcher })
        assert.strictEqual(yield* transport.request("work"), "done")
        assert.deepInclude(yield* Effect.flip(transport.request("away")), { _tag: "HttpStatusError", status: 307 })
      }))

    it.live("an answer that holds more than the budget ends", () =>
      Effect.gen(function*() {
        const server = yield* serve(legacy({
          large: ({ response, seen }) => json(response, result(seen.message.id, "x".repeat(2 * budget)))
        }))
        const transport = yield* transports.open(server.url, { fetcher })
        const error = yield* Effect.flip(Effect.asVoid(transport.request("large")))
        assert.deepInclude(error, { _tag: "Disconnected", reason: { _tag: "Overrun" } })
      }))
  })
}
