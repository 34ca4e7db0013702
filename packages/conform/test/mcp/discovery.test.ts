/** Finding out whether a server speaks MCP, whatever it does at a first message that it does not know. */
import { assert, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Effect } from "effect"
import { describe } from "vitest"
import * as Server from "./Server.ts"

const rule = { only: ["mcp/ping"] }

const protocolOf = (target: Parameters<typeof Conform.run>[0], options: Conform.ConformOptions = rule) =>
  Effect.map(Conform.run(target, options), ({ protocol }) => protocol)

const isModern = (message: Server.Message) =>
  JSON.stringify(message).includes("io.modelcontextprotocol/protocolVersion")

/** A server of JSON-RPC without MCP. */
const plain = Effect.gen(function*() {
  const router = yield* Router.make()
  yield* router.add("hello", () => Effect.succeed("world"))
  return {
    _tag: "Duplex",
    name: "plain",
    isProcess: false,
    connect: Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(far, { router })
      return near
    })
  } as const
})

describe.concurrent("a server", () => {
  it.live("of the legacy era is found although it is silent to server/discover", () =>
    Effect.gen(function*() {
      const target = yield* Server.memory({ hear: (message) => isModern(message) ? [] : undefined })
      assert.strictEqual(yield* protocolOf(target), "MCP 2025-11-25 by right 1.0.0")
    }))

  it.live("of the legacy era is found although it ends at server/discover", () =>
    Effect.gen(function*() {
      const target = yield* Server.memory({ dies: isModern })
      assert.strictEqual(yield* protocolOf(target), "MCP 2025-11-25 by right 1.0.0")
    }))

  it.live("of the modern era is found although it ends at initialize", () =>
    Effect.gen(function*() {
      const target = yield* Server.memory({ dies: ({ method }) => method === "initialize" })
      assert.strictEqual(yield* protocolOf(target), "MCP 2026-07-28 by right 1.0.0")
    }))

  it.live("without MCP is one of plain JSON-RPC, and one that must have it is unreachable", () =>
    Effect.gen(function*() {
      const target = yield* plain
      assert.strictEqual(yield* protocolOf(target, { only: ["jsonrpc/method-not-found"] }), "JSON-RPC 2.0")
      const { reason } = yield* Effect.flip(Conform.run(target, { ...rule, protocol: "mcp" }))
      assert.include(reason, "initialize gave no agreement: the error -32601")
    }))

  it.live("of MCP is looked at as plain JSON-RPC where that was asked for", () =>
    Effect.gen(function*() {
      const target = yield* Server.memory()
      const options = { only: ["jsonrpc/method-not-found"], protocol: "jsonrpc" } as const
      assert.strictEqual(yield* protocolOf(target, options), "JSON-RPC 2.0")
    }))
})

describe.concurrent("a server that asks for credentials", () => {
  const guarded = (challenge: string, metadata: () => Response): Server.Fault => ({
    respond: (request, _, right) => {
      if (request.url.includes("/.well-known/")) return Promise.resolve(metadata())
      return request.headers.get("authorization") === "Bearer right"
        ? right()
        : Promise.resolve(new Response(null, { status: 401, headers: { "www-authenticate": challenge } }))
    }
  })
  const resource = `Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"`
  const document = () =>
    Response.json({ resource: "http://127.0.0.1/mcp", authorization_servers: ["https://as.example"] })
  const verdicts = (target: Parameters<typeof Conform.run>[0]) =>
    Effect.map(
      Conform.run(target, { only: ["mcp/auth", "mcp/ping/answered"] }),
      ({ results }) => Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]))
    )

  it.live("is judged by its challenge where there are none, and everything else is unverified", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* verdicts(yield* Server.http(guarded(resource, document))), {
        "mcp/ping/answered": "unverified",
        "mcp/auth/challenge": "pass",
        "mcp/auth/invalid-token": "pass",
        "mcp/auth/metadata": "pass",
        "mcp/auth/session": "unverified"
      })
    }))

  it.live("is judged whole where there are", () =>
    Effect.gen(function*() {
      const headers = { authorization: "Bearer right" }
      assert.deepStrictEqual(yield* verdicts(yield* Server.http(guarded(resource, document), { headers })), {
        "mcp/ping/answered": "pass",
        "mcp/auth/challenge": "pass",
        "mcp/auth/invalid-token": "pass",
        "mcp/auth/metadata": "pass",
        "mcp/auth/session": "pass"
      })
    }))

  it.live("fails where its metadata leads nowhere, and where the id of a session is enough", () =>
    Effect.gen(function*() {
      const headers = { authorization: "Bearer right" }
      const { respond = (_request, _body, right) => right() } = guarded(resource, () => Response.json({ resource: 7 }))
      const open: Server.Fault = {
        respond: (request, body, right) =>
          request.headers.has("mcp-session-id") ? right() : respond(request, body, right)
      }
      const found = yield* verdicts(yield* Server.http(open, { headers }))
      assert.deepStrictEqual([found["mcp/auth/metadata"], found["mcp/auth/session"]], ["fail", "fail"])
    }))
})
