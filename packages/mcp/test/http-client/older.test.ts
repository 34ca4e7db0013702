import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue, type Schema } from "effect"
import type * as http from "node:http"
import { json, result, type Script, serve, signal, stream, text } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

type Send = ReturnType<typeof stream>

/** A server of the older transport: what is posted to `/messages` is answered on the stream of `/mcp`. */
const older = (
  answer: (send: Send, message: { readonly id?: number; readonly method?: string } & Schema.JsonObject) => void,
  endpoint = "/messages?sessionId=7"
) => {
  let send: Send = () => {}
  let open: http.ServerResponse | undefined
  const script: Script = ({ response, seen }) => {
    if (seen.method === "GET" && seen.path === "/mcp") {
      open = response
      send = stream(response)
      return send({ event: "endpoint", data: endpoint })
    }
    if (seen.method !== "POST" || seen.path !== endpoint) return text(response, 404, "Cannot POST /mcp")
    text(response, 202, "Accepted")
    if (seen.message.method === "initialize") return send({ event: "message", data: result(seen.message.id, "hello") })
    answer(send, seen.message)
  }
  return { script, cut: () => open?.destroy() }
}

const echoing = () =>
  older((send, { id, method }) => id === undefined ? undefined : send({ data: result(id, method ?? "") }))

describe("the older transport", () => {
  it.live("is found where initialize is refused, and carries all that follows", () =>
    Effect.gen(function*() {
      const server = yield* serve(echoing().script)
      const transport = yield* transports.open(server.url, { headers: { authorization: "secret" } })
      assert.strictEqual(yield* transports.shakeHands(transport, "2024-11-05"), "hello")
      assert.strictEqual(yield* transport.request("ping"), "ping")
      assert.deepStrictEqual(
        server.seen.map(({ message, method, path }) => `${method} ${path} ${message.method ?? ""}`),
        [
          "POST /mcp initialize",
          "GET /mcp ",
          "POST /messages?sessionId=7 initialize",
          "POST /messages?sessionId=7 notifications/initialized",
          "POST /messages?sessionId=7 ping"
        ]
      )
      for (const { headers } of server.seen) assert.strictEqual(headers.authorization, "secret")
    }))

  it.live("lets the server ask and tell", () =>
    Effect.gen(function*() {
      const { script } = older((send, { id, method }) => {
        if (method !== "work") return
        send({ data: { jsonrpc: "2.0", id: 1, method: "roots/list" } })
        send({ data: { jsonrpc: "2.0", method: "notifications/message", params: {} } })
        send({ data: result(id, "done") })
      })
      const server = yield* serve(script)
      const transport = yield* transports.open(server.url, {
        handlers: { "roots/list": () => Effect.succeed({ roots: [] }) }
      })
      const heard = yield* Queue.unbounded<void>()
      yield* transport.listen("notifications/message", {
        take: () => Queue.offerUnsafe(heard, undefined),
        end: () => {}
      })
      yield* transports.shakeHands(transport, "2024-11-05")
      assert.strictEqual(yield* transport.request("work"), "done")
      yield* Queue.take(heard)
      const { message } = yield* server.until(({ message }) => message["result"] !== undefined)
      assert.deepStrictEqual(message, { jsonrpc: "2.0", id: 1, result: { roots: [] } } as never)
    }))

  it.live("is over when its stream breaks, and can be begun again", () =>
    Effect.gen(function*() {
      const waits = signal<void>()
      const { cut, script } = older((send, { id, method }) => {
        if (method === "slow") waits.set()
        else if (id !== undefined) send({ data: result(id) })
      })
      const server = yield* serve(script)
      const transport = yield* transports.open(server.url)
      yield* transports.shakeHands(transport, "2024-11-05")
      const slow = yield* Effect.forkChild(transports.outcome(transport.request("slow")))
      yield* waits.wait
      cut()
      assert.match(yield* Fiber.join(slow), /^Disconnected: .+, \S+ \(id \d+\)( to \S+)? sent/)
      yield* Queue.take(transport.expired)
      assert.match(yield* transports.outcome(transport.request("ping")), /^SessionExpired/)
      yield* transport.settle(undefined)
      yield* transports.shakeHands(transport, "2024-11-05")
      assert.deepStrictEqual(yield* transport.request("ping"), {})
    }))

  it.live("ends its calls when its session is forgotten", () =>
    Effect.gen(function*() {
      const server = yield* serve(older(() => {}).script)
      const transport = yield* transports.open(server.url)
      yield* transports.shakeHands(transport, "2024-11-05")
      const slow = yield* Effect.forkChild(transports.outcome(transport.request("slow")))
      yield* server.until(({ message }) => message.method === "slow")
      yield* transport.settle(undefined)
      assert.match(yield* Fiber.join(slow), /^Disconnected: .+ \(Closed\), \S+ \(id \d+\)( to \S+)? sent/)
    }))

  it.live("tells the server of a call that is given up", () =>
    Effect.gen(function*() {
      const server = yield* serve(older(() => {}).script)
      const transport = yield* transports.open(server.url)
      yield* transports.shakeHands(transport, "2024-11-05")
      const call = yield* Effect.forkChild(transport.request("slow"))
      const slow = yield* server.until(({ message }) => message.method === "slow")
      yield* Fiber.interrupt(call)
      const cancelled = yield* server.until(({ message }) => message.method === "notifications/cancelled")
      assert.deepStrictEqual(cancelled.message.params, { requestId: slow.message.id ?? -1 })
      assert.strictEqual(cancelled.path, "/messages?sessionId=7")
    }))

  it.live("posts to no other origin", () =>
    Effect.gen(function*() {
      const other = yield* serve(echoing().script)
      const server = yield* serve(older(() => {}, other.url).script)
      const transport = yield* transports.open(server.url)
      const failed = yield* Effect.flip(transport.request("initialize"))
      assert.deepInclude(failed, { _tag: "HttpStatusError", status: 404, excerpt: "Cannot POST /mcp" })
      assert.deepStrictEqual(other.seen, [])
    }))

  it.live("that names no endpoint in time is none", () =>
    Effect.gen(function*() {
      const closed = signal<void>()
      const server = yield* serve(({ response, seen }) => {
        if (seen.method === "POST") return text(response, 405, "no")
        stream(response)
        response.on("close", () => closed.set())
      })
      const transport = yield* transports.open(server.url, { limits: { handshake: 30 } })
      assert.deepInclude(yield* Effect.flip(transport.request("initialize")), { _tag: "HttpStatusError", status: 405 })
      yield* closed.wait
    }))

  it.live("is not looked for where the refusal is an error of MCP, or has another status", () =>
    Effect.gen(function*() {
      const refusals: ReadonlyArray<readonly [number, (id: number | undefined) => object]> = [
        [400, () => ({ jsonrpc: "2.0", error: { code: -32022, message: "revision", data: { supported: [] } } })],
        [404, (id) => ({ jsonrpc: "2.0", id, error: { code: -32601, message: "method" } })],
        [500, () => ({ jsonrpc: "2.0", id: null, error: { code: -32603, message: "fault" } })]
      ]
      for (const [status, body] of refusals) {
        const server = yield* serve(({ response, seen }) => json(response, body(seen.message.id), {}, status))
        const transport = yield* transports.open(server.url)
        yield* transports.outcome(transport.request("initialize"))
        assert.deepStrictEqual(server.seen.map(({ method }) => method), ["POST"])
      }
    }))

  it.live("that is not there leaves the refusal as it came", () =>
    Effect.gen(function*() {
      const body = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: no" } }
      const server = yield* serve(({ response }) => json(response, body, {}, 400))
      const transport = yield* transports.open(server.url)
      assert.deepInclude(yield* Effect.flip(transport.request("initialize")), { _tag: "RemoteError", code: -32000 })
      assert.deepStrictEqual(server.seen.map(({ method }) => method), ["POST", "GET"])
    }))
})
