/** A server of the official SDK, version 2, with what the tests of clients want to see, in both eras. */
import * as v2 from "@modelcontextprotocol/server"
import * as z from "zod"
import * as foreign from "./foreign.ts"
import type { Occasions } from "./occasions.ts"

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

/** Whether a request is one of the modern era. */
const isModern = ({ mcpReq }: v2.ServerContext) => mcpReq.envelope !== undefined

/** How one who has asked for changes hears of them, where no server has a connection of its own. */
export interface Publish {
  readonly resourceUpdated: (uri: string) => void
  readonly toolsChanged: () => void
}

export const make = ({ happen, wait }: Occasions, publish?: () => Publish): v2.McpServer => {
  const server = new v2.McpServer({ name: "v2", version: "2" }, {
    capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } },
    instructions: foreign.instructions
  })

  server.registerTool(
    "echo",
    { title: "Echo", inputSchema: z.object({ text: z.string() }) },
    ({ text: said }) => text(said)
  )
  server.registerTool(
    "add",
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...text("a sum"), structuredContent: { sum: a + b } })
  )
  server.registerTool("picture", {}, () => ({
    content: [
      { type: "image" as const, data: foreign.pixel, mimeType: "image/png" },
      { type: "resource_link" as const, uri: "text://greeting", name: "greeting" }
    ]
  }))
  server.registerTool("refuse", {}, () => ({ ...text("not today"), isError: true }))

  server.registerTool("count", { inputSchema: z.object({ to: z.number() }) }, async ({ to }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken === undefined) return text("nobody counts")
    for (let progress = 1; progress <= to; progress++) {
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: to, message: `step ${progress}` }
      })
    }
    return text(`${to} steps`)
  })
  server.registerTool("say", { inputSchema: z.object({ text: z.string() }) }, async ({ text: data }, { mcpReq }) => {
    await mcpReq.log("debug", data, "foreign")
    await mcpReq.log("warning", data, "foreign")
    return text("said")
  })
  server.registerTool("wait", { inputSchema: z.object({ name: z.string() }) }, ({ name }, { mcpReq }) => {
    happen(`${name} began`)
    return new Promise((resolve) => {
      mcpReq.signal.addEventListener("abort", () => {
        happen(`${name} was interrupted`)
        resolve(text("too late"))
      })
    })
  })
  server.registerTool("until", { inputSchema: z.object({ happens: z.string() }) }, async ({ happens }) => {
    await wait(happens)
    return text(happens)
  })

  server.registerTool("askForm", { inputSchema: z.object({ message: z.string() }) }, async ({ message }, context) => {
    const params = { message, requestedSchema: foreign.form }
    if (!isModern(context)) return text(JSON.stringify(await context.mcpReq.elicitInput(params)))
    const answer = v2.inputResponse(context.mcpReq.inputResponses, "form")
    if (answer.kind !== "elicit") {
      return v2.inputRequired({ inputRequests: { form: v2.inputRequired.elicit(params) } })
    }
    const { action, content } = answer
    return text(JSON.stringify({ action, content }))
  })
  server.registerTool("askModel", {}, async (context) => {
    const params = { messages: foreign.question, maxTokens: 10 }
    const said = ({ content, model }: { readonly content: unknown; readonly model: string }) =>
      text(`${model}: ${JSON.stringify(content)}`)
    if (!isModern(context)) return said(await context.mcpReq.requestSampling(params))
    const answer = v2.inputResponse(context.mcpReq.inputResponses, "words")
    return answer.kind === "sampling"
      ? said(answer.result)
      : v2.inputRequired({ inputRequests: { words: v2.inputRequired.createMessage(params) }, requestState: "asked" })
  })
  server.registerTool("askRoots", {}, async (context) => {
    if (!isModern(context)) return text(JSON.stringify((await server.server.listRoots()).roots))
    const answer = v2.inputResponse(context.mcpReq.inputResponses, "roots")
    return answer.kind === "roots"
      ? text(JSON.stringify(answer.roots))
      : v2.inputRequired({ inputRequests: { roots: v2.inputRequired.listRoots() } })
  })

  const subscribed = new Set<string>()
  server.registerTool("touch", { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }, context) => {
    if (publish !== undefined) publish().resourceUpdated(uri)
    else if (isModern(context) || subscribed.has(uri)) await server.server.sendResourceUpdated({ uri })
    return text("touched")
  })
  server.registerTool("grow", {}, () => {
    server.registerTool("extra", {}, () => text("more"))
    publish?.().toolsChanged()
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
    new v2.ResourceTemplate("note://{author}", { list: undefined, complete: { author: foreign.authors } }),
    {},
    ({ href: uri }, { author }) => ({ contents: [{ uri, text: `by ${String(author)}` }] })
  )
  // The class has no pages of its own.
  server.server.setRequestHandler("resources/list", ({ params }) => foreign.page(params?.cursor))
  server.server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    subscribed.add(uri)
    return {}
  })
  server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri)
    happen(`${uri} was left`)
    return {}
  })

  server.registerPrompt(
    "greet",
    { argsSchema: z.object({ name: v2.completable(z.string(), foreign.authors) }) },
    ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }] })
  )
  return server
}
