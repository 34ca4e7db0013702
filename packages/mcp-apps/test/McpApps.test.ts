import { assert, describe, it } from "@effect/vitest"
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { App } from "@modelcontextprotocol/ext-apps"
import { AppBridge, getToolUiResourceUri, isToolVisibilityAppOnly } from "@modelcontextprotocol/ext-apps/app-bridge"
import {
  EXTENSION_ID,
  registerAppResource,
  registerAppTool,
  RESOURCE_MIME_TYPE
} from "@modelcontextprotocol/ext-apps/server"
import { createMcpHandler, McpServer as OfficialServer } from "@modelcontextprotocol/server"
import * as McpApps from "@parley/mcp-apps/McpApps"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Schema } from "effect"
import * as z from "zod/v4"
import * as places from "../../mcp/test/interop/support/places.ts"
import { spoken } from "../../mcp/test/server/support/line.ts"
import { serveWeb } from "../../mcp/test/support/webHost.ts"

const html = "<!doctype html><title>Wetter</title><p>größer"
const uri = "ui://weather/view"
const needs = { csp: { connectDomains: ["https://api.example.com"] }, prefersBorder: true }
const description = "The weather."

const page = McpApps.page(uri, { name: "Weather", description, ...needs }, () => Effect.succeed(html))

const weather = McpApps.tool(
  McpTool.make(
    "weather",
    { description, params: { place: Schema.String } },
    ({ place }, { client }) => Effect.succeed(McpApps.isSupported(client) ? `shown: ${place}` : `told: ${place}`)
  ),
  { page }
)

const refresh = McpApps.tool(McpTool.make("refresh", { description }, () => Effect.succeed("fresh")), {
  page,
  visibility: ["app"]
})

const server = McpServer.make({
  name: "s",
  version: "1",
  features: [],
  extensions: [McpApps.serve([weather, refresh, page])],
  visible: McpApps.visible
})

/** The same, with the official helpers. */
const official = () => {
  const made = new OfficialServer({ name: "s", version: "1" }, { capabilities: { extensions: { [EXTENSION_ID]: {} } } })
  const inputSchema = z.object({ place: z.string() })
  const text = (text: string) => ({ content: [{ type: "text" as const, text }] })
  registerAppTool(
    made,
    "weather",
    { description, inputSchema, _meta: { ui: { resourceUri: uri } } },
    ({ place }) => text(`shown: ${place}`)
  )
  registerAppTool(
    made,
    "refresh",
    { description, _meta: { ui: { resourceUri: uri, visibility: ["app"] } } },
    () => text("fresh")
  )
  registerAppResource(made, "Weather", uri, { description, _meta: { ui: needs } }, () => ({
    contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: html, _meta: { ui: needs } }]
  }))
  return made
}

const me = { name: "c", version: "1" }

const ours = (extensions: ReadonlyArray<ReturnType<typeof McpApps.use>>) =>
  Effect.flatMap(
    server,
    (server) => Effect.provideService(McpMemoryClient.make({ ...me, extensions }), McpServer.McpServer, server)
  )

const theirs = Effect.gen(function*() {
  const handler = createMcpHandler(official)
  const url = yield* serveWeb((request) => handler.fetch(request))
  return yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), { ...me, url, extensions: [McpApps.use()] })
})

describe("apps", () => {
  it.live("have the shapes that the official helpers give them", () =>
    Effect.gen(function*() {
      const [own, other] = [yield* ours([McpApps.use()]), yield* theirs]
      const metaOf = (tools: ReadonlyArray<{ readonly name: string; readonly _meta?: unknown }>) =>
        new Map(tools.map(({ _meta, name }) => [name, _meta]))
      assert.deepStrictEqual(metaOf(yield* own.listTools()), metaOf(yield* other.listTools()))
      const [listed] = yield* other.listResources()
      assert.deepStrictEqual(yield* own.listResources(), listed === undefined ? [] : [listed])
      const contents = (yield* other.readResource(uri)).contents
      assert.deepStrictEqual((yield* own.readResource(uri)).contents, contents)
      assert.deepStrictEqual(own.capabilities?.extensions, other.capabilities?.extensions)
      assert.strictEqual(McpApps.mediaType, RESOURCE_MIME_TYPE)
      assert.strictEqual(McpApps.Extension.identifier, EXTENSION_ID)
    }))

  it.live("are read by our client from a server of the official helpers", () =>
    Effect.gen(function*() {
      const client = yield* theirs
      const tools = yield* client.listTools()
      assert.deepStrictEqual(tools.filter(McpApps.isForModel).map(({ name }) => name), ["weather"])
      assert.isTrue(tools.every(McpApps.isForApp))
      const [first] = tools
      assert.strictEqual(first && McpApps.uiOf(first).resourceUri, uri)
      assert.deepStrictEqual(yield* McpApps.read(client, uri), { html, ...needs })
    }))

  for (const mode of ["legacy", "auto"] as const) {
    it.live(`are found by the official host, whose pages call our tools (${mode})`, () =>
      Effect.gen(function*() {
        const url = yield* Effect.flatMap(server, places.hosted)
        const { client, transport } = yield* hostOf(url, mode)
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.deepStrictEqual(tools.map(getToolUiResourceUri), [uri, uri])
        assert.deepStrictEqual(tools.map(isToolVisibilityAppOnly), [false, true])
        const app = new App({ name: "page", version: "1" }, {}, { autoResize: false })
        yield* Effect.acquireRelease(Effect.promise(() => app.connect(transport)), () =>
          Effect.promise(() => app.close()))
        const called = yield* Effect.promise(() =>
          app.callServerTool({ name: "weather", arguments: { place: "Kiel" } })
        )
        assert.deepStrictEqual(called.content, [{ type: "text", text: "shown: Kiel" }])
        const read = yield* Effect.promise(() => app.readServerResource({ uri }))
        assert.deepInclude(read.contents[0], { uri, mimeType: RESOURCE_MIME_TYPE, text: html })
      }))
  }

  for (const revision of ["2024-11-05", "2026-07-28"] as const) {
    it.effect(`are ordinary tools to a client without them, which sees no pages, in ${revision}`, () =>
      Effect.gen(function*() {
        const { line, params } = yield* spoken(yield* server, revision)
        const { tools } = yield* line.result("tools/list", params())
        assert.deepStrictEqual((tools as ReadonlyArray<Schema.JsonObject>).map(({ name }) => name), ["weather"])
        assert.deepStrictEqual((yield* line.result("resources/list", params()))["resources"], [])
        const { content } = yield* line.result("tools/call", params({ name: "weather", arguments: { place: "Kiel" } }))
        assert.deepStrictEqual<unknown>(content, [{ type: "text", text: "told: Kiel" }])
        assert.property(yield* line.refusal("tools/call", params({ name: "refresh" })), "code")
        assert.property(yield* line.refusal("resources/read", params({ uri })), "code")
        const other = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } }
        const older = yield* spoken(yield* server, revision, other)
        assert.strictEqual((yield* older.line.result("resources/list", older.params()))["resources"]?.toString(), "")
      }))
  }

  it.effect("show tools for pages alone to nobody whose revision cannot tell them apart", () =>
    Effect.gen(function*() {
      const made = yield* McpServer.make({ name: "s", version: "1", features: [refresh, weather] })
      const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [McpApps.mediaType] } } }
      for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28"] as const) {
        const { line, params } = yield* spoken(made, revision, capabilities)
        const { tools } = yield* line.result("tools/list", params())
        assert.strictEqual(
          (tools as ReadonlyArray<Schema.JsonObject>).length,
          revision < "2025-06-18" ? 1 : 2,
          revision
        )
      }
    }))

  it.effect("what is no page is none for our client", () =>
    Effect.gen(function*() {
      const plain = McpResource.make("ui://plain", { name: "p", mimeType: "text/html" }, () => Effect.succeed(html))
      const bytes = (uri: `ui://${string}`, bytes: ReadonlyArray<number>) =>
        McpApps.page(uri, { name: "b" }, () => Effect.succeed(Uint8Array.from(bytes)))
      const made = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [plain, bytes("ui://good", [0x68, 0x69]), bytes("ui://bad", [0xff])]
      })
      const client = yield* Effect.provideService(McpMemoryClient.make(me), McpServer.McpServer, made)
      assert.deepStrictEqual(yield* McpApps.read(client, "ui://good"), { html: "hi" })
      for (const [wrong, rule] of [["ui://plain", "media type"], ["ui://bad", "no UTF-8"]] as const) {
        const error = yield* Effect.flip(McpApps.read(client, wrong))
        assert.include(error.message, rule)
      }
      // @ts-expect-error the scheme is another
      assert.throws(() => McpApps.page("https://example.com", { name: "p" }, () => Effect.succeed(html)), TypeError)
      assert.deepStrictEqual(McpApps.uiOf({ _meta: { ui: { resourceUri: "https://example.com" } } }), {
        resourceUri: undefined,
        visibility: ["model", "app"]
      })
      assert.strictEqual(McpApps.uiOf({ _meta: { "ui/resourceUri": "ui://old" } }).resourceUri, "ui://old")
    }))
})

/** A host of the official packages: its client, and the line to a page. */
const hostOf = Effect.fnUntraced(function*(url: string, mode: "legacy" | "auto") {
  const capabilities = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } }
  const client = new Client(me, { capabilities, versionNegotiation: { mode } })
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(new StreamableHTTPClientTransport(new URL(url)))),
    () => Effect.promise(() => client.close())
  )
  const [transport, far] = InMemoryTransport.createLinkedPair()
  const bridge = new AppBridge(client, me, { serverTools: {}, serverResources: {} })
  yield* Effect.acquireRelease(Effect.promise(() => bridge.connect(far)), () => Effect.promise(() => bridge.close()))
  return { client, transport }
})
