import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
const [how, ...rest] = process.argv.slice(2)
const t0 = how === "http"
  ? new StreamableHTTPClientTransport(new URL(rest[0]))
  : new StdioClientTransport({ command: rest[0], args: rest.slice(1), stderr: "inherit" })
const client = new Client({ name: "probe", version: "1.0.0" }, {
  capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } }
})
const log = []
client.setRequestHandler(
  CreateMessageRequestSchema,
  async () => ({ role: "assistant", content: { type: "text", text: "heard" }, model: "none" })
)
client.setRequestHandler(
  ElicitRequestSchema,
  async () => ({ action: "accept", content: { name: "Ada", check: true, integer: 7 } })
)
client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: "file:///home/ada", name: "home" }] }))
const transport = t0
const send = transport.send.bind(transport)
transport.send = (m, o) => {
  log.push(["->", m])
  return send(m, o)
}
await client.connect(transport)
const on = transport.onmessage
transport.onmessage = (m, e) => {
  log.push(["<-", m])
  on(m, e)
}
const args = {
  echo: { message: "hi" },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-resource-links": { count: 3 },
  "get-resource-reference": { resourceType: "Text", resourceId: 2 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 1, b: 2 },
  "gzip-file-as-resource": { name: "a.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
  "trigger-long-running-operation": { duration: 0.2, steps: 4 },
  "trigger-sampling-request": { prompt: "well?", maxTokens: 5 }
}
const t = await client.listTools()
for (const { name } of t.tools) {
  if (/research|toggle/.test(name)) continue
  try {
    await client.callTool({ name, arguments: args[name] ?? {} }, undefined, {
      onprogress: (p) => log.push(["progress", p])
    })
  } catch (e) {
    log.push(["error", String(e.message)])
  }
}
await client.listResources()
await client.listPrompts()
await client.listResourceTemplates()
try {
  await client.getPrompt({ name: "args-prompt", arguments: { city: "Paris" } })
} catch (e) {
  log.push(["error", String(e.message)])
}
try {
  await client.readResource({ uri: "demo://resource/dynamic/text/1" })
} catch (e) {
  log.push(["error", String(e.message)])
}
await client.close()
for (const [d, m] of log) console.log(d, JSON.stringify(m))
