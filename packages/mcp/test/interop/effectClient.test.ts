import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Schema } from "effect"
import { McpClient, type McpClientError, McpProtocol, type McpSchema } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import { ChildProcess } from "effect/process"
import * as offered from "./support/offered.ts"
import * as places from "./support/places.ts"

const text = (text: string) => ({ type: "text", text })

const own = { name: "effect", version: "4" }

const command = ChildProcess.make(places.command.command, places.command.args, {
  env: places.command.env,
  extendEnv: true,
  stderr: "ignore"
})

const protocols = [McpProtocol.v2025_11_25, McpProtocol.v2026_07_28] as const

/** Plain data: its records are instances of classes, and it decodes bytes. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value)
  )

/** The client of a test, and the tools that it has found: its calls name one of them. */
class Foreign extends Context.Service<Foreign, {
  readonly client: McpClient.McpClient
  readonly tools: ReadonlyArray<McpSchema.Tool>
}>()("@parley/mcp/test/interop/EffectClient") {
  static readonly layer = Layer.effect(
    Foreign,
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      return { client, tools: yield* client.listTools() }
    })
  )
}

const tool = (name: string) =>
  Effect.flatMap(Foreign, ({ tools }) => {
    const found = tools.find((tool) => tool.name === name)
    return found === undefined ? Effect.die(new Error(`there is no ${name}`)) : Effect.succeed(found)
  })

const call = (name: string, args: { readonly [name: string]: unknown } = {}) =>
  Effect.gen(function*() {
    const { client } = yield* Foreign
    return yield* client.callTool({ tool: yield* tool(name), arguments: args })
  })

for (const protocol of protocols) {
  const overStdio = McpClient.layerStdio({ ...own, command, protocol }).pipe(Layer.provide(NodeServices.layer))
  const overHttp = Layer.unwrap(Effect.map(
    Effect.flatMap(places.server, places.hosted),
    (url) => McpClient.layerHttp({ ...own, url, protocol })
  )).pipe(Layer.provide(FetchHttpClient.layer))

  for (const [way, connected] of [["stdio", overStdio], ["HTTP", overHttp]] as const) {
    layer(Layer.provide(Foreign.layer, [connected, Logger.layer([])]), { excludeTestServices: true })(
      `Effect's client, in ${protocol.protocolVersion}, over ${way}, and our server`,
      (it) => {
        it.effect("agree on a revision, and the client knows the server", () =>
          Effect.gen(function*() {
            const { client } = yield* Foreign
            assert.deepStrictEqual(plain(client.serverInfo), offered.identity)
            assert.strictEqual(client.instructions, offered.instructions)
          }))

        it.effect("page through every list, in its order", () =>
          Effect.gen(function*() {
            const { client } = yield* Foreign
            const names = (items: ReadonlyArray<{ readonly name: string }>) => items.map(({ name }) => name)
            assert.deepStrictEqual(names((yield* Foreign).tools), offered.toolNames)
            assert.deepStrictEqual(names(yield* client.listResources()), ["greeting", "bytes", "third"])
            assert.deepStrictEqual(names(yield* client.listPrompts()), ["greet", "talk", "third"])
          }))

        it.effect("tell of tools to the last keyword of a schema", () =>
          Effect.gen(function*() {
            assert.deepStrictEqual(plain((yield* tool("verbatim")).inputSchema), offered.verbatimSchema)
          }))

        it.effect("call tools, with structured content and pictures", () =>
          Effect.gen(function*() {
            const { client } = yield* Foreign
            const sum = yield* client.callTool({
              tool: yield* tool("add"),
              arguments: { a: 2, b: 0.5 },
              schema: Schema.Struct({ sum: Schema.Finite })
            })
            assert.deepStrictEqual(sum, { sum: 2.5 })
            assert.deepStrictEqual(plain((yield* call("picture")).content), [
              text("look"),
              { type: "image", data: offered.pixel, mimeType: "image/png" },
              { type: "resource_link", uri: "text://greeting", name: "greeting" }
            ])
          }))

        it.effect("agree on arguments that HTTP repeats in headers", () =>
          Effect.gen(function*() {
            for (const region of ["eu-1", " größer ✓ ", "=?base64?YQ==?="]) {
              const placed = yield* call("place", { region, at: 3 })
              assert.deepStrictEqual(plain(placed.content), [text(JSON.stringify([region, 3]))])
            }
          }))

        it.effect("tell a tool that failed from a call that is wrong and from a server that broke", () =>
          Effect.gen(function*() {
            const refused = yield* call("refuse")
            assert.strictEqual(refused.isError, true)
            assert.deepStrictEqual(plain(refused.content), [text("not today")])
            assert.strictEqual((yield* call("echo", { text: 5 })).isError, true)
            const codeOf = (error: McpClientError.McpClientError) => (error.reason as { readonly code?: unknown }).code
            assert.strictEqual(codeOf(yield* Effect.flip(call("break"))), -32603)
            const { client } = yield* Foreign
            const failed = yield* Effect.flip(client.callTool({ tool: { ...(yield* tool("echo")), name: "nobody" } }))
            assert.strictEqual(codeOf(failed), -32602)
          }))

        it.effect("interrupt a handler whose call the client gives up", () =>
          Effect.gen(function*() {
            const waiting = yield* Effect.forkChild(call("wait", { name: "given up" }))
            yield* call("until", { happens: "given up began" })
            yield* Fiber.interrupt(waiting)
            const heard = yield* call("until", { happens: "given up was interrupted" })
            assert.deepStrictEqual(plain(heard.content), [text("given up was interrupted")])
          }))

        it.effect("read resources and get prompts", () =>
          Effect.gen(function*() {
            const { client } = yield* Foreign
            assert.deepStrictEqual(plain((yield* client.readResource({ uri: "text://greeting" })).contents), [
              { uri: "text://greeting", mimeType: "text/plain", text: "hello" }
            ])
            const missing = yield* Effect.flip(client.readResource({ uri: "text://nowhere" }))
            assert.strictEqual(missing.reason._tag, "ProtocolError")
            const prompt = (yield* client.listPrompts()).find(({ name }) => name === "greet")
            assert.isDefined(prompt)
            const { messages } = yield* client.getPrompt({ prompt, arguments: { name: "Ada" } })
            assert.deepStrictEqual(plain(messages), [
              { role: "user", content: text("Say a plain hello to Ada.") }
            ])
          }))
      }
    )
  }
}
