/** A client over any transport, as one of MCP. */
import { assert, describe, it } from "@effect/vitest"
import * as Router from "@parley/peer/Router"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as McpClientTransport from "../../src/client/McpClientTransport.ts"
import * as McpClient from "../../src/McpClient.ts"
import * as Scripted from "../client/scripted.ts"

const nameOf = (params: unknown): string => (params as { readonly name: string }).name

const said = (text: string) => ({ content: [{ type: "text" as const, text }] })

describe("a client of MCP over any transport", () => {
  it.effect("C1: it is made from a transport and a default timeout (30 s), connects, disconnects, and says whether it is connected", () =>
    Effect.gen(function*() {
      const { connect, written } = yield* Scripted.server(Scripted.legacy({ "tools/call": () => Effect.never }))
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(connect, scope)
      const call = yield* Effect.forkChild(Effect.flip(client.callTool("slow")))
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 30_000 })
      const gone = yield* Effect.forkChild(client.disconnected)
      yield* Scripted.settle
      assert.strictEqual(gone.pollUnsafe(), undefined)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(gone)
      const before = written.length
      assert.strictEqual((yield* Effect.flip(client.callTool("late")))._tag, "Disconnected")
      assert.lengthOf(written, before)
    }))

  it.effect("C2: it makes request ids itself, keeps the waiting requests, and gives each response to the right caller, with a timeout per request or the default", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(Scripted.legacy({
        "tools/call": ({ params }) =>
          nameOf(params) === "never" ? Effect.never : Effect.delay(
            Effect.succeed(said(nameOf(params))),
            `${10 - Number(nameOf(params))} millis`
          )
      }))
      const calls = Array.from({ length: 10 }, (_, index) => client.callTool(String(index)))
      const all = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      const one = yield* Effect.forkChild(Effect.flip(client.callTool("never", {}, { timeout: "1 second" })))
      yield* TestClock.adjust("1010 millis")
      const results = yield* Fiber.join(all)
      assert.deepStrictEqual(
        results.map(({ content }) => content),
        calls.map((_, index) => said(String(index)).content)
      )
      assert.deepInclude(yield* Fiber.join(one), { _tag: "RequestTimeout", milliseconds: 1_000 })
      const ids = Scripted.of(written, "tools/call").map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, 11)
    }))

  it.effect("C3: notifications are fire-and-forget, and handlers for requests and notifications from the other side can be registered at any time, by method", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const { client, server, written } = yield* Scripted.connect(Scripted.legacy(), { router })
      yield* client.notifyRootsChanged
      yield* Scripted.settle
      assert.strictEqual(Scripted.of(written, "notifications/roots/list_changed")[0]?.id, undefined)
      const heard = yield* Deferred.make<unknown>()
      yield* Effect.scoped(Effect.gen(function*() {
        yield* router.add("x/ask", ({ params }) => Effect.succeed(params ?? null))
        yield* router.add("x/tell", ({ params }) => Effect.asVoid(Deferred.succeed(heard, params)))
        yield* router.add("ping", () => Effect.succeed("mine"))
        assert.deepStrictEqual(yield* server.request("x/ask", { a: 1 }), { a: 1 })
        yield* server.notify("x/tell", { b: 2 })
        assert.deepStrictEqual(yield* Deferred.await(heard), { b: 2 })
        assert.deepStrictEqual(yield* server.request("ping"), {})
      }))
      assert.deepInclude(yield* Effect.flip(server.request("x/ask")), { code: -32601 })
    }))

  it.effect("C4: a request from the server for an unknown method is answered -32601, and a malformed message never breaks the client", () =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      const answers: Array<unknown> = []
      const send = (message: unknown) =>
        Effect.orDie(theirs.send([typeof message === "string" ? message : JSON.stringify(message)]))
      yield* Effect.forkScoped(
        Effect.ignore(Effect.forever(Effect.flatMap(theirs.receive, (texts) =>
          Effect.forEach(texts, (text) => {
            const { id, method, ...rest } = JSON.parse(String(text))
            if (method === "initialize") {
              return send({ jsonrpc: "2.0", id, result: Scripted.initialized() })
            }
            if (method === "tools/call") return send({ jsonrpc: "2.0", id, result: said("still here") })
            answers.push({ id, method, ...rest })
            return Effect.void
          }))))
      )
      const client = yield* McpClient.make(McpClientTransport.fromTransport(ours), {
        name: "c",
        version: "1",
        protocolVersion: "2025-11-25",
        limits: { drain: 0 }
      })
      yield* send({ jsonrpc: "2.0", id: "s", method: "tools/list" })
      for (const text of ["{", "[]", "null", "{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}"]) {
        yield* send(text)
      }
      for (const method of ["notifications/message", "notifications/progress", "notifications/resources/updated"]) {
        yield* send({ jsonrpc: "2.0", method, params: { level: 7, progressToken: {}, uri: [] } })
        yield* send({ jsonrpc: "2.0", method })
      }
      yield* Scripted.settle
      assert.deepInclude(
        answers.find((answer) => Object(answer).id === "s"),
        { error: { code: -32601, message: "Method not found", data: "tools/list" } }
      )
      assert.deepStrictEqual((yield* client.callTool("t")).content, said("still here").content)
    }))

  it.effect("C5: initialize, the result decoded, then notifications/initialized sent by itself, before anything else", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.legacy({ "tools/list": Scripted.always({ tools: [] }), "logging/setLevel": Scripted.always({}) }),
        { protocolVersion: "2025-11-25", logLevel: "info" }
      )
      yield* client.listTools()
      assert.deepStrictEqual(Scripted.methods(written), [
        "initialize",
        "notifications/initialized",
        "logging/setLevel",
        "tools/list"
      ])
      assert.deepInclude(client.serverInfo, { name: "scripted", version: "2" })
      const strange = yield* Scripted.server(
        { initialize: Scripted.always({ protocolVersion: 1 }) },
        { protocolVersion: "2025-11-25" }
      )
      assert.strictEqual((yield* Effect.flip(strange.connect))._tag, "InvalidResult")
      yield* Scripted.settle
      assert.deepStrictEqual(Scripted.methods(strange.written), ["initialize"])
    }))

  it.effect("C6: when the transport ends, every waiting caller learns it", () =>
    Effect.gen(function*() {
      const { client, drop } = yield* Scripted.connect(Scripted.legacy({ "tools/call": () => Effect.never }))
      const calls = yield* Effect.forEach(
        ["a", "b", "c"],
        (name) => Effect.forkChild(Effect.flip(client.callTool(name)))
      )
      yield* Scripted.settle
      yield* drop
      for (const call of calls) assert.strictEqual((yield* Fiber.join(call))._tag, "Disconnected")
    }))
})
