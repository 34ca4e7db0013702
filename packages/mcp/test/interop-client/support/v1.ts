/** A server of the official SDK, version 1, with what the tests of clients want to see. */
import { completable } from "@modelcontextprotocol/sdk/server/completable.js"
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js"
import {
  ListResourcesRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as z from "zod"
import * as foreign from "./foreign.ts"
import type { Occasions } from "./occasions.ts"

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

export const make = ({ happen, wait }: Occasions): McpServer => {
  const server = new McpServer({ name: "v1", version: "1" }, {
    capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
    instructions: foreign.instructions
  })

  server.registerTool("echo", { title: "Echo", inputSchema: { text: z.string() } }, ({ text: said }) => text(said))
  server.registerTool(
    "add",
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ ...text("a sum"), structuredContent: { sum: a + b } })
  )
  server.registerTool("picture", {}, () => ({
    content: [
      { type: "image", data: foreign.pixel, mimeType: "image/png" },
      { type: "resource_link", uri: "text://greeting", name: "greeting" }
    ]
  }))
  server.registerTool("refuse", {}, () => ({ ...text("not today"), isError: true }))

  server.registerTool("count", { inputSchema: { to: z.number() } }, async ({ to }, { _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) return text("nobody counts")
    for (let progress = 1; progress <= to; progress++) {
      await sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, total: to, message: `step ${progress}` }
      })
    }
    return text(`${to} steps`)
  })
  server.registerTool("say", { inputSchema: { text: z.string() } }, async ({ text: data }, { sessionId }) => {
    await server.sendLoggingMessage({ level: "debug", logger: "foreign", data }, sessionId)
    await server.sendLoggingMessage({ level: "warning", logger: "foreign", data }, sessionId)
    return text("said")
  })
  server.registerTool("wait", { inputSchema: { name: z.string() } }, ({ name }, { signal }) => {
    happen(`${name} began`)
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        happen(`${name} was interrupted`)
        resolve(text("too late"))
      })
    })
  })
  server.registerTool("until", { inputSchema: { happens: z.string() } }, async ({ happens }) => {
    await wait(happens)
    return text(happens)
  })

  server.registerTool("cut", {}, async ({ _meta, closeSSEStream, sendNotification }) => {
    const tell = async (progress: number, message: string) => {
      const progressToken = _meta?.progressToken ?? ""
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } })
    }
    await tell(1, "before the cut")
    closeSSEStream?.()
    await tell(2, "behind the cut")
    return text("all")
  })

  server.registerTool("askForm", { inputSchema: { message: z.string() } }, async ({ message }) => {
    const answer = await server.server.elicitInput({ message, requestedSchema: foreign.form })
    return text(JSON.stringify(answer))
  })
  server.registerTool("askModel", {}, async () => {
    const { content, model } = await server.server.createMessage({ messages: foreign.question, maxTokens: 10 })
    return text(`${model}: ${JSON.stringify(content)}`)
  })
  server.registerTool("askRoots", {}, async () => text(JSON.stringify((await server.server.listRoots()).roots)))

  server.registerTool("touch", { inputSchema: { uri: z.string() } }, async ({ uri }) => {
    if (subscribed.has(uri)) await server.server.sendResourceUpdated({ uri })
    return text("touched")
  })
  server.registerTool("grow", {}, () => {
    server.registerTool("extra", {}, () => text("more"))
    return text("grown")
  })

  server.registerResource("greeting", "text://greeting", { mimeType: "text/plain" }, ({ href: uri }) => ({
    contents: [{ uri, text: "hello" }]
  }))
  server.registerResource("bytes", "data://bytes", {}, ({ href: uri }) => ({
    contents: [{ uri, blob: foreign.pixel }]
  }))
  server.registerResource(
    "note",
    new ResourceTemplate("note://{author}", { list: undefined, complete: { author: foreign.authors } }),
    {},
    ({ href: uri }, { author }) => ({ contents: [{ uri, text: `by ${String(author)}` }] })
  )
  // The class has no pages of its own.
  server.server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => foreign.page(params?.cursor))
  const subscribed = new Set<string>()
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    subscribed.add(uri)
    return {}
  })
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscribed.delete(uri)
    happen(`${uri} was left`)
    return {}
  })

  server.registerPrompt(
    "greet",
    { argsSchema: { name: completable(z.string(), foreign.authors) } },
    ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }] })
  )
  return server
}
