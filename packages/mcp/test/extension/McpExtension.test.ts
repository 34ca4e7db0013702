import { assert, describe, it } from "@effect/vitest"
import * as Method from "@parley/contract/Method"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, Exit, Schema } from "effect"
import { open, spoken } from "../server/support/line.ts"
import { connect, declared, echo, name, NoStation, server, Weather } from "./support/weather.ts"

const Bare = McpExtension.make("com.example/bare", {
  server: { methods: { get: Method.make({ method: "bare/get", result: Schema.Struct({ text: Schema.String }) }) } }
})

const bare = Bare.serve({ handlers: { get: () => Effect.succeed({ text: "bare" }) } })

const serving = (...extensions: ReadonlyArray<McpExtension.ServerExtension>) =>
  McpServer.make({ name: "s", version: "1", features: [echo], extensions })

describe("an extension", () => {
  for (const revision of Revision.all) {
    it.effect(`is called by its types, in ${revision}`, () =>
      Effect.gen(function*() {
        const { calls, settings } = yield* Weather.client(yield* connect(revision))
        assert.deepStrictEqual(settings, { stations: ["north", "south"] })
        assert.deepStrictEqual(yield* calls.at({ station: "south" }), { degrees: 294 })
        const since = new Date(0)
        assert.deepStrictEqual(yield* calls.at({ station: "north", since }), { degrees: 270, since })
        assert.isUndefined(yield* calls["weather/reset"]())
        const error = yield* Effect.flip(calls.at({ station: "west" }))
        assert.deepStrictEqual(error, new NoStation({ station: "west" }))
      }))

    it.effect(`is declared by both sides, and its params are checked, in ${revision}`, () =>
      Effect.gen(function*() {
        const { line, params } = yield* spoken(yield* server, revision, declared)
        const found = yield* line.ask(revision === "2026-07-28" ? "server/discover" : "ping", params())
        if (revision === "2026-07-28") {
          const capabilities = found.result?.["capabilities"] as { readonly extensions: unknown }
          assert.deepStrictEqual(capabilities.extensions, { [name]: { stations: ["north", "south"] } })
        }
        const refusal = yield* line.refusal("weather/at", params({ station: 1 }))
        assert.deepStrictEqual(refusal, {
          code: -32602,
          message: "Invalid params: station: Expected string",
          data: [{ path: ["station"], message: "Expected string" }]
        })
      }))

    it.effect(`is refused to a client that has not declared it, in ${revision}`, () =>
      Effect.gen(function*() {
        const { line, params } = yield* spoken(yield* server, revision)
        const refusal = yield* line.refusal("weather/at", params({ station: "north" }))
        assert.deepInclude(
          refusal,
          revision === "2026-07-28"
            ? { code: -32021, data: { requiredCapabilities: { extensions: { [name]: {} } } } }
            : { code: -32601 }
        )
        const wrong = { extensions: { [name]: { units: "miles" } } }
        const other = yield* spoken(yield* server, revision, wrong)
        assert.strictEqual((yield* other.line.refusal("weather/at", other.params({ station: "north" }))).code, -32602)
      }))

    it.effect(`that only servers declare is for every client, in ${revision}`, () =>
      Effect.gen(function*() {
        const { line, params } = yield* spoken(yield* serving(bare), revision)
        assert.strictEqual((yield* line.result("bare/get", params()))["text"], "bare")
      }))
  }

  it.effect("results say that they are complete, whose they are and how long they keep, where results do", () =>
    Effect.gen(function*() {
      const { line, params } = yield* spoken(yield* server, "2026-07-28", declared)
      const since = "2026-01-01T00:00:00.000Z"
      assert.deepStrictEqual(yield* line.result("weather/at", params({ station: "south", since })), {
        resultType: "complete",
        degrees: 21,
        since,
        ttlMs: 1_000,
        cacheScope: "public",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } }
      })
      const older = yield* spoken(yield* server, "2025-11-25", declared)
      assert.deepStrictEqual(yield* older.line.result("weather/at", { station: "south", since }), {
        degrees: 21,
        since
      })
    }))

  it.effect("before the handshake there is nothing of it", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* server)
      assert.strictEqual((yield* line.refusal("weather/at", { station: "north" })).code, -32600)
    }))

  it.effect("of one era is not there in the other", () =>
    Effect.gen(function*() {
      const Modern = McpExtension.make("com.example/modern", {
        era: "modern",
        server: { methods: { get: Method.make({ method: "tasks/list" }) } }
      })
      const server = yield* serving(Modern.serve({ handlers: { get: () => Effect.void } }))
      for (const [revision, there] of [["2025-11-25", false], ["2026-07-28", true]] as const) {
        const { line, params } = yield* spoken(server, revision)
        assert.strictEqual((yield* line.ask("tasks/list", params())).error?.code, there ? undefined : -32601)
        const client = yield* Effect.provideService(
          McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision }),
          McpServer.McpServer,
          server
        )
        const made = yield* Effect.exit(Modern.client(client))
        assert.strictEqual(Exit.isSuccess(made), there)
        assert.strictEqual(client.capabilities?.extensions !== undefined, there)
      }
    }))

  it.effect("that a server does not declare is a typed failure, before anything is sent", () =>
    Effect.gen(function*() {
      const client = yield* Effect.provideService(
        McpMemoryClient.make({ name: "c", version: "1" }),
        McpServer.McpServer,
        yield* serving()
      )
      const error = yield* Effect.flip(Bare.client(client))
      assert.deepInclude(error, {
        _tag: "UnsupportedCapability",
        method: "bare/get",
        capability: "extensions.com.example/bare"
      })
    }))

  it.effect("brings features, wants scopes, and can be hidden", () =>
    Effect.gen(function*() {
      const leaf = McpResource.make("test://leaf", { name: "leaf" }, () => Effect.succeed("green"))
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [],
        extensions: [
          Bare.serve({
            scopes: ["look"],
            features: [leaf],
            handlers: { get: () => Effect.succeed({ text: "seen" }) }
          })
        ],
        visible: (feature, { meta }) => feature._tag !== "McpExtension" || meta["hidden"] !== true
      })
      const line = yield* open(server, { revision: "2025-11-25", caller: { scopes: new Set(["read"]) } })
      yield* line.result("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "c", version: "1" }
      })
      assert.strictEqual((yield* line.result("resources/list"))["resources"]?.toString(), "[object Object]")
      assert.deepInclude(yield* line.refusal("bare/get"), { code: -31001, data: { requiredScopes: ["look"] } })
      assert.strictEqual((yield* line.refusal("bare/get", { _meta: { hidden: true } })).code, -32601)
    }))

  it.effect("a handler cannot ask the client: the protocol has no such result", () =>
    Effect.gen(function*() {
      const asking = Bare.serve({
        handlers: { get: (_, call) => Effect.as(Effect.orDie(call.listRoots()), { text: "asked" }) }
      })
      for (const revision of ["2025-11-25", "2026-07-28"] as const) {
        const { line, params } = yield* spoken(yield* serving(asking), revision, { roots: {} })
        assert.strictEqual((yield* line.refusal("bare/get", params())).code, -32603)
      }
    }))
})

describe("the results that an extension adds", () => {
  const call = { name: "echo", arguments: { text: "now" } }

  it.effect("come only where the client has declared it, and in the era that has kinds of results", () =>
    Effect.gen(function*() {
      const later = { ...call, _meta: { later: true } }
      const { line, params } = yield* spoken(yield* server, "2026-07-28", declared)
      const meta = { ...(params()["_meta"] as object), later: true }
      const result = yield* line.result("tools/call", { ...call, _meta: meta })
      assert.deepInclude(result, { resultType: "forecast", ticket: "t1", on: "1970-01-01T00:00:00.000Z" })
      assert.deepInclude(yield* line.result("tools/call", params(call)), { resultType: "complete" })
      const other = yield* spoken(yield* server, "2026-07-28")
      const undeclared = { ...(other.params()["_meta"] as object), later: true }
      assert.deepInclude(yield* other.line.result("tools/call", { ...call, _meta: undeclared }), {
        resultType: "complete"
      })
      const older = yield* spoken(yield* server, "2025-11-25", declared)
      assert.strictEqual((yield* older.line.refusal("tools/call", later)).code, -32603)
    }))

  it.effect("where nobody could read them, are our mistake", () =>
    Effect.gen(function*() {
      const wrong = Weather.serve({
        settings: { stations: [] },
        handlers: { at: () => Effect.succeed({ degrees: 0 }), "weather/reset": () => Effect.void },
        around: {
          "tools/call": () =>
            Effect.succeed(Weather.result("tools/call", "forecast", { ticket: "t", on: new Date(0) })),
          "prompts/get": (_, run) => run()
        }
      })
      const made = yield* serving(wrong)
      const without = yield* spoken(made, "2026-07-28")
      assert.strictEqual((yield* without.line.refusal("tools/call", without.params(call))).code, -32603)
      const older = yield* spoken(made, "2025-11-25", declared)
      assert.strictEqual((yield* older.line.refusal("tools/call", call)).code, -32603)
    }))

  it.effect("become the result that the caller waits for, where the client has a reader; else they are invalid", () =>
    Effect.gen(function*() {
      const reading = Weather.use({
        settings: { units: "celsius" },
        results: {
          "tools/call": {
            forecast: ({ on, ticket }, { method, params, request }) =>
              Effect.map(request("weather/at", { station: "south" }), (answer) => ({
                content: [{ type: "text", text: JSON.stringify([ticket, on.getTime(), method, params, answer]) }]
              }))
          }
        }
      })
      const client = yield* connect("2026-07-28", reading)
      const { content: [block] } = yield* client.callTool("echo", { text: "x" }, { meta: { later: true } })
      const [ticket, on, method, params, answer] = JSON.parse(block?.type === "text" ? block.text : "")
      assert.deepStrictEqual([ticket, on, method, params], ["t1", 0, "tools/call", {
        name: "echo",
        arguments: { text: "x" }
      }])
      assert.strictEqual(answer.degrees, 21)
      const without = yield* connect("2026-07-28")
      const error = yield* Effect.flip(without.callTool("echo", { text: "x" }, { meta: { later: true } }))
      assert.deepInclude(error, { _tag: "InvalidResult", path: ["resultType"] })
    }))

  it.effect("a handler that is given another context runs with that", () =>
    Effect.gen(function*() {
      const Around = McpExtension.make("com.example/around", { server: {} })
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [McpTool.make("who", {}, (_, { principal }) => Effect.succeed(principal ?? "nobody"))],
        extensions: [
          Around.serve({
            around: {
              "tools/call": (call, run) => {
                const as = new Proxy(call, {
                  get: (target, key) => key === "principal" ? "somebody" : Reflect.get(target, key, target)
                })
                return Effect.map(run(as), (result) => ({ ...result, _meta: { around: true } }))
              }
            }
          })
        ]
      })
      const { line, params } = yield* spoken(server, "2026-07-28")
      assert.deepInclude(yield* line.result("tools/call", params({ name: "who" })), {
        content: [{ type: "text", text: "somebody" }],
        resultType: "complete"
      })
    }))
})
