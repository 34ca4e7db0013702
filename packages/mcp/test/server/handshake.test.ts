import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, Schema } from "effect"
import { agreedOn, callOf } from "./support/call.ts"
import { greet, meta, modern, open } from "./support/line.ts"

const echo = McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text))

const made = McpServer.make({
  name: "server",
  version: "1.2.3",
  title: "A server",
  instructions: "Ask nicely.",
  features: [
    echo,
    McpResource.make("test://one", { name: "one" }, () => Effect.succeed("1")),
    McpPrompt.make(
      "greet",
      { params: { name: Schema.String }, complete: { name: () => Effect.succeed(["Ann"]) } },
      ({ name }) => Effect.succeed(`Greet ${name}.`)
    )
  ]
})

const legacy = Revision.ofEra("legacy")

const client = { capabilities: {}, clientInfo: { name: "test", version: "1" } }

describe("the handshake", () => {
  for (const revision of legacy) {
    it.effect(`agrees on ${revision} where it is asked for, and says what that knows`, () =>
      Effect.gen(function*() {
        const line = yield* open(yield* made)
        const result = yield* greet(line, revision)
        assert.strictEqual(result["protocolVersion"], revision)
        assert.strictEqual(result["instructions"], "Ask nicely.")
        assert.deepStrictEqual(
          result["serverInfo"],
          revision >= "2025-06-18"
            ? { name: "server", version: "1.2.3", title: "A server" }
            : { name: "server", version: "1.2.3" }
        )
        assert.deepStrictEqual(result["capabilities"], {
          logging: {},
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          ...(revision >= "2025-03-26" ? { completions: {} } : {})
        })
        assert.deepStrictEqual(yield* line.result("ping"), {})
      }))
  }

  it.effect("answers an unknown revision with the newest that shakes hands", () =>
    Effect.gen(function*() {
      const server = yield* made
      for (const protocolVersion of ["1999-01-01", "2026-07-28", "2099-12-31"]) {
        const line = yield* open(server)
        const result = yield* line.result("initialize", { protocolVersion, ...client })
        assert.strictEqual(result["protocolVersion"], Revision.latestLegacy)
      }
    }))

  it.effect("is made once, and nothing but a ping comes before it", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made)
      assert.deepStrictEqual(yield* line.result("ping"), {})
      const early = yield* line.refusal("tools/list")
      assert.deepStrictEqual(early, { code: -32600, message: "Not initialized: send `initialize` first" })
      assert.strictEqual((yield* line.refusal("no/such/method")).code, -32601)
      const bad = yield* line.refusal("initialize", { protocolVersion: "2025-06-18", capabilities: 1 })
      assert.strictEqual(bad.code, -32602)
      yield* greet(line, "2025-06-18")
      assert.strictEqual((yield* line.refusal("initialize", { protocolVersion: "2025-06-18", ...client })).code, -32600)
      assert.property(yield* line.result("tools/list"), "tools")
    }))

  it.effect("is refused where a client says more of itself than a session should keep", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made)
      const introduce = (more: Schema.JsonObject) =>
        line.ask("initialize", { protocolVersion: "2025-06-18", ...client, ...more })
      const much = "x".repeat(64 * 1024)
      for (
        const more of [
          { clientInfo: { ...client.clientInfo, unknown: much } },
          { capabilities: { experimental: { [much]: {} } } }
        ]
      ) {
        assert.deepInclude((yield* introduce(more)).error, { code: -32602 })
      }
      // What is not kept may be as long as a message may be.
      assert.property((yield* introduce({ _meta: { much } })).result, "protocolVersion")
    }))

  it.effect("gives way to what the client said before, on a connection that goes on with it", () =>
    Effect.gen(function*() {
      const server = yield* made
      const seen: Array<unknown> = []
      const first = server.connect({ peer: () => undefined, onRecord: (record) => seen.push(record) })
      const serve = (connection: typeof first, method: string, params?: Schema.JsonObject) =>
        connection.router.handlerOf(method)?.(callOf(method, params)) ?? Effect.die("nothing serves it")
      yield* serve(first, "initialize", { protocolVersion: "2025-06-18", ...client })
      yield* serve(first, "logging/setLevel", { level: "error" })
      yield* serve(first, "resources/subscribe", { uri: "test://one" })
      const record = first.record()
      const { lists, ...said } = record
      assert.sameMembers(Object.keys(lists ?? {}), ["tools", "prompts", "resources"])
      assert.deepStrictEqual(said, {
        revision: "2025-06-18",
        clientInfo: client.clientInfo,
        clientCapabilities: {},
        ready: false,
        logLevel: "error",
        subscriptions: ["test://one"]
      })
      assert.deepStrictEqual(seen.at(-1), record)
      const second = server.connect({ record: JSON.parse(JSON.stringify(record)) })
      assert.strictEqual(second.codec()?.revision, "2025-06-18")
      assert.property(yield* serve(second, "tools/list"), "tools")
    }))
})

describe("a connection without a handshake", () => {
  it.effect("serves what comes in the revision of its record", () =>
    Effect.gen(function*() {
      const server = yield* made
      const restored = server.connect({ record: agreedOn("2025-03-26") })
      const serve = (method: string, params?: Schema.JsonObject) =>
        restored.router.handlerOf(method)?.(callOf(method, params)) ?? Effect.die("nothing serves it")
      assert.strictEqual(restored.codec()?.revision, "2025-03-26")
      const listed = yield* serve("tools/list")
      assert.notProperty(listed, "resultType")
      assert.include(JSON.stringify(listed), "echo")
    }))

  it.effect("serves one era only where its host says so", () =>
    Effect.gen(function*() {
      const server = yield* made
      const modernOnly = server.connect({ era: "modern" }).router.handlerOf("ping")
      const legacyOnly = server.connect({ era: "legacy", record: agreedOn("2025-11-25") }).router.handlerOf(
        "tools/list"
      )
      const refused = yield* Effect.flip(modernOnly?.(callOf("ping")) ?? Effect.void)
      assert.propertyVal(refused, "code", -32602)
      assert.notProperty(yield* legacyOnly?.(callOf("tools/list", modern())) ?? Effect.void, "resultType")
    }))
})

describe("the modern envelope", () => {
  it.effect("is enough: a request that has one needs no handshake, and learns who answers", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made, { revision: "2026-07-28" })
      assert.deepStrictEqual(yield* line.result("server/discover", modern()), {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: {
          logging: {},
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          completions: {}
        },
        instructions: "Ask nicely.",
        ttlMs: 0,
        cacheScope: "public",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "server", version: "1.2.3", title: "A server" } }
      })
      const called = yield* line.result("tools/call", modern({ name: "echo", arguments: { text: "hi" } }))
      assert.deepStrictEqual(called, {
        resultType: "complete",
        content: [{ type: "text", text: "hi" }],
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "server", version: "1.2.3", title: "A server" } }
      })
    }))

  it.effect("is refused where it lacks what it must have, or does not fit", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made)
      const missing = (...keys: ReadonlyArray<string>) => {
        const _meta = Object.fromEntries(
          Object.entries(meta()).filter(([key]) => !keys.some((end) => key.endsWith(end)))
        )
        return { _meta }
      }
      for (
        const params of [
          undefined,
          {},
          missing("protocolVersion"),
          missing("clientCapabilities"),
          modern({}, { "io.modelcontextprotocol/logLevel": "loud" }),
          modern({}, { "io.modelcontextprotocol/clientCapabilities": [] })
        ]
      ) {
        assert.strictEqual((yield* line.refusal("server/discover", params)).code, -32602, JSON.stringify(params))
      }
      assert.property(yield* line.result("server/discover", missing("clientInfo")), "supportedVersions")
    }))

  it.effect("that names a revision which is not spoken learns which are", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made)
      for (const requested of ["v999.0.0", "2025-11-25"]) {
        const params = modern({}, { "io.modelcontextprotocol/protocolVersion": requested })
        const { code, data } = yield* line.refusal("tools/list", params)
        assert.strictEqual(code, -32022)
        assert.deepStrictEqual(data, { requested, supported: ["2026-07-28"] })
      }
    }))

  it.effect("goes with no method of the other era, and the other way round", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made)
      const removed = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
      for (const method of [...removed, "unknown/method"]) {
        assert.strictEqual((yield* line.refusal(method, modern())).code, -32601, method)
      }
      yield* greet(line, "2025-11-25")
      for (const method of ["server/discover", "subscriptions/listen"]) {
        assert.strictEqual((yield* line.refusal(method, {})).code, -32601, method)
      }
    }))

  it.effect("and the handshake share a connection, each request by itself", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made)
      yield* greet(line, "2025-03-26")
      assert.notProperty(yield* line.result("tools/list"), "resultType")
      assert.property(yield* line.result("tools/list", modern()), "resultType")
      assert.notProperty(yield* line.result("tools/list"), "resultType")
    }))
})

describe("a server of one era", () => {
  it.effect("that is legacy knows nothing of the envelope, so that a client finds out", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({ name: "s", version: "1", features: [echo], protocolVersions: legacy })
      const line = yield* open(server)
      const { code } = yield* line.refusal("server/discover", modern())
      assert.notInclude([-32020, -32021, -32022], code)
      yield* greet(line, "2025-06-18")
      assert.strictEqual((yield* line.refusal("server/discover", modern())).code, -32601)
      assert.property(yield* line.result("tools/list", modern()), "tools")
    }))

  it.effect("that is modern names its revisions to who shakes hands", () =>
    Effect.gen(function*() {
      const revisions = Revision.ofEra("modern")
      const line = yield* open(
        yield* McpServer.make({ name: "s", version: "1", features: [echo], protocolVersions: revisions })
      )
      const { code, data } = yield* line.refusal("initialize", { protocolVersion: "2025-06-18", ...client })
      assert.strictEqual(code, -32022)
      assert.deepStrictEqual(data, { requested: "2025-06-18", supported: revisions })
      assert.strictEqual((yield* line.refusal("ping")).code, -32602)
    }))
})

describe("what is not offered", () => {
  it.effect("is not declared, and has no methods", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* McpServer.make({ name: "s", version: "1", features: [] }))
      const { capabilities } = yield* greet(line, "2025-11-25")
      assert.deepStrictEqual(capabilities, { logging: {} })
      for (
        const method of [
          "tools/list",
          "tools/call",
          "resources/list",
          "resources/templates/list",
          "resources/read",
          "prompts/list",
          "completion/complete"
        ]
      ) {
        assert.strictEqual((yield* line.refusal(method, {})).code, -32601, method)
        assert.strictEqual((yield* line.refusal(method, modern())).code, -32601, method)
      }
    }))
})
