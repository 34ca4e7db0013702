/** Our client and servers that people install. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Subscribed, Updated } from "@parley/mcp/client/McpEvent"
import { Effect, Fiber, Queue, Schema, Stream } from "effect"
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as everything from "../support/everything.ts"
import * as places from "./support/places.ts"

const live = { excludeTestServices: true }

const said = (result: { readonly content: unknown }): string =>
  // These tools answer with texts.
  (result.content as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text).join("\n")

const directory = Effect.acquireRelease(
  Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "parley-")))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

const program = (name: string) => fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`))

const ways = {
  stdio: places.overStdio(everything.program),
  streamableHttp: Effect.flatMap(everything.serve("streamableHttp", "/mcp"), (url) => places.overHttp(url)),
  sse: Effect.flatMap(everything.serve("sse", "/sse"), (url) => places.overHttp(url))
}

for (const [way, client] of Object.entries(ways)) {
  layer(places.of(client), live)(`our client and the server of everything over ${way}:`, (it) => {
    it.effect("it knows the server, and finds what is there for a client like ours", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        assert.strictEqual(client.protocolVersion, "2025-11-25")
        assert.strictEqual(client.serverInfo?.name, "mcp-servers/everything")
        assert.match(client.instructions ?? "", /Everything/i)
        const names = (yield* client.listTools()).map(({ name }) => name)
        assert.includeMembers(names, ["echo", "trigger-sampling-request", "trigger-elicitation-request"])
        assert.isAbove((yield* client.listResources()).length, 0)
        assert.lengthOf(yield* client.listResourceTemplates(), 2)
        assert.includeMembers((yield* client.listPrompts()).map(({ name }) => name), ["args-prompt", "simple-prompt"])
      }))

    it.effect("it calls tools with texts, numbers, pictures, links and structured content", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        assert.strictEqual(said(yield* client.callTool("echo", { message: "hi" })), "Echo: hi")
        assert.match(said(yield* client.callTool("get-sum", { a: 2, b: 3 })), /5/)
        const types = (name: string, args: Schema.JsonObject = {}) =>
          Effect.map(client.callTool(name, args), ({ content }) => content.map(({ type }) => type))
        assert.include(yield* types("get-tiny-image"), "image")
        assert.include(yield* types("get-resource-links", { count: 2 }), "resource_link")
        assert.include(yield* types("get-resource-reference", { resourceType: "Text", resourceId: 1 }), "resource")
        const weather = Schema.Struct({ temperature: Schema.Finite, humidity: Schema.Finite })
        const seen = yield* client.callTool("get-structured-content", { location: "Chicago" }, { result: weather })
        assert.deepStrictEqual(seen, { temperature: 36, humidity: 82 })
        const misfit = yield* Effect.flip(client.callTool("get-sum", { a: "two", b: 3 }))
        assert.strictEqual(misfit._tag, "ToolError")
      }))

    it.effect("it follows a long operation", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        const events = yield* Stream.runCollect(
          client.streamTool("trigger-long-running-operation", { duration: 0.1, steps: 4 })
        )
        assert.deepStrictEqual(
          events.map((event) => event._tag === "Progress" ? event.progress.progress : said(event.result)),
          [1, 2, 3, 4, "Long running operation completed. Duration: 0.1 seconds, Steps: 4."]
        )
      }))

    it.effect("it is asked for a model's words, a form and the roots", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        const sampled = yield* client.callTool("trigger-sampling-request", { prompt: "well?", maxTokens: 5 })
        assert.include(said(sampled), "heard 1")
        const filled = said(yield* client.callTool("trigger-elicitation-request"))
        assert.include(filled, "- Name: Ada")
        // What the form leaves out comes from its defaults.
        assert.include(filled, "- Favorite Integer: 42")
        const roots = yield* client.callTool("get-roots-list")
        assert.include(said(roots), "URI: file:///work")
      }))

    it.effect("it hears of changes of a resource, and of the server's log", () =>
      Effect.gen(function*() {
        const { client, logs } = yield* places.Reached
        yield* client.setLogLevel("debug")
        const seen = yield* Queue.unbounded<unknown>()
        const uri = "demo://resource/dynamic/text/1"
        const running = yield* Effect.forkChild(
          Stream.runForEach(client.subscribe(uri), (one) => Queue.offer(seen, one))
        )
        assert.deepStrictEqual(yield* Queue.take(seen), new Subscribed())
        yield* client.callTool("toggle-subscriber-updates")
        assert.deepStrictEqual(yield* Queue.take(seen), new Updated({ uri }))
        yield* client.callTool("toggle-subscriber-updates")
        yield* Fiber.interrupt(running)
        const { message, server } = yield* Queue.take(logs)
        assert.match(String(message), /Subscribe|Roots/i)
        assert.strictEqual(server, "mcp-servers/everything")
      }))

    it.effect("it gets prompts, completes their arguments, and reads a resource", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        const { messages } = yield* client.getPrompt("args-prompt", { city: "Kiel" })
        assert.deepInclude(messages[0], { role: "user", content: { type: "text", text: "What's weather in Kiel?" } })
        const ref = { _tag: "Prompt", name: "completable-prompt" } as const
        const { completion } = yield* client.complete(ref, { name: "name", value: "A" }, { department: "Engineering" })
        assert.deepStrictEqual(completion.values, ["Alice"])
        const [contents] = (yield* client.readResource("demo://resource/dynamic/text/7")).contents
        assert.deepInclude(contents, { mimeType: "text/plain" })
      }))
  })
}

describe("our client and the server of files:", () => {
  it.live("it works where the roots of the client are", () =>
    Effect.gen(function*() {
      const path = yield* directory
      const folders = [path]
      const roots = Effect.sync(() => folders.map((path) => ({ uri: pathToFileURL(path).href, name: "work" })))
      const client = yield* places.overStdio(program("server-filesystem"), { handlers: { roots } })
      assert.strictEqual(client.serverInfo?.name, "secure-filesystem-server")
      const file = join(path, "größe.txt")
      // The server asks for the roots by itself, at a time of its own.
      const allowed = client.callTool("list_allowed_directories")
      const untilAllowed = (path: string) => Effect.repeat(allowed, { until: (result) => said(result).includes(path) })
      yield* untilAllowed(path)
      yield* client.callTool("write_file", { path: file, content: "zwölf" })
      assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), "zwölf")
      const read = yield* client.callTool("read_text_file", { path: file })
      assert.strictEqual(said(read), "zwölf")
      assert.include(said(yield* client.callTool("list_directory", { path })), "[FILE] größe.txt")
      yield* Effect.promise(() => writeFile(join(path, "dot.png"), Buffer.from("iVBORw0KGgo=", "base64")))
      const [picture] = (yield* client.callTool("read_media_file", { path: join(path, "dot.png") })).content
      assert.deepInclude(picture, { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" })
      const outside = yield* Effect.flip(client.callTool("read_text_file", { path: "/etc/hostname" }))
      assert.strictEqual(outside._tag, "ToolError")
      assert.match(outside.message, /denied|outside/i)
      const another = yield* directory
      folders.push(another)
      yield* client.notifyRootsChanged
      yield* untilAllowed(another)
    }))
})

describe("our client and the server of memories:", () => {
  it.live("it gets structured content that keeps to its schema", () =>
    Effect.gen(function*() {
      const path = join(yield* directory, "memory.jsonl")
      const transport = yield* places.stdio(program("server-memory"), [], { env: { MEMORY_FILE_PATH: path } })
      const client = yield* places.over(transport)
      const entity = { name: "Ada", entityType: "person", observations: ["counts"] }
      yield* client.listTools()
      yield* client.callTool("create_entities", { entities: [entity] })
      const Graph = Schema.Struct({
        entities: Schema.Array(Schema.Struct({ name: Schema.String, observations: Schema.Array(Schema.String) })),
        relations: Schema.Array(Schema.Unknown)
      })
      const graph = yield* client.callTool("read_graph", {}, { result: Graph })
      assert.deepStrictEqual(graph, { entities: [{ name: "Ada", observations: ["counts"] }], relations: [] })
      assert.include(yield* Effect.promise(() => readFile(path, "utf8")), "\"Ada\"")
    }))
})
