/** Everything that `@modelcontextprotocol/server-everything` does for a client, as one value. */
import type * as McpClient from "@parley/mcp/McpClient"
import * as Content from "@parley/mcp/payload/Content"
import { Effect, type Schema } from "effect"

const args: { readonly [tool: string]: Schema.JsonObject } = {
  echo: { message: "hi" },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-resource-links": { count: 3 },
  "get-resource-reference": { resourceType: "Text", resourceId: 2 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 1, b: 2 },
  "gzip-file-as-resource": { name: "a.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
  "simulate-research-query": { topic: "gateways" },
  "trigger-long-running-operation": { duration: 0.1, steps: 5 },
  "trigger-sampling-request": { prompt: "well?", maxTokens: 5 }
}

/** Answers as one who always says the same. */
export const handlers = {
  elicit: () => Effect.succeed({ action: "accept" as const, content: { name: "Ada", check: true, integer: 7 } }),
  elicitUrl: () => Effect.succeed({ action: "decline" as const }),
  sample: () => Effect.succeed({ role: "assistant" as const, content: Content.text("heard"), model: "none" }),
  roots: Effect.succeed([{ uri: "file:///home/ada", name: "home" }])
}

/** What each revision says of itself, and what no two runs have in common. */
const passing = new Set([
  "resultType",
  "ttlMs",
  "cacheScope",
  // Of tools: whether their calls are tasks, for which the modern era has no word.
  "execution",
  "id",
  "taskId",
  "io.modelcontextprotocol/serverInfo"
])

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, one: unknown) => {
      if (passing.has(key)) return undefined
      if (
        key === "_meta" && typeof one === "object" && one !== null &&
        Object.keys(one).every((name) => passing.has(name))
      ) {
        return undefined
      }
      return typeof one === "string"
        ? one.replace(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, "TIME").replace(
          /elicit\w*-[\w-]{8,}|[\da-f]{8}-[\da-f-]{27}/g,
          "ID"
        )
        : one
    })
  )

const outcome = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onSuccess: (value) => ({ value }), onFailure: (error) => ({ error }) })

const bytes = /^[A-Za-z\d+/=]{40,}$/

/** Calls every tool, reads every resource, gets every prompt, and completes what can be completed. */
export const of = (client: McpClient.McpClient) =>
  Effect.gen(function*() {
    const told: Record<string, unknown> = {}
    const tools = (yield* client.listTools()).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    told["tools"] = tools
    for (const { name } of tools) {
      const progress: Array<unknown> = []
      const result = yield* outcome(
        client.callTool(name, args[name] ?? {}, { onProgress: (one) => void progress.push(one) })
      )
      told[`tool ${name}`] = { result, progress }
    }
    const resources = yield* client.listResources()
    told["resources"] = resources
    told["templates"] = yield* client.listResourceTemplates()
    const uris = [
      ...resources.map(({ uri }) => uri),
      "demo://resource/dynamic/text/3",
      "demo://resource/dynamic/blob/3",
      "demo://resource/none"
    ]
    for (const uri of uris) {
      const read = yield* outcome(client.readResource(uri))
      told[`resource ${uri}`] = JSON.parse(
        JSON.stringify(read, (_, one: unknown) => {
          // The blobs of these have the time in them.
          return typeof one === "string" && bytes.test(one) ? `${one.length} characters` : one
        })
      )
    }
    const prompts = yield* client.listPrompts()
    told["prompts"] = prompts
    for (const { arguments: given = [], name } of prompts) {
      const filled = Object.fromEntries(
        given.map(({ name }) => [name, name === "resourceId" ? "1" : name === "resourceType" ? "Text" : "Engineering"])
      )
      told[`prompt ${name}`] = yield* outcome(client.getPrompt(name, given.length === 0 ? undefined : filled))
      for (const argument of given) {
        told[`completion ${name} ${argument.name}`] = yield* outcome(
          client.complete({ _tag: "Prompt", name }, { name: argument.name, value: "E" })
        )
      }
    }
    return plain(told)
  })
