import { assert, describe, it } from "@effect/vitest"
import * as Notification from "@parley/contract/Notification"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Fiber, Queue, Schema } from "effect"
import * as addressed from "../http-server/quota/support/addressed.ts"
import * as web from "../http-server/support/web.ts"
import { modern, open, spoken } from "../server/support/line.ts"
import { settled } from "../support/settled.ts"
import { serveWeb } from "../support/webHost.ts"

const name = "com.example/moves"

const Moves = McpExtension.make(name, {
  server: {
    notifications: {
      moved: Notification.make({
        method: "notifications/moves/moved",
        params: { to: Schema.String, on: Schema.DateFromString }
      }),
      "notifications/moves/stopped": Notification.make()
    }
  },
  client: { settings: { vehicle: Schema.String } }
})

const method = "notifications/moves/moved"
const declared = { extensions: { [name]: { vehicle: "bus" } } }
const meta = { ...web.meta, "io.modelcontextprotocol/clientCapabilities": declared }
const using = { name: "c", version: "1", extensions: [Moves.use({ settings: { vehicle: "bus" } })] } as const
const on = new Date(0)
const wire = { to: "here", on: on.toISOString() }

/** A server, and what its extension hears. */
const hearing = (options: { readonly visible?: () => boolean; readonly scopes?: ReadonlyArray<string> } = {}) =>
  Effect.gen(function*() {
    const heard = yield* Queue.unbounded<unknown>()
    const { scopes, ...rest } = options
    const served = Moves.serve({
      scopes,
      hearers: {
        moved: (params, { client, id, principal, protocolVersion: revision }) =>
          Effect.asVoid(Queue.offer(heard, [params, client.info?.name, id, principal, revision])),
        "notifications/moves/stopped": () => Effect.asVoid(Queue.offer(heard, "stopped"))
      }
    })
    const server = yield* McpServer.make({ name: "s", version: "1", features: [], extensions: [served], ...rest })
    return { server, heard }
  })

describe("the notifications of clients that an extension hears", () => {
  for (const revision of ["2025-06-18", "2026-07-28"] as const) {
    it.effect(`are heard in their order, with who sent them, in ${revision}`, () =>
      Effect.gen(function*() {
        const { heard, server } = yield* hearing()
        const client = yield* Effect.provideService(
          McpMemoryClient.make({ ...using, protocolVersion: revision }),
          McpServer.McpServer,
          server
        )
        const { notify } = yield* Moves.client(client)
        yield* notify.moved({ to: "here", on })
        yield* notify["notifications/moves/stopped"]()
        assert.deepStrictEqual(yield* Queue.takeN(heard, 2), [
          [{ to: "here", on }, "c", undefined, undefined, revision],
          "stopped"
        ])
      }))

    it.effect(`are dropped where they do not fit, or come from who has not declared the extension, in ${revision}`, () =>
      Effect.gen(function*() {
        const { heard, server } = yield* hearing()
        const { line, params } = yield* spoken(server, revision, declared)
        const other = yield* spoken(server, revision)
        yield* line.write({ jsonrpc: "2.0", method, params: params({ to: 1 }) })
        yield* other.line.write({ jsonrpc: "2.0", method, params: other.params(wire) })
        yield* other.line.refusal("nothing", other.params())
        yield* line.write({ jsonrpc: "2.0", method, params: params({ ...wire, to: "last" }) })
        const [told] = yield* Effect.map(Queue.take(heard), (one) => one as ReadonlyArray<{ readonly to: string }>)
        assert.strictEqual(told?.to, "last")
        assert.strictEqual(yield* Queue.size(heard), 0)
        assert.deepStrictEqual([...line.aside, ...other.line.aside], [])
      }))

    it.live(`reach a server over a real HTTP connection, in ${revision}`, () =>
      Effect.gen(function*() {
        const { heard, server } = yield* hearing()
        const url = yield* serveWeb(yield* McpHttp.makeWebHandler(server))
        const client = yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), {
          ...using,
          url,
          protocolVersion: revision
        })
        const { notify } = yield* Moves.client(client)
        yield* notify.moved({ to: "here", on })
        assert.deepStrictEqual(yield* Queue.take(heard), [{ to: "here", on }, "c", undefined, undefined, revision])
      }))
  }

  it.effect("are not heard from who may not see the extension, or has not its scopes", () =>
    Effect.gen(function*() {
      for (const options of [{ visible: () => false }, { scopes: ["move"] }]) {
        const { heard, server } = yield* hearing(options)
        const line = yield* open(server, { revision: "2026-07-28", caller: { scopes: new Set(["stay"]) } })
        const capabilities = { "io.modelcontextprotocol/clientCapabilities": declared }
        yield* line.write({ jsonrpc: "2.0", method, params: modern(wire, capabilities) })
        yield* line.result("server/discover", modern())
        assert.strictEqual(yield* Queue.size(heard), 0)
      }
    }))

  it.effect("are accepted with 202 when they have been heard, and refused where they are of no revision, over HTTP", () =>
    Effect.gen(function*() {
      const { heard, server } = yield* hearing()
      const client = yield* web.alone({}, server)
      const post = (params: Schema.JsonObject, headers: Record<string, string> = {}, named: string = method) =>
        client.post({ jsonrpc: "2.0", method: named, params }, { "mcp-protocol-version": "2026-07-28", ...headers })
      const taken = yield* post({ ...wire, _meta: meta }, { "mcp-method": method })
      assert.deepStrictEqual([taken.status, yield* taken.text], [202, ""])
      assert.strictEqual(yield* Queue.size(heard), 1)
      assert.strictEqual((yield* post({ ...wire, _meta: meta })).status, 202)
      assert.strictEqual(yield* Queue.size(heard), 2)
      const other = yield* post({ ...wire, _meta: meta }, { "mcp-method": "notifications/moves/stopped" })
      assert.strictEqual(other.status, 400)
      assert.deepInclude(yield* other.json, { error: { code: -32020, message: "Mcp-Method does not match the body" } })
      const withMeta = (more: object) => post({ ...wire, _meta: { ...meta, ...more } })
      for (
        const refused of [
          post(wire),
          withMeta({ "io.modelcontextprotocol/clientCapabilities": 1 }),
          client.post(
            {
              jsonrpc: "2.0",
              method,
              params: { _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": "2099" } }
            }
          )
        ]
      ) assert.strictEqual((yield* refused).status, 400)
      assert.strictEqual((yield* post(wire, {}, "notifications/of/nobody")).status, 202)
      assert.strictEqual(yield* Queue.size(heard), 2)
    }))

  it.effect("count as calls of who sends them while they are heard, over HTTP", () =>
    Effect.gen(function*() {
      const served = Moves.serve({ hearers: { moved: () => Effect.never } })
      const server = yield* McpServer.make({ name: "s", version: "1", features: [], extensions: [served] })
      const client = yield* addressed.open({ quotas: { address: { calls: 1 } } }, server)
      const post = client.post({ jsonrpc: "2.0", method, params: { ...wire, _meta: meta } }, addressed.at("192.0.2.1"))
      const posting = yield* Effect.forkChild(post, { startImmediately: true })
      yield* settled
      assert.strictEqual((yield* post).status, 429)
      yield* Fiber.interrupt(posting)
    }))

  it.effect("belong to one extension, and never to the core", () =>
    Effect.gen(function*() {
      const hears = (identifier: string, method: string) =>
        McpExtension.make(identifier, { server: { notifications: { one: Notification.make({ method }) } } }).serve({
          hearers: { one: () => Effect.void }
        })
      const made = (...extensions: ReadonlyArray<McpExtension.ServerExtension>) =>
        Effect.sync(() => {
          let message = ""
          try {
            Effect.runSync(McpServer.make({ name: "s", version: "1", features: [], extensions }))
          } catch (error) {
            message = String(error)
          }
          return message
        })
      assert.include(
        yield* made(hears("com.example/a", "notifications/x"), hears("com.example/b", "notifications/x")),
        "two extensions hear the notification notifications/x"
      )
      assert.include(yield* made(hears("com.example/a", "notifications/initialized")), "which the core has")
    }))
})
