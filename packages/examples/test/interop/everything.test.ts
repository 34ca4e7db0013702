import { assert, describe, layer } from "@effect/vitest"
import { NodeChildProcess } from "@parley/node"
import { Peer, Router } from "@parley/peer"
import { Context, Effect, Layer, Schema } from "effect"
import { compileCacheEnv } from "../../../../tools/compileCache.ts"
import { dialect } from "../../src/demo/everything.ts"
import { everything } from "../../src/Programs.ts"

/** A peer of `@modelcontextprotocol/server-everything` over its stdio, after the handshake. */
class Everything extends Context.Service<Everything, Peer.Peer>()("test/Everything") {
  static readonly layer = Layer.effect(
    Everything,
    Effect.gen(function*() {
      const transport = yield* NodeChildProcess.makeTransport({ ...everything, endGrace: 50, env: compileCacheEnv })
      const router = yield* Router.make()
      yield* router.add("roots/list", () => Effect.succeed({ roots: [{ uri: "file:///here", name: "here" }] }))
      const peer = yield* Peer.make(transport, { dialect, router })
      yield* peer.request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: { roots: {} },
        clientInfo: { name: "parley", version: "0" }
      })
      yield* peer.notify("notifications/initialized")
      return peer
    })
  )
}

const tool = (name: string, args: Schema.JsonObject) => ["tools/call", { name, arguments: args }] as const
const text = (text: string) => ({ content: [{ type: "text", text }] })

describe("@modelcontextprotocol/server-everything", () => {
  layer(Everything.layer)("over stdio", (it) => {
    it.effect("lists its tools", () =>
      Effect.gen(function*() {
        const peer = yield* Everything
        const { tools } = yield* Effect.flatMap(
          peer.request("tools/list"),
          Schema.decodeUnknownEffect(Schema.Struct({ tools: Schema.Array(Schema.Struct({ name: Schema.String })) }))
        )
        assert.includeMembers(tools.map(({ name }) => name), ["echo", "get-sum"])
      }))

    it.effect("answers a hundred calls at once, each with its own result", () =>
      Effect.gen(function*() {
        const peer = yield* Everything
        const messages = Array.from({ length: 100 }, (_, index) => `message ${index} ☃`)
        const results = yield* Effect.forEach(messages, (message) => peer.request(...tool("echo", { message })), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(results, messages.map((message) => text(`Echo: ${message}`)))
      }))

    it.effect("fails a call of an unknown method with -32601", () =>
      Effect.gen(function*() {
        const peer = yield* Everything
        assert.deepInclude(yield* Effect.flip(peer.request("no/such")), { _tag: "RemoteError", code: -32601 } as const)
      }))

    it.effect("reports progress to the call that asked for it, in order, before its result", () =>
      Effect.gen(function*() {
        const peer = yield* Everything
        const seen: Array<unknown> = []
        const call = tool("trigger-long-running-operation", { duration: 0.1, steps: 4 })
        yield* peer.request(...call, { onProgress: (params) => void seen.push(Object(params).progress) })
        assert.deepStrictEqual(seen, [1, 2, 3, 4])
      }))

    it.effect("asks us for our roots while it serves our call", () =>
      Effect.gen(function*() {
        const peer = yield* Everything
        assert.include(JSON.stringify(yield* peer.request(...tool("get-roots-list", {}))), "file:///here")
      }))
  })
})
