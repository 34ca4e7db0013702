import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Duration, Effect, Exit, Fiber, Queue, Schedule, Scope } from "effect"
import { json, legacy, result, type Script, serve, signal, stream, text } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

const unknownSession: Script = ({ response }) =>
  json(response, { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, {}, 404)

describe("a session", () => {
  it.live("that the server knows no more fails its calls with SessionExpired, and no others", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({ "tools/list": unknownSession, "notifications/x": unknownSession }))
      const transport = yield* transports.open(server.url)
      assert.match(yield* transports.outcome(transport.request("tools/list")), /^RemoteError/)
      yield* transports.shakeHands(transport)
      const failed = yield* Effect.flip(transport.request("tools/list"))
      assert.deepInclude(failed, { _tag: "SessionExpired", method: "tools/list" })
      assert.deepInclude(yield* Effect.flip(transport.notify("notifications/x")), { _tag: "SessionExpired" })
    }))

  it.live("is forgotten before the next handshake, which makes another", () =>
    Effect.gen(function*() {
      let made = 0
      const server = yield* serve(legacy({
        initialize: ({ response, seen }) => json(response, result(seen.message.id), { "mcp-session-id": `s${++made}` })
      }))
      const transport = yield* transports.shaken(server.url)
      yield* transport.settle(undefined)
      yield* transports.shakeHands(transport)
      yield* transport.request("ping")
      const sessions = server.seen.filter(({ method }) => method === "POST").map(({ headers }) =>
        headers["mcp-session-id"]
      )
      assert.deepStrictEqual(sessions, [undefined, "s1", undefined, "s2", "s2"])
      assert.isUndefined(server.seen.find(({ message }) => message.method === "ping")?.headers["last-event-id"])
    }))

  it.live("ends with the link, by DELETE, which a server may refuse", () =>
    Effect.gen(function*() {
      for (const status of [200, 405, 500]) {
        const server = yield* serve(legacy({ DELETE: ({ response }) => text(response, status) }))
        const scope = yield* Scope.make()
        yield* Scope.provide(transports.shaken(server.url, { headers: { authorization: "a" } }), scope)
        yield* Scope.close(scope, Exit.void)
        const { headers } = yield* server.until(({ method }) => method === "DELETE")
        assert.strictEqual(headers["mcp-session-id"], "s1")
        assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25")
        assert.strictEqual(headers.authorization, "a")
      }
    }))

  it.live("that has no id is not deleted", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({}, ""))
      yield* Effect.scoped(transports.shaken(server.url))
      assert.isUndefined(server.seen.find(({ method }) => method === "DELETE"))
    }))

  it.live("ends for its calls when the link is closed", () =>
    Effect.gen(function*() {
      const closed = signal<void>()
      const server = yield* serve(legacy({ slow: ({ response }) => response.on("close", () => closed.set()) }))
      const scope = yield* Scope.make()
      const transport = yield* Scope.provide(transports.shaken(server.url), scope)
      const call = yield* Effect.forkChild(transports.outcome(transport.request("slow")))
      yield* server.until(({ message }) => message.method === "slow")
      yield* Scope.close(scope, Exit.void)
      assert.match(yield* Fiber.join(call), /^Disconnected: .+ \(Closed\)/)
      yield* closed.wait
    }))
})

describe("the stream of what the server says by itself", () => {
  const note = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }

  it.live("is opened when the session is initialized, and reaches who listens", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({ GET: ({ response }) => stream(response)({ data: note }) }))
      const transport = yield* transports.open(server.url)
      const heard = yield* Queue.unbounded<string>()
      yield* transport.listen("notifications/tools/list_changed", {
        take: () => Queue.offerUnsafe(heard, "changed"),
        end: () => {}
      })
      yield* transports.shakeHands(transport)
      assert.strictEqual(yield* Queue.take(heard), "changed")
      assert.deepStrictEqual(server.seen.map(({ method }) => method), ["POST", "POST", "GET"])
      const { headers } = yield* server.until(({ method }) => method === "GET")
      assert.strictEqual(headers.accept, "text/event-stream")
      assert.strictEqual(headers["mcp-session-id"], "s1")
      assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25")
      assert.isUndefined(headers["last-event-id"])
    }))

  it.live("may ask us: the answer is posted in the session", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({
        GET: ({ response }) => stream(response)({ data: { jsonrpc: "2.0", id: "q", method: "roots/list" } })
      }))
      yield* transports.shaken(server.url, { handlers: { "roots/list": () => Effect.succeed({ roots: [] }) } })
      const { headers, message } = yield* server.until(({ message }) => message["result"] !== undefined)
      assert.deepStrictEqual(message, { jsonrpc: "2.0", id: "q", result: { roots: [] } } as never)
      assert.strictEqual(headers["mcp-session-id"], "s1")
      assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25")
      assert.isUndefined(headers["mcp-method"])
    }))

  it.live("may bring the response to a call whose own stream goes on", () =>
    Effect.gen(function*() {
      const opened = signal<ReturnType<typeof stream>>()
      const server = yield* serve(legacy({
        GET: ({ response }) => opened.set(stream(response)),
        slow: ({ response }) => stream(response)({ data: note })
      }))
      const transport = yield* transports.shaken(server.url)
      const call = yield* Effect.forkChild(transport.request("slow"))
      const { message } = yield* server.until(({ message }) => message.method === "slow")
      const send = yield* opened.wait
      send({ data: result(message.id, "here") })
      assert.strictEqual(yield* Fiber.join(call), "here")
    }))

  it.live("is not missed where a server has none", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy())
      const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      yield* server.until(({ method }) => method === "GET")
      for (let call = 0; call < 20; call++) yield* transport.request("ping")
      assert.strictEqual(server.seen.filter(({ method }) => method === "GET").length, 1)
    }))

  it.live("is opened again for ever, behind the last event, through faults of the server", () =>
    Effect.gen(function*() {
      let opened = 0
      const server = yield* serve(legacy({
        GET: ({ response }) => {
          opened++
          if (opened % 3 === 0) return text(response, 503)
          if (opened % 3 === 1) return response.destroy()
          stream(response)({ id: `e${opened}`, data: note })
          response.end()
        }
      }))
      yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      const ids: Array<unknown> = []
      while (ids.length < 10) ids.push((yield* server.until(({ method }) => method === "GET")).headers["last-event-id"])
      assert.deepStrictEqual(ids, [undefined, undefined, "e2", "e2", "e2", "e5", "e5", "e5", "e8", "e8"])
    }))

  it.live("goes on behind an event that cannot be read", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({
        GET: ({ response }) => {
          stream(response)({ id: "e1", data: note })
          response.write("data: " + "x".repeat(3_000))
        }
      }))
      yield* transports.shaken(server.url, { reconnect: transports.atOnce, limits: { frame: 2_000 } })
      const opening = server.until(({ method }) => method === "GET")
      yield* opening
      assert.isUndefined((yield* opening).headers["last-event-id"])
    }))

  it.live("goes on where the server does not keep what is behind its last event any more", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({
        GET: ({ response, seen }) => {
          if (seen.headers["last-event-id"] !== undefined) return text(response, 400)
          stream(response)({ id: "e1", data: note })
          response.end()
        }
      }))
      yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      const ids: Array<unknown> = []
      while (ids.length < 4) ids.push((yield* server.until(({ method }) => method === "GET")).headers["last-event-id"])
      assert.deepStrictEqual(ids, [undefined, "e1", undefined, "e1"])
    }))

  it.live("is asked for again where the server does not know who we are", () =>
    Effect.gen(function*() {
      const changed = signal<void>()
      const server = yield* serve(legacy({
        GET: ({ response, seen }) =>
          seen.headers.authorization === "old" ? text(response, 401) : stream(response)({ data: note })
      }))
      let authorization = "old"
      const headers = Effect.sync(() => ({ authorization }))
      const transport = yield* transports.open(server.url, { headers, reconnect: transports.atOnce })
      yield* transport.listen(note.method, { take: () => changed.set(), end: () => {} })
      yield* transports.shakeHands(transport)
      yield* server.until(({ method }) => method === "GET")
      authorization = "new"
      yield* changed.wait
    }))

  for (const status of [401, 403]) {
    it.live(`waits longer each time while the server says ${status}`, () =>
      Effect.gen(function*() {
        const waited: Array<number> = []
        const reconnect = Schedule.exponential(1).pipe(Schedule.modifyDelay(({ duration }) =>
          Effect.sync(() => {
            waited.push(Duration.toMillis(duration))
            return duration
          })
        ))
        const server = yield* serve(legacy({ GET: ({ response }) => text(response, status) }))
        yield* transports.shaken(server.url, { reconnect })
        for (let get = 0; get < 5; get++) yield* server.until(({ method }) => method === "GET")
        assert.deepStrictEqual(waited.slice(0, 4), [1, 2, 4, 8])
      }))
  }

  it.live("says when the session is over", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({ GET: unknownSession }))
      const transport = yield* transports.shaken(server.url)
      yield* Queue.take(transport.expired)
      assert.strictEqual(server.seen.filter(({ method }) => method === "GET").length, 1)
    }))

  it.live("makes no sessions without end where a server says of a stream that it has not what it says of sessions", () =>
    Effect.gen(function*() {
      const agreed = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        serverInfo: { name: "scripted", version: "1" }
      }
      let made = 0
      const server = yield* serve(legacy({
        initialize: ({ response, seen }) =>
          json(response, result(seen.message.id, agreed), { "mcp-session-id": `s${++made}` }),
        GET: ({ response }) => text(response, 404)
      }))
      const fetcher = yield* NodeHttp.makeFetcher()
      const client = yield* McpHttpClient.make(fetcher, {
        name: "test",
        version: "1",
        url: server.url,
        protocolVersion: "2025-11-25"
      })
      for (let get = 0; get < 2; get++) yield* server.until(({ method }) => method === "GET")
      for (let call = 0; call < 20; call++) yield* client.ping
      assert.strictEqual(made, 2)
      assert.strictEqual(server.seen.filter(({ method }) => method === "GET").length, 2)
    }))

  it.live("ends when the session is forgotten", () =>
    Effect.gen(function*() {
      const closed = signal<void>()
      const server = yield* serve(legacy({
        GET: ({ response }) => {
          stream(response)
          response.on("close", () => closed.set())
        }
      }))
      const transport = yield* transports.shaken(server.url)
      yield* server.until(({ method }) => method === "GET")
      yield* transport.settle(undefined)
      yield* closed.wait
    }))
})
