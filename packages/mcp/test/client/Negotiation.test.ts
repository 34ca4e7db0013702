import { assert, describe, it } from "@effect/vitest"
import { type CallError, HttpStatusError } from "@parley/peer/Caller"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Deferred, Effect, Fiber, Layer, type Schema } from "effect"
import { TestClock } from "effect/testing"
import type * as McpClientTransport from "../../src/client/McpClientTransport.ts"
import * as McpClient from "../../src/McpClient.ts"
import * as Scripted from "./scripted.ts"

const tools = { "tools/list": Scripted.always({ tools: [], ttlMs: 0, cacheScope: "public" }) }

describe("negotiation", () => {
  it.effect("a modern server is asked once, and nothing else is said to it", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(Scripted.modern())
      assert.deepStrictEqual(Scripted.methods(written), ["server/discover"])
      assert.strictEqual(client.protocolVersion, "2026-07-28")
      assert.deepStrictEqual(client.serverInfo, { name: "scripted", version: "3" })
      assert.strictEqual(client.instructions, "be brief")
      assert.deepStrictEqual(client.capabilities, Scripted.everything)
    }))

  it.effect("a legacy server hears initialize and notifications/initialized before anything else", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(Scripted.legacy(tools))
      yield* client.listTools()
      assert.deepStrictEqual(Scripted.methods(written), [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/list"
      ])
      assert.deepStrictEqual(written[1]?.params, {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" }
      })
      assert.strictEqual(written[2]?.id, undefined)
      assert.strictEqual(client.protocolVersion, "2025-11-25")
      assert.deepStrictEqual(client.serverInfo, { name: "scripted", version: "2" })
      assert.strictEqual(client.instructions, "be kind")
    }))

  it.effect("a client says who it is, with its icons where the revision has them", () =>
    Effect.gen(function*() {
      const icons = [{ src: "https://example.org/icon.png", mimeType: "image/png" }]
      for (const revision of ["2025-06-18", "2025-11-25"] as const) {
        const { written } = yield* Scripted.connect(Scripted.legacy(), { protocolVersion: revision, icons })
        assert.deepStrictEqual(written[0]?.params?.["clientInfo"], {
          name: "test",
          version: "1",
          ...(revision === "2025-11-25" && { icons })
        })
      }
    }))

  for (const code of [-32601, -32600, -32602, -32603, -32000, -32001, 0, 7]) {
    it.effect(`a server that answers the probe with error ${code} is taken for a legacy one`, () =>
      Effect.gen(function*() {
        const { client } = yield* Scripted.connect(
          Scripted.legacy({ "server/discover": Scripted.refusing(code, "what?") })
        )
        assert.strictEqual(client.protocolVersion, "2025-11-25")
      }))
  }

  it.effect("a server that answers the probe with nonsense is taken for a legacy one", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.legacy({ "server/discover": Scripted.always("hello") }))
      assert.strictEqual(client.protocolVersion, "2025-11-25")
    }))

  it.effect("a server that does not answer the probe is taken for a legacy one after two seconds", () =>
    Effect.gen(function*() {
      const { connect, written } = yield* Scripted.server(Scripted.legacy({ "server/discover": () => Effect.never }))
      const connecting = yield* Effect.forkChild(connect)
      yield* TestClock.adjust("1990 millis")
      assert.deepStrictEqual(Scripted.methods(written), ["server/discover"])
      yield* TestClock.adjust("30 millis")
      const client = yield* Fiber.join(connecting)
      assert.strictEqual(client.protocolVersion, "2025-11-25")
      yield* Scripted.settle
      assert.deepStrictEqual(Scripted.methods(written), [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "notifications/cancelled"
      ])
    }))

  it.effect("a server that does not answer the probe is told of, and with a probe of 0 it is not waited for", () =>
    Effect.gen(function*() {
      const silent = Scripted.legacy({ "server/discover": () => Effect.never })
      let told = 0
      const onSilent = () => told++
      const first = yield* Scripted.server(silent, { onSilent })
      const connecting = yield* Effect.forkChild(first.connect)
      yield* TestClock.adjust("2020 millis")
      yield* Fiber.join(connecting)
      assert.strictEqual(told, 1)
      const next = yield* Scripted.server(silent, { probe: 0 })
      const again = yield* Effect.forkChild(next.connect)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(again)).protocolVersion, "2025-11-25")
    }))

  it.effect("a server that answers is not told of as silent, and is found to be modern with a probe of 0", () =>
    Effect.gen(function*() {
      let told = 0
      const onSilent = () => told++
      yield* Scripted.connect(Scripted.legacy({}), { onSilent })
      assert.strictEqual(told, 0)
      const { connect } = yield* Scripted.server(
        Scripted.legacy({ "server/discover": Scripted.always(Scripted.discovered()) }),
        { probe: 0, onSilent }
      )
      const connecting = yield* Effect.forkChild(connect)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(connecting)).protocolVersion, "2026-07-28")
      assert.strictEqual(told, 0)
    }))

  for (const initialize of [() => Effect.never, Scripted.refusing(-32601, "Method not found")]) {
    it.effect("a modern server that was slow to start is still heard when initialize was tried", () =>
      Effect.gen(function*() {
        const { connect } = yield* Scripted.server({
          "server/discover": () => Effect.as(Effect.sleep("4 seconds"), Scripted.discovered()),
          initialize
        })
        const connecting = yield* Effect.forkChild(connect)
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual((yield* Fiber.join(connecting)).protocolVersion, "2026-07-28")
      }))
  }

  it.effect("a server that never says anything is given up in the time of the handshake", () =>
    Effect.gen(function*() {
      const { connect } = yield* Scripted.server({
        "server/discover": () => Effect.never,
        initialize: () => Effect.never
      })
      const connecting = yield* Effect.forkChild(Effect.flip(connect))
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(connecting.pollUnsafe(), undefined)
      yield* TestClock.adjust("1020 millis")
      assert.deepInclude(yield* Fiber.join(connecting), { _tag: "RequestTimeout", method: "initialize" })
    }))

  it.effect("a server that a package runner has to install first is waited for", () =>
    Effect.gen(function*() {
      const slow = (answer: Schema.Json) => () => Effect.as(Effect.sleep("23 seconds"), answer)
      const { connect } = yield* Scripted.server(Scripted.legacy({ initialize: slow(Scripted.initialized()) }))
      const connecting = yield* Effect.forkChild(connect)
      yield* TestClock.adjust("23 seconds")
      assert.strictEqual((yield* Fiber.join(connecting)).protocolVersion, "2025-11-25")
    }))

  it.effect("a modern server that knows other revisions is asked again in one that is common", () =>
    Effect.gen(function*() {
      let asked = 0
      const { client, written } = yield* Scripted.connect({
        "server/discover": () =>
          ++asked === 1
            ? Scripted.refusing(-32022, "Unsupported protocol version", {
              supported: ["2099-01-01", "2026-07-28"],
              requested: "2026-07-28"
            })()
            : Effect.succeed(Scripted.discovered())
      })
      assert.deepStrictEqual(Scripted.methods(written), ["server/discover", "server/discover"])
      assert.strictEqual(client.protocolVersion, "2026-07-28")
    }))

  it.effect("a server whose revisions are all legacy is shaken hands with, and one without any in common is refused", () =>
    Effect.gen(function*() {
      const unsupported = (supported: ReadonlyArray<string>) => ({
        "server/discover": Scripted.refusing(-32022, "no", { supported: [...supported], requested: "2026-07-28" })
      })
      const old = yield* Scripted.connect(Scripted.legacy(unsupported(["2025-06-18"])))
      assert.strictEqual(old.client.protocolVersion, "2025-11-25")
      const strange = yield* Scripted.server(unsupported(["1999-01-01"]))
      const refused = yield* Effect.flip(strange.connect)
      assert.strictEqual(refused._tag, "NoCommonRevision")
      assert.deepInclude(refused, { offered: ["1999-01-01"] })
      const discovering = yield* Scripted.server({
        "server/discover": Scripted.always(Scripted.discovered({}, ["1999-01-01"]))
      })
      assert.strictEqual((yield* Effect.flip(discovering.connect))._tag, "NoCommonRevision")
    }))

  it.effect("a pinned modern revision is used without asking, and nobody is asked what the server can do", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(tools, { protocolVersion: "2026-07-28" })
      assert.lengthOf(written, 0)
      assert.strictEqual(client.capabilities, undefined)
      yield* client.listTools()
      assert.deepStrictEqual(Scripted.methods(written), ["tools/list"])
      const meta = written[0]?.params?.["_meta"]
      assert.deepStrictEqual(meta, {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
        progressToken: "progress-1"
      })
    }))

  it.effect("a request that a modern server refuses for its revision is made again in one that is common", () =>
    Effect.gen(function*() {
      let asked = 0
      const { client, written } = yield* Scripted.connect({
        "tools/list": () =>
          ++asked === 1
            ? Scripted.refusing(-32022, "no", { supported: ["2026-07-28"], requested: "2026-07-28" })()
            : Effect.succeed({ tools: [] })
      }, { protocolVersion: "2026-07-28" })
      assert.deepStrictEqual(yield* client.listTools(), [])
      assert.lengthOf(written, 2)
    }))

  it.effect("a pinned legacy revision begins with initialize, and must be the one that is answered", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(Scripted.legacy(), { protocolVersion: "2025-03-26" })
      assert.deepStrictEqual(Scripted.methods(written), ["initialize", "notifications/initialized"])
      assert.strictEqual(client.protocolVersion, "2025-03-26")
      const other = yield* Scripted.server(
        { initialize: Scripted.always(Scripted.initialized("2024-11-05")) },
        { protocolVersion: "2025-03-26" }
      )
      const refused = yield* Effect.flip(other.connect)
      assert.deepInclude(refused, { _tag: "NoCommonRevision", offered: ["2024-11-05"], ours: ["2025-03-26"] })
    }))

  it.effect("an older revision that a server answers is taken, one that nobody knows is refused", () =>
    Effect.gen(function*() {
      const answering = (version: string) => ({
        ...Scripted.legacy(),
        initialize: Scripted.always(Scripted.initialized(version))
      })
      const old = yield* Scripted.connect(answering("2024-11-05"))
      assert.strictEqual(old.client.protocolVersion, "2024-11-05")
      const unknown = yield* Scripted.server(answering("2031-01-01"))
      assert.strictEqual((yield* Effect.flip(unknown.connect))._tag, "NoCommonRevision")
      assert.notInclude(Scripted.methods(unknown.written), "notifications/initialized")
    }))

  it.effect("a server that refuses the revision by an error with others is asked again", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect({
        ...Scripted.legacy(),
        initialize: ({ params }) =>
          (params as { readonly protocolVersion: string }).protocolVersion === "2025-06-18"
            ? Effect.succeed(Scripted.initialized("2025-06-18"))
            : Scripted.refusing(-32602, "Unsupported protocol version", { supported: ["2025-06-18"] })()
      })
      assert.strictEqual(client.protocolVersion, "2025-06-18")
    }))

  it.effect("a handshake that takes longer than it may fails, and initialize is not cancelled", () =>
    Effect.gen(function*() {
      const { connect, written } = yield* Scripted.server(
        { initialize: () => Effect.never },
        { protocolVersion: "2025-11-25", initializeTimeout: "5 seconds" }
      )
      const connecting = yield* Effect.forkChild(Effect.flip(connect))
      yield* TestClock.adjust("4990 millis")
      assert.strictEqual(connecting.pollUnsafe(), undefined)
      yield* TestClock.adjust("30 millis")
      const error = yield* Fiber.join(connecting)
      assert.deepInclude(error, { _tag: "RequestTimeout", method: "initialize", milliseconds: 5_000 })
      yield* Scripted.settle
      assert.deepStrictEqual(Scripted.methods(written), ["initialize"])
    }))

  it.effect("a result of initialize that is none fails with its path", () =>
    Effect.gen(function*() {
      const { connect } = yield* Scripted.server({
        initialize: Scripted.always({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: 1 } })
      }, { protocolVersion: "2025-11-25" })
      const error = yield* Effect.flip(connect)
      assert.strictEqual(error._tag, "InvalidResult")
      assert.deepInclude(error, { method: "initialize", path: ["serverInfo", "name"] })
    }))

  it.effect("a server that asks as soon as it hears that the client is there is answered", () =>
    Effect.gen(function*() {
      const answered = yield* Deferred.make<unknown>()
      yield* Scripted.connect(
        Scripted.legacy({
          "notifications/initialized": ({ peer }) =>
            Effect.asVoid(
              Effect.orDie(Effect.flatMap(peer.request("roots/list"), (roots) => Deferred.succeed(answered, roots)))
            )
        }),
        { handlers: { roots: Effect.succeed([{ uri: "file:///here" }]) } }
      )
      assert.deepStrictEqual(yield* Deferred.await(answered), { roots: [{ uri: "file:///here" }] })
    }))

  describe("over HTTP", () => {
    /** The transport's reply to the probe, in place of an answer. */
    const failing = (error: CallError) => (open: McpClientTransport.Open): McpClientTransport.Open => (host) =>
      Effect.map(open(host), (transport): McpClientTransport.McpClientTransport => ({
        ...transport,
        kind: "http",
        request: (method, params, options) =>
          method === "server/discover" ? Effect.fail(error) : transport.request(method, params, options)
      }))

    const silent = (open: McpClientTransport.Open): McpClientTransport.Open => (host) =>
      Effect.map(open(host), (transport): McpClientTransport.McpClientTransport => ({ ...transport, kind: "http" }))

    const status = (code: number) => new HttpStatusError({ status: code, excerpt: "" })

    it.effect("a modern server whose first answer is slow is spoken to in its revision", () =>
      Effect.gen(function*() {
        const slow = () => Effect.as(Effect.sleep("4 seconds"), Scripted.discovered())
        const { connect, written } = yield* Scripted.server(Scripted.legacy({ "server/discover": slow }), {}, silent)
        const connecting = yield* Effect.forkChild(connect)
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual((yield* Fiber.join(connecting)).protocolVersion, "2026-07-28")
        assert.deepStrictEqual(Scripted.methods(written), ["server/discover"])
      }))

    it.effect("silence is no older server", () =>
      Effect.gen(function*() {
        const mute = Scripted.legacy({ "server/discover": () => Effect.never })
        const { connect, written } = yield* Scripted.server(mute, {}, silent)
        const connecting = yield* Effect.forkChild(Effect.flip(connect))
        yield* TestClock.adjust("29 seconds")
        assert.isUndefined(connecting.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* Fiber.join(connecting), { _tag: "RequestTimeout", method: "server/discover" })
        assert.notInclude(Scripted.methods(written), "initialize")
      }))

    for (const code of [400, 404, 405, 406, 415]) {
      it.effect(`status ${code} without an error of MCP is an older server`, () =>
        Effect.gen(function*() {
          const { client } = yield* Scripted.connect(Scripted.legacy(), {}, failing(status(code)))
          assert.strictEqual(client.protocolVersion, "2025-11-25")
        }))
    }

    it.effect("an overloaded server of ours is no older one", () =>
      Effect.gen(function*() {
        const full = Scripted.legacy({ "server/discover": Scripted.refusing(-31000, "Overloaded") })
        const { connect, written } = yield* Scripted.server(full, {}, silent)
        assert.deepInclude(yield* Effect.flip(connect), { _tag: "ProtocolError", code: -31000 })
        assert.notInclude(Scripted.methods(written), "initialize")
      }))

    for (const code of [401, 403, 408, 429, 500, 502, 503]) {
      it.effect(`status ${code} says nothing of the era`, () =>
        Effect.gen(function*() {
          const { connect, written } = yield* Scripted.server(Scripted.legacy(), {}, failing(status(code)))
          assert.deepInclude(yield* Effect.flip(connect), { _tag: "HttpStatusError", status: code })
          assert.lengthOf(written, 0)
        }))
    }
  })

  it.effect("a connection that is gone is no legacy server", () =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      yield* theirs.close
      const error = yield* McpClient.McpClient.pipe(
        Effect.provide(McpClient.layer({ name: "test", version: "1" })),
        Effect.provide(Layer.succeed(Transport)(ours)),
        Effect.flip
      )
      assert.strictEqual(error._tag, "Disconnected")
    }))
})
