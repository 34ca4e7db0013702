/**
 * Node.js before 24.9 takes each offer of another protocol, such as HTTP/2, for an upgrade once anybody takes upgrades:
 * requests with an offer were refused on a port with WebSockets.
 */
import { assert, it } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Peer, Router } from "@parley/peer"
import { Context, Effect, Layer, References } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import { text } from "node:stream/consumers"
import { onTestFinished, vi } from "vitest"
import * as certificates from "../support/certificates.ts"

/** Servers of a Node.js that does not ask whether a request is an upgrade. */
vi.mock("node:http", async (original) => {
  const module = await original<typeof http>()
  const createServer = (settings: http.ServerOptions) =>
    module.createServer({ ...settings, shouldUpgradeCallback: undefined })
  return { ...module, createServer }
})
vi.mock("node:https", async (original) => {
  const module = await original<typeof https>()
  const createServer = (settings: https.ServerOptions) =>
    module.createServer({ ...settings, shouldUpgradeCallback: undefined })
  return { ...module, createServer }
})

const offer = {
  connection: "Upgrade, HTTP2-Settings",
  upgrade: "h2c",
  "http2-settings": "AAMAAABkAAQCAAAAAAIAAAAA"
}

it.live.each([["http", undefined], ["https", certificates.server]] as const)(
  "a request over %s that offers another protocol is answered, on a port with WebSockets, too",
  ([, tls]) =>
    Effect.gen(function*() {
      const path = "/rpc"
      const routes = Layer.merge(NodeHttp.layerRoute({ path }), NodeWebSocket.layerRoute({ path }))
      const router = Router.layer({ echo: (call) => Effect.succeed(call.params) })
      const layer = Layer.provide(NodeHttp.layerHost({ port: 0, tls, health: "/health" }, routes), router)
      const { address } = Context.get(yield* Layer.build(layer), NodeHttp.NodeHost)
      const warned = vi.fn<() => void>()
      process.on("warning", warned)
      onTestFinished(() => void process.off("warning", warned))

      const options = { keepAlive: true, maxSockets: 1, ca: certificates.ca }
      const agent = tls === undefined ? new http.Agent(options) : new https.Agent(options)
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      const ask = (method: string, url: string, pieces: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          const headers = { ...offer, "content-type": "application/json", "x-name": "ä" }
          const { request } = tls === undefined ? http : https
          const asking = request(address + url, { method, headers, agent })
          const answered = Promise.withResolvers<http.IncomingMessage>()
          asking.on("response", answered.resolve).on("error", answered.reject)
          for (const piece of pieces) asking.write(piece)
          asking.end()
          const answer = await answered.promise
          return [answer.statusCode, await text(answer)]
        })

      const large = JSON.stringify("x".repeat(200_000))
      // More of them than an emitter has listeners before Node.js warns.
      for (let id = 0; id < 12; id++) {
        const pieces = [`{"jsonrpc":"2.0","id":${id},"method":"echo",`, `"params":[${large}]}`]
        const answer = [200, `{"jsonrpc":"2.0","id":${id},"result":[${large}]}`]
        assert.deepStrictEqual(yield* ask("POST", path, pieces), answer)
      }
      assert.deepStrictEqual(yield* ask("GET", "/health", []), [200, "ok"])
      const there = yield* NodeWebSocket.makeTransport({
        url: address.replace("http", "ws") + path,
        ...(tls === undefined ? {} : { tls: certificates.trusting })
      })
      const peer = yield* Peer.make(there)
      assert.deepStrictEqual(yield* peer.request("echo", [1]), [1])
      assert.strictEqual(warned.mock.calls.length, 0)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
)
