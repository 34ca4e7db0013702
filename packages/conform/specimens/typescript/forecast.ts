/**
 * A server of the Model Context Protocol with one tool over streamable HTTP, as people write them. It is correct but for one
 * defect: it never looks at `Origin` and `Host`, so any web site can speak to it. A suite that asks every server for all
 * features of the protocol buries this one among features that the server never declared.
 *
 * ```
 * node forecast.ts
 * ```
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

type Json = Record<string, unknown>

const version = "2025-11-25"
const most = 4 * 1024 * 1024

const tool = {
  name: "get_forecast",
  description: "Tells tomorrow's weather of a city.",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string", minLength: 1, maxLength: 100 } },
    required: ["city"],
    additionalProperties: false
  },
  outputSchema: {
    type: "object",
    properties: { city: { type: "string" }, celsius: { type: "number" } },
    required: ["city", "celsius"]
  },
  annotations: { readOnlyHint: true }
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const failed = (code: number, message: string) => ({ error: { code, message } })

const call = ({ arguments: input = {}, name }: Json) => {
  if (name !== tool.name) return failed(-32602, "Unknown tool")
  const { city, ...others } = isObject(input) ? input : {}
  const isRight = typeof city === "string" && city !== "" && [...city].length <= 100 && Object.keys(others).length === 0
  if (!isRight) return { result: { content: [{ type: "text", text: "city has to be a name" }], isError: true } }
  const structuredContent = { city, celsius: city.length % 30 }
  return { result: { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent } }
}

const perform = (method: string, params: Json) => {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: version,
          capabilities: { tools: {} },
          serverInfo: { name: "forecast", version: "1.0.0" }
        }
      }
    case "ping":
      return { result: {} }
    case "tools/list":
      return params["cursor"] === undefined ? { result: { tools: [tool] } } : failed(-32602, "There is one page")
    case "tools/call":
      return call(params)
    default:
      return failed(-32601, "Method not found")
  }
}

/** The status and the answer of a posted text. */
const answerOf = (source: string): readonly [status: number, answer?: Json] => {
  let message: unknown
  try {
    message = JSON.parse(source)
  } catch {
    return [400, { jsonrpc: "2.0", ...failed(-32700, "Parse error") }]
  }
  const { id, jsonrpc, method, params = {} } = isObject(message) ? message : {}
  const isId = typeof id === "string" || typeof id === "number"
  if (jsonrpc !== "2.0" || (id !== undefined && !isId) || !isObject(params)) {
    return [400, { jsonrpc: "2.0", ...(isId && { id }), ...failed(-32600, "Invalid request") }]
  }
  const isResponse = method === undefined && isObject(message) && ("result" in message || "error" in message)
  if (isResponse || (id === undefined && typeof method === "string")) return [202]
  if (typeof method !== "string") {
    return [400, { jsonrpc: "2.0", ...(isId && { id }), ...failed(-32600, "Invalid request") }]
  }
  return [200, { jsonrpc: "2.0", id, ...perform(method, params) }]
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
  if (request.url !== "/mcp") return response.writeHead(404).end()
  if (request.method !== "POST") return response.writeHead(405, { allow: "POST" }).end()
  const asked = request.headers["mcp-protocol-version"] ?? version
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) if ((size += chunk.length) <= most) chunks.push(chunk)
  if (size > most) return response.writeHead(413).end()
  if (asked !== version) return response.writeHead(400).end()
  const [status, answer] = answerOf(Buffer.concat(chunks).toString("utf8"))
  if (answer === undefined) return response.writeHead(status).end()
  return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
}

const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`)
})
