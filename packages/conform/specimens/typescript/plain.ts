/**
 * A server of plain JSON-RPC 2.0 which keeps its specification and describes itself with `rpc.discover`, and its mutants.
 *
 * ```
 * node plain.ts [--http] [--mutant NAME]
 * ```
 *
 * It serves stdio, one message in one line, or with `--http` the address that it prints. With a mutant it breaks its
 * specification in one way: README.md lists them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { serve, write } from "./lines.ts"
import { errorOf, Failure, fallAtDepth, is, isObject, type Json, options, responsesOf } from "./options.ts"
import { isUnchecked, misfit, type Tool, tools } from "./tools.ts"

const most = 8 * 1024 * 1024

const parametersOf = ({ inputSchema }: Tool): Array<[name: string, schema: unknown]> =>
  Object.entries(inputSchema["properties"] ?? {})

/** The OpenRPC document. */
const document = {
  openrpc: "1.3.2",
  info: { title: "Parley specimen", version: "1.0.0" },
  methods: tools.map((tool) => ({
    name: tool.name,
    summary: tool.description,
    paramStructure: tool.name === "add" ? "by-name" : "either",
    params: parametersOf(tool).map(([name, schema]) => ({
      name,
      required: (tool.inputSchema["required"] as Array<string> | undefined)?.includes(name) ?? false,
      schema
    })),
    result: { name: "result", schema: tool.outputSchema ?? { type: "object" } },
    "x-read-only": tool.isReadOnly
  }))
}

const perform = async (method: string, params: unknown): Promise<unknown> => {
  if (method === "rpc.discover") return document
  const tool = tools.find(({ name }) => name === method)
  if (tool === undefined) {
    if (is("unknown-method-accepted")) return null
    throw new Failure(is("unknown-method-code") ? -32603 : -32601, `Unknown method: ${JSON.stringify(method)}`)
  }
  const names = parametersOf(tool).map(([name]) => name)
  if (Array.isArray(params) && params.length > names.length) throw new Failure(-32602, "There are too many params")
  const input = Array.isArray(params)
    ? Object.fromEntries(params.map((value, at) => [names[at], value]))
    : is("named-params-ignored")
    ? {}
    : params as Json
  const reason = isUnchecked ? undefined : misfit(tool.inputSchema, input, "params")
  if (reason !== undefined) {
    if (is("misfit-fatal")) process.exit(1)
    throw new Failure(is("misfit-code") ? -32603 : -32602, reason)
  }
  try {
    return await tool.run(input, () => undefined, new AbortController().signal)
  } catch (error) {
    throw new Failure(404, (error as Error).message)
  }
}

const isId = (id: unknown): boolean =>
  id === null || typeof id === "string" || (typeof id === "number" && Number.isFinite(id))

/** The responses to one message of a batch, or to one that stands alone. */
const answersOf = async (message: unknown): Promise<Array<Json>> => {
  if (!isObject(message)) return responsesOf(null, errorOf(-32600, "The message is no object"))
  const { id, method, params = {} } = message
  const hasId = Object.hasOwn(message, "id") && !(is("id-zero-ignored") && id === 0)
  if (method === undefined && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))) return []
  if (
    message["jsonrpc"] !== "2.0" || typeof method !== "string" || (hasId && !isId(id)) ||
    !(isObject(params) || Array.isArray(params))
  ) {
    return responsesOf(hasId && isId(id) ? id : null, errorOf(-32600, "The message is no request of JSON-RPC 2.0"))
  }
  const outcome = await perform(method, params).then(
    (result) => ({ result }),
    (error: unknown) =>
      error instanceof Failure ? errorOf(error.code, error.message) : errorOf(-32603, "Internal error")
  )
  if (!hasId) return is("notification-answered") ? responsesOf(null, outcome) : []
  return responsesOf(id, outcome)
}

/** Reads a text, and sends what answers it: nothing, one value, or with some mutants several. */
const receive = async (source: string, send: (value: unknown) => void): Promise<void> => {
  let message: unknown
  try {
    message = JSON.parse(source)
  } catch {
    if (is("parse-error-fatal")) process.exit(1)
    return is("parse-error-silent") ? undefined : responsesOf(null, errorOf(-32700, "Parse error")).forEach(send)
  }
  if (is("deep-json-fatal")) fallAtDepth(message)
  if (is("large-message-hangs") && source.length > 50_000) return new Promise(() => undefined)
  if (!Array.isArray(message)) return (await answersOf(message)).forEach(send)
  if (message.length === 0) {
    return is("batch-empty-silent") ? undefined : responsesOf(null, errorOf(-32600, "The batch is empty")).forEach(send)
  }
  if (is("batch-refused")) return responsesOf(null, errorOf(-32600, "The message is no object")).forEach(send)
  const answers = (await Promise.all(message.map(answersOf))).flat()
  if (is("batch-one-by-one")) answers.forEach(send)
  else if (answers.length > 0 || is("batch-of-notifications-answered")) send(answers)
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const end = (status: number, body?: string) => {
    const type = is("content-type-wrong") ? "text/plain" : "application/json"
    response.writeHead(status, body === undefined ? {} : { "content-type": type }).end(body)
  }
  if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end()
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) return end(415)
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    // The rest is read, too: a client that still writes does not read the answer.
    if (size <= most) chunks.push(chunk)
  }
  if (size > most) return end(413)
  const texts: Array<string> = []
  await receive(Buffer.concat(chunks).toString("utf8"), (value) => texts.push(JSON.stringify(value)))
  return texts.length === 0 ? end(204) : end(200, texts.join("\n"))
}

if (options.http) {
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`http://127.0.0.1:${port}/\n`)
  })
} else {
  serve(
    (line) => void receive(line, write),
    responsesOf(null, errorOf(-32600, "The line is too long"))[0]!
  )
}
