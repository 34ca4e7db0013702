import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpDialect from "@parley/mcp/wire/McpDialect"
import * as Peer from "@parley/peer/Peer"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { greet, open, spoken } from "./support/line.ts"

const echo = McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text))

const who = McpTool.make("who", {}, (_, call) => Effect.as(Effect.yieldNow, call.client.info?.name ?? "nobody"))

const layer = McpServer.layer({ name: "s", version: "1", features: [echo, who] })

const text = (value: string) => [{ type: "text", text: value }]

describe("serving", () => {
  it.effect("ends with its input, after what was read is answered", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* McpServer.McpServer)
      yield* greet(line, "2025-06-18")
      yield* line.write({ jsonrpc: "2.0", id: "a", method: "tools/call", params: { name: "who" } })
      yield* line.close
      assert.strictEqual(yield* line.ended, "EndOfInput")
    }).pipe(Effect.provide(layer)))

  it.effect("ends within a second of its input, even where a call never would", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const stuck = McpTool.make("stuck", {}, () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
      const server = yield* McpServer.make({ name: "s", version: "1", features: [stuck] })
      const [near, far] = yield* MemoryTransport.makePair()
      const serving = yield* McpServer.serve.pipe(
        Effect.provideService(Transport, far),
        Effect.provideService(McpServer.McpServer, server),
        Effect.forkChild({ startImmediately: true })
      )
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } }
      yield* near.send([
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
        JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "stuck" } })
      ])
      yield* Deferred.await(started)
      yield* near.close
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(serving))._tag, "EndOfInput")
    }))

  it.effect("reaches its client from the first call on, also outside of calls", () =>
    Effect.gen(function*() {
      const noting = McpTool.make("noting", {}, (_, { session }) =>
        Effect.as(session?.notifyLog("info", "noted") ?? Effect.void, "done"))
      const server = yield* McpServer.make({ name: "s", version: "1", features: [noting] })
      const [near, far] = yield* MemoryTransport.makePair()
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } }
      yield* near.send([
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
        JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "noting" } })
      ])
      yield* McpServer.serve.pipe(
        Effect.provideService(Transport, far),
        Effect.provideService(McpServer.McpServer, server),
        Effect.forkChild({ startImmediately: true })
      )
      const texts: Array<string> = []
      while (
        !texts.some((text) =>
          text.includes(`"id":2`)
        )
      ) texts.push(...(yield* near.receive).map(String))
      assert.isTrue(texts.some((text) => text.includes("noted")), texts.join())
    }))

  it.effect("answers each of many connections by itself, and tells no client of another", () =>
    Effect.gen(function*() {
      const { connect } = yield* MemoryTransport.Connector
      yield* Effect.forkScoped(McpServer.listen)
      const clients = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
        Effect.gen(function*() {
          const dialect = McpDialect.make(() => undefined)
          const peer = yield* Peer.make(yield* connect, { dialect, limits: { drain: 0 } })
          const revision = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"][index % 4] ?? ""
          const clientInfo = { name: `client ${index}`, version: "1" }
          yield* peer.request("initialize", { protocolVersion: revision, capabilities: {}, clientInfo })
          return peer
        }))
      const answers = yield* Effect.forEach(clients, (peer) => peer.request("tools/call", { name: "who" }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, clients.map((_, index) => ({ content: text(`client ${index}`) })))
    }).pipe(Effect.provide(Layer.merge(layer, MemoryTransport.layerListener()))))

  it.effect("knows who has connected by the handshake of the connection, unless it is told another caller", () =>
    Effect.gen(function*() {
      const whence = McpTool.make(
        "whence",
        {},
        (_, { header, principal }) => Effect.succeed(`${principal} ${header("x-tag")}`)
      )
      const server = yield* McpServer.make({ name: "s", version: "1", features: [whence] })
      const handshake: Handshake.Handshake = {
        head: { method: "GET", url: "/", address: undefined, header: (name) => name === "x-tag" ? "7" : undefined },
        principal: Context.make(Handshake.Name, "ada")
      }
      const answered = (options: McpServer.ServeOptions) =>
        Effect.gen(function*() {
          const [near, far] = yield* MemoryTransport.makePair()
          yield* McpServer.serveWith(options).pipe(
            Effect.provideService(Transport, far),
            Effect.provideService(McpServer.McpServer, server),
            Effect.provideService(Handshake.Current, handshake),
            Effect.forkScoped
          )
          const peer = yield* Peer.make(near, { dialect: McpDialect.make(() => undefined), limits: { drain: 0 } })
          const clientInfo = { name: "c", version: "1" }
          yield* peer.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
          return yield* peer.request("tools/call", { name: "whence" })
        })
      assert.deepStrictEqual(yield* answered({}), { content: text("ada 7") })
      assert.deepStrictEqual(yield* answered({ caller: { principal: "bob" } }), { content: text("bob undefined") })
    }))

  it.effect("takes arrays in the one revision that has them", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.McpServer
      const batch = ["a", "b"].map((id) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "echo", arguments: { text: id } }
      }))
      const march = yield* spoken(server, "2025-03-26")
      yield* march.line.write(batch)
      assert.deepInclude(yield* march.line.next, { id: "a", result: { content: text("a") } })
      assert.deepInclude(yield* march.line.next, { id: "b", result: { content: text("b") } })
      const november = yield* spoken(server, "2025-11-25")
      yield* november.line.write(batch)
      const refused = yield* november.line.next
      assert.strictEqual(refused.error?.code, -32600)
      assert.notProperty(refused, "id")
    }).pipe(Effect.provide(layer)))

  it.effect("is silent, or answers without an id, where a text cannot be read, as the revision has it", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.McpServer
      const june = yield* spoken(server, "2025-06-18")
      yield* june.line.write("{no json")
      assert.deepStrictEqual(yield* june.line.result("ping"), {})
      assert.deepStrictEqual(june.line.aside, [])
      const november = yield* spoken(server, "2025-11-25")
      yield* november.line.write("{no json")
      const answer = yield* november.line.next
      assert.strictEqual(answer.error?.code, -32700)
      assert.notProperty(answer, "id")
    }).pipe(Effect.provide(layer)))
})
