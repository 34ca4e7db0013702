import { assert, describe, it } from "@effect/vitest"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import { Effect, Exit, Fiber, Queue, type Schema, Scope } from "effect"
import * as everything from "../support/everything.ts"
import * as official from "./support/official.ts"
import { signal } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

const text = (text: string) => ({ content: [{ type: "text", text }] })

const call = (name: string, args: Schema.JsonObject = {}) => ({ name, arguments: args })

describe("a server of the official SDK, version 1, with sessions", () => {
  for (const json of [false, true]) {
    it.live(`answers calls with ${json ? "one text" : "a stream"}`, () =>
      Effect.gen(function*() {
        const server = yield* official.v1Sessions({ json })
        const scope = yield* Scope.make()
        const transport = yield* Scope.provide(transports.shaken(server.url), scope)
        const calls = Array.from({ length: 50 }, (_, index) =>
          transport.request("tools/call", call("echo", { text: `${index}` })))
        const results = yield* Effect.all(calls, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          results,
          calls.map((_, index) =>
            text(`${index}`)
          )
        )
        assert.strictEqual(server.open().length, 1)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(server.open().length, 0)
      }))
  }

  it.live("asks its client within a call", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const transport = yield* transports.open(server.url, {
        handlers: { "roots/list": () => Effect.succeed({ roots: [] }) }
      })
      yield* transports.shakeHands(transport, "2025-11-25", { roots: {} })
      assert.deepStrictEqual(yield* transport.request("tools/call", call("roots")), text("0 roots"))
    }))

  it.live("tells its client by itself", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const transport = yield* transports.open(server.url)
      const heard = yield* Queue.unbounded<void>()
      yield* transport.listen("notifications/tools/list_changed", {
        take: () => Queue.offerUnsafe(heard, undefined),
        end: () => {}
      })
      yield* transports.shakeHands(transport)
      yield* transport.request("tools/call", call("tell"))
      yield* Queue.take(heard)
    }))

  it.live("closes the stream of a call, which is resumed", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const transport = yield* transports.shaken(server.url)
      assert.deepStrictEqual(yield* transport.request("tools/call", call("cut")), text("behind the cut"))
    }))

  it.live("forgets its sessions, and a call says so", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const transport = yield* transports.shaken(server.url)
      server.restart()
      const failed = yield* Effect.flip(transport.request("tools/call", call("echo", { text: "a" })))
      assert.deepInclude(failed, { _tag: "SessionExpired" })
      yield* transport.settle(undefined)
      yield* transports.shakeHands(transport)
      assert.deepStrictEqual(yield* transport.request("tools/call", call("echo", { text: "a" })), text("a"))
    }))

  it.live("says to a request of the modern era what no modern server says", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const transport = yield* transports.open(server.url)
      const failed = yield* Effect.flip(transport.request("server/discover", transports.modern()))
      assert.deepInclude(failed, { _tag: "RemoteError", code: -32000 })
    }))
})

describe("the server of everything, as a process of its own", () => {
  const names = (listed: Schema.Json) =>
    // It lists tools, each with a name.
    (listed as unknown as { readonly tools: ReadonlyArray<{ readonly name: string }> }).tools.map(({ name }) => name)

  for (const [mode, path] of [["streamableHttp", "/mcp"], ["sse", "/sse"]] as const) {
    it.live(`is called over ${mode}, with progress, and asks back`, () =>
      Effect.gen(function*() {
        const url = yield* everything.serve(mode, path)
        const asked = signal<void>()
        const transport = yield* transports.open(url, {
          handlers: {
            "roots/list": () =>
              Effect.sync(() => {
                asked.set()
                return { roots: [{ uri: "file:///here", name: "here" }] }
              })
          }
        })
        yield* transports.shakeHands(transport, "2025-06-18", { roots: { listChanged: true } })
        assert.include(names(yield* transport.request("tools/list")), "echo")
        const echoed = yield* transport.request("tools/call", call("echo", { message: "hi" }))
        assert.deepStrictEqual(echoed, text("Echo: hi"))
        let steps = 0
        const long = call("trigger-long-running-operation", { duration: 0.2, steps: 4 })
        yield* transport.request("tools/call", long, { onProgress: () => steps++ })
        assert.strictEqual(steps, 4)
        yield* asked.wait
      }))
  }
})

describe("a server of the official SDK, version 2, with both eras", () => {
  it.live("answers calls of the modern era, and holds their headers against their body", () =>
    Effect.gen(function*() {
      const transport = yield* transports.open((yield* official.v2Handler()).url)
      yield* transport.request("server/discover", transports.modern())
      const listed = yield* transport.request("tools/list", transports.modern())
      // The names of the tools are those of the server above.
      const tool = (listed as unknown as { readonly tools: ReadonlyArray<ToolInfo> }).tools.find(({ name }) =>
        name === "echo"
      )
      const params = transports.modern(call("echo", { text: " größer " }))
      const answered = yield* transport.request("tools/call", params, { tool })
      assert.deepInclude(answered, text(" größer "))
      const failed = yield* Effect.flip(transport.request("tools/call", params))
      assert.deepInclude(failed, { _tag: "RemoteError", code: -32020 })
    }))

  it.live("aborts a call of the modern era that is interrupted", () =>
    Effect.gen(function*() {
      const server = yield* official.v2Handler()
      const transport = yield* transports.open(server.url)
      const slow = yield* Effect.forkChild(transport.request("tools/call", transports.modern(call("slow"))))
      yield* server.began
      yield* Fiber.interrupt(slow)
      yield* server.aborted
    }))

  it.live("answers calls of the legacy era, without a session", () =>
    Effect.gen(function*() {
      const transport = yield* transports.shaken((yield* official.v2Handler()).url)
      assert.deepStrictEqual(yield* transport.request("tools/call", call("echo", { text: "a" })), text("a"))
    }))
})
