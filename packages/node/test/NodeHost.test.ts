import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { type Handler, Peer, Router } from "@parley/peer"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, References, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import * as posting from "./support/posting.ts"
import { reasonOf } from "./support/reasonOf.ts"
import { upgrade } from "./support/webSocketListener.ts"

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

/** A host in a Scope of its own, and how to close it. */
const hosting = <A, E, R2 = never>(
  options: Partial<NodeHttp.HostOptions<R2>>,
  routes: Layer.Layer<A, E, NodeHttp.NodeHost | Router.Router>,
  handlers: Router.Handlers = {}
) =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const layer = Layer.provide(NodeHttp.layerHost({ port: 0, ...options }, routes), Router.layer(handlers))
    const context = yield* Layer.buildWithScope(layer, scope)
    const { address, port } = Context.get(context, NodeHttp.NodeHost)
    return { address, port, close: Scope.close(scope, Exit.void) }
  }).pipe(quietly)

const both = Layer.mergeAll(NodeHttp.layerRoute({ path: "/rpc" }), NodeWebSocket.layerRoute({ path: "/rpc" }))

const ping = { ping: () => Effect.succeed("pong") }

const connect = (address: string, path = "/rpc") =>
  Effect.flatMap(
    NodeWebSocket.makeTransport({ url: `${address.replace("http", "ws")}${path}` }),
    (transport) => Peer.make(transport)
  )

const get = (url: string, headers: http.OutgoingHttpHeaders = {}) => posting.post(url, { method: "GET", headers })

const body = posting.request("ping")

/** What a server answers to these bytes until it ends the connection. */
const sent = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    let heard = ""
    const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("data", (chunk) => heard += chunk)
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(heard)))
    return Effect.sync(() => socket.destroy())
  })

describe("NodeHost", () => {
  it.live("serves HTTP, WebSockets, several paths and its health on one port", () =>
    Effect.gen(function*() {
      const other = HttpEndpoint.jsonRpc(() => Effect.succeed(Option.some("\"other\"")))
      const routes = Layer.mergeAll(
        both,
        NodeWebSocket.layerRoute({ path: "/socket" }),
        Layer.effectDiscard(NodeHttp.route(other, { path: "/other" }))
      )
      const { address, port } = yield* hosting({ health: "/health" }, routes, ping)
      assert.strictEqual(address, `http://127.0.0.1:${port}`)
      const pong = `{"jsonrpc":"2.0","id":1,"result":"pong"}`
      assert.strictEqual((yield* posting.post(`${address}/rpc`, { body })).text, pong)
      assert.strictEqual((yield* posting.post(`${address}/other`, { body })).text, "\"other\"")
      for (const path of ["/rpc", "/socket"]) {
        assert.strictEqual(yield* Effect.flatMap(connect(address, path), (peer) => peer.request("ping")), "pong")
      }
      const health = yield* get(`${address}/health?from=probe`)
      assert.deepStrictEqual([health.status, health.text], [200, "ok"])
      assert.strictEqual((yield* get(`${address}/socket`)).status, 426)
      assert.strictEqual((yield* get(`${address}/elsewhere`)).status, 404)
      const elsewhere = yield* Effect.flip(connect(address, "/other"))
      assert.match(elsewhere.message, /404/)
    }).pipe(quietly))

  it.live("takes whole URLs and offers of other protocols as any request", () =>
    Effect.gen(function*() {
      const fallback: http.RequestListener = (_, response) => void response.end("rest")
      const { address } = yield* hosting({ fallback, health: "/health" }, both, ping)
      const headers = {
        "content-type": "application/json",
        connection: "Upgrade, HTTP2-Settings",
        upgrade: "h2c",
        "http2-settings": "AAMAAABkAAQCAAAAAAIAAAAA"
      }
      const path = `${address}/rpc`
      for (const options of [{ headers }, { path }]) {
        assert.include((yield* posting.post(path, { body, ...options })).text, "pong")
      }
      assert.strictEqual((yield* get(`${address}/health`, headers)).text, "ok")
      assert.strictEqual((yield* get(`${address}/elsewhere`, headers)).text, "rest")
      // A whole URL names the host, whatever the header says (RFC 9112, 3.2.2).
      const foreign = yield* posting.post(path, { body, path: "http://evil.example/rpc" })
      assert.strictEqual(foreign.status, 403)
    }).pipe(quietly))

  it.live("no upgrade overtakes the answers before it", () =>
    Effect.gen(function*() {
      const { port } = yield* hosting({ fallback: () => {} }, both, { never: () => Effect.never })
      const never = posting.request("never")
      const length = `content-length: ${never.length}`
      const post =
        `POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${length}\r\n\r\n${never}`
      const fields = Object.entries(upgrade).map(([name, value]) => `${name}: ${value}\r\n`).join("")
      const opening = `GET /rpc HTTP/1.1\r\nhost: localhost\r\n${fields}\r\n`
      for (const before of [post, "GET /rest HTTP/1.1\r\nhost: localhost\r\n\r\n"]) {
        assert.strictEqual(yield* sent(port, before + opening), "")
      }
      // A body that is refused is answered, and ends the connection.
      const refused = post.replace("localhost", "evil.example").replace("application/json", "text/plain")
      assert.match(yield* sent(port, refused + opening), /^HTTP\/1\.1 403 (?:(?!HTTP).)*$/s)
    }).pipe(quietly))

  it.live("gives the rest to an app of Effect's, or to a listener of Node.js", () =>
    Effect.gen(function*() {
      class Greeting extends Context.Service<Greeting, string>()("Greeting") {}
      const app = Effect.gen(function*() {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        return HttpServerResponse.text(`${yield* Greeting} from ${url}`)
      })
      const effect = yield* hosting({ fallback: app }, both, ping).pipe(Effect.provideService(Greeting, "hello"))
      assert.strictEqual((yield* get(`${effect.address}/a?b`)).text, "hello from /a?b")
      const listener = yield* hosting({ fallback: (_, response) => void response.end("hi") }, both, ping)
      assert.strictEqual((yield* get(`${listener.address}/a`)).text, "hi")
      assert.include((yield* posting.post(`${listener.address}/rpc`, { body })).text, "pong")
    }))

  it.live("answers 503 until its routes are there", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const slow = Layer.effectDiscard(Effect.gen(function*() {
        const { address } = yield* NodeHttp.NodeHost
        for (const path of ["/health", "/rpc", "/elsewhere"]) {
          const { headers, status, text } = yield* get(`${address}${path}`)
          seen.push([status, text, headers["retry-after"]])
        }
        seen.push((yield* reasonOf(NodeWebSocket.makeTransport({ url: `${address}/rpc` })))._tag)
      }))
      const { address } = yield* hosting({ health: "/health" }, Layer.provideMerge(slow, both), ping)
      const starting = [503, "Starting.", "1"]
      assert.deepStrictEqual(seen, [starting, starting, starting, "Open"])
      assert.strictEqual((yield* get(`${address}/health`)).status, 200)
    }).pipe(quietly))

  it.live("fails where its port is taken, and dies where a path is", () =>
    Effect.gen(function*() {
      const { address, port } = yield* hosting({}, both)
      assert.match(String(yield* Effect.exit(hosting({ port }, both))), /EADDRINUSE/)
      const twice = Layer.mergeAll(both, NodeHttp.layerRoute({ path: "/rpc" }))
      const exit = yield* Effect.exit(hosting({}, twice))
      assert.match(String(exit), /two routes of http:\/\/127\.0\.0\.1:\d+ have the path \/rpc/)
      assert.strictEqual((yield* posting.post(`${address}/rpc`, { body: "{}" })).status, 200)
    }).pipe(quietly))

  it.live("bounds the connections of each route by its own limits", () =>
    Effect.gen(function*() {
      const limits = { connections: 1 }
      const routes = Layer.mergeAll(
        NodeWebSocket.layerRoute({ path: "/a", limits }),
        NodeWebSocket.layerRoute({ path: "/b", limits }),
        NodeHttp.layerRoute({ path: "/rpc" })
      )
      const { address } = yield* hosting({}, routes, ping)
      yield* connect(address, "/a")
      assert.match((yield* Effect.flip(connect(address, "/a"))).message, /503/)
      yield* connect(address, "/b")
      assert.strictEqual((yield* posting.post(`${address}/rpc`, { body })).status, 200)
    }).pipe(quietly))
})

describe("a NodeHost that shuts down", () => {
  /** Runs a call over HTTP, one over a WebSocket and one of the fallback until it is told to end them. */
  const running = (options: Partial<NodeHttp.HostOptions>) =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      let begun = 0
      const all = yield* Deferred.make<void>()
      const wait = Effect.suspend(() => {
        if (++begun === 3) Deferred.doneUnsafe(all, Effect.void)
        return Effect.as(Deferred.await(go), "went")
      })
      const handler: Handler.Handler = () => wait
      const fallback = Effect.map(wait, (text) => HttpServerResponse.text(text))
      /** Its layer, with what its requests are authorized by, ends long before the host. */
      const idle = Layer.unwrap(Effect.gen(function*() {
        const users = yield* Effect.acquireRelease(Effect.sync(() => ({ isOpen: true })), (users) =>
          Effect.sync(() => users.isOpen = false))
        const authorize = () =>
          users.isOpen ? Effect.succeed(Context.empty()) : Effect.die("there are no users any more")
        return NodeHttp.layerRoute({ path: "/idle", authorize })
      }))
      const host = yield* hosting({ fallback, ...options }, Layer.merge(both, idle), { wait: handler })
      const rpc = yield* posting.begin(`${host.address}/rpc`)
      rpc.request.end(posting.request("wait"))
      const rest = yield* posting.begin(`${host.address}/rest`, { method: "GET" })
      rest.request.end()
      const peer = yield* connect(host.address)
      const call = yield* Effect.forkChild(peer.request("wait"), { startImmediately: true })
      yield* Deferred.await(all)
      const slow = yield* posting.begin(`${host.address}/rpc`, {
        headers: { "content-type": "application/json", expect: "100-continue" }
      })
      slow.request.flushHeaders()
      yield* Effect.promise(() => once(slow.request, "continue"))
      const closing = yield* Effect.forkChild(host.close, { startImmediately: true })
      const finish = Effect.gen(function*() {
        yield* Deferred.succeed(go, undefined)
        assert.include((yield* rpc.answer).text, "went")
        assert.strictEqual((yield* rest.answer).text, "went")
        assert.strictEqual(yield* Fiber.join(call), "went")
        yield* Fiber.join(closing)
      })
      return { ...host, closing, finish, slow }
    }).pipe(quietly)

  it.live("promise 19: end of input drains, on every route, while its health says so and nothing new gets in", () =>
    Effect.gen(function*() {
      const { address, closing, finish, slow } = yield* running({ health: "/health" })
      const unstarted = `{"code":-32000,"message":"Shutting down","data":{"started":false}}`
      const told = "Shutting down."
      for (
        const [path, words] of [
          ["/health", told],
          ["/rpc", `{"jsonrpc":"2.0","id":1,"error":${unstarted}}`],
          // It has drained already.
          ["/idle", `{"jsonrpc":"2.0","id":1,"error":${unstarted}}`],
          ["/elsewhere", told]
        ] as const
      ) {
        const { headers, status, text } = yield* posting.post(`${address}${path}`, { body })
        assert.deepStrictEqual([status, text, headers.connection], [503, words, "close"])
      }
      // Its head came before.
      slow.request.end(body)
      const { status, text } = yield* slow.answer
      assert.deepStrictEqual([status, text], [503, `{"jsonrpc":"2.0","id":1,"error":${unstarted}}`])
      const late = yield* Effect.callback<number | undefined>((resume) => {
        const request = http.get(`${address}/rpc`, { headers: upgrade, agent: false })
        request.on("response", ({ statusCode }) => resume(Effect.succeed(statusCode)))
      })
      assert.strictEqual(late, 503)
      assert.isUndefined(closing.pollUnsafe())
      yield* finish
      yield* Effect.flip(get(`${address}/health`))
    }).pipe(quietly))

  it.live("promise 19: end of input drains, and nothing listens where no health is asked for", () =>
    Effect.gen(function*() {
      const { address, finish } = yield* running({})
      yield* Effect.flip(get(`${address}/rpc`))
      yield* Effect.flip(connect(address))
      yield* finish
    }).pipe(quietly))
})
