/**
 * A server of the Model Context Protocol with tools alone, which keeps its specification, and its mutants.
 *
 * ```
 * node mcp.ts [--http] [--resources] [--batches] [--tasks] [--mutant NAME]
 * ```
 *
 * It serves the revisions 2025-11-25 and 2026-07-28, over stdio or, with `--http`, over streamable HTTP at the address that
 * it prints. With a mutant it breaks its specification in one way: README.md lists them.
 */
import { serve, write } from "./lines.ts"
import { errorOf, Failure, fallAtDepth, is, isObject, type Json, options, responsesOf, told } from "./options.ts"
import { batched, legacy, modern, prefix, type Send, Session, versionOf } from "./Session.ts"
import { listen as serveHttp } from "./streamable.ts"
import * as tasks from "./tasks.ts"
import { isUnchecked, misfit, type Tool, tools as ownTools } from "./tools.ts"

const serverInfo = { name: "parley-specimen", version: "1.0.0" }
const capabilities = {
  tools: {},
  ...(options.resources && { resources: {} }),
  ...(is("declared-unserved") && { prompts: {} })
}
const legacyCapabilities = {
  ...capabilities,
  ...(options.tasks && { tasks: { requests: { tools: { call: {} } } } })
}
const tools = is("tools-of-one-name") ? [...ownTools, ownTools[0]!] : ownTools

/** A request, and where it came from. */
interface Request {
  readonly id: unknown
  readonly method: string
  readonly params: Json
  readonly session: Session
  readonly send: Send
  readonly signal: AbortSignal
}

const pageSize = 2

const listTools = ({ params: { cursor }, send }: Request): Json => {
  if (is("list-changed-undeclared")) send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
  const page = cursor === undefined ? 0 : Number(/^page-([1-9]\d*)$/.exec(String(cursor))?.[1])
  const isPage = page * pageSize < tools.length && (cursor === undefined || typeof cursor === "string")
  if (!isPage && !is("cursor-endless") && !is("bad-cursor-accepted")) throw new Failure(-32602, "Unknown cursor")
  const at = isPage ? page * pageSize : 0
  const next = at + pageSize < tools.length ? `page-${page + 1}` : undefined
  const nextCursor = is("cursor-loop") ? next ?? "page-1" : is("cursor-endless") ? next ?? `page-${Date.now()}` : next
  return {
    tools: tools.slice(at, at + pageSize).map(({ isReadOnly, isTask, run: _, ...tool }) => ({
      ...tool,
      ...(options.tasks && isTask === true && { execution: { taskSupport: "optional" } }),
      annotations: { readOnlyHint: isReadOnly, openWorldHint: false }
    })),
    ...(nextCursor !== undefined && { nextCursor })
  }
}

const contentOf = (value: Json, { outputSchema }: Tool): Json => ({
  ...(!is("content-missing") && { content: [{ type: "text", text: String(value["text"] ?? JSON.stringify(value)) }] }),
  ...(outputSchema !== undefined && !is("structured-missing") && { structuredContent: value })
})

const refused = (reason: string): Json => ({ content: [{ type: "text", text: told(reason) }], isError: true })

const callTool = async ({ params, send, signal }: Request): Promise<Json> => {
  const { _meta: meta, arguments: input = {}, name } = params
  const tool = tools.find((tool) => tool.name === name)
  if (tool === undefined) {
    if (is("unknown-tool-fatal")) process.exit(1)
    if (is("unknown-tool-accepted")) return { content: [{ type: "text", text: "Done" }] }
    throw new Failure(-32602, `Unknown tool: ${JSON.stringify(name)}`)
  }
  if (!isObject(input)) throw new Failure(-32602, "arguments is no object")
  const reason = isUnchecked ? undefined : misfit(tool.inputSchema, input, "arguments")
  if (reason !== undefined) {
    if (is("misfit-fatal")) process.exit(1)
    return refused(reason)
  }
  if (is("asks-sampling")) {
    const messages = [{ role: "user", content: { type: "text", text: "Hello" } }]
    send({ jsonrpc: "2.0", id: "sample", method: "sampling/createMessage", params: { messages, maxTokens: 10 } })
  }
  const token = isObject(meta) ? meta["progressToken"] : undefined
  const progressToken = is("progress-token-foreign")
    ? "somebody-else"
    : is("progress-token-as-string") && token !== undefined
    ? String(token)
    : token
  const step = (progress: number, total: number): void => {
    if (progressToken === undefined || signal.aborted) return
    const params = { progressToken, progress: is("progress-backwards") ? total - progress : progress, total }
    send({ jsonrpc: "2.0", method: "notifications/progress", params })
  }
  try {
    return contentOf(await tool.run(input, step, signal), tool)
  } catch (error) {
    return refused((error as Error).message)
  }
}

/** Calls a tool as a task, where the client wants that and the tool can. */
const callAsTask = async (request: Request): Promise<Json> => {
  const { task, ...params } = request.params
  if (!options.tasks || task === undefined) return callTool(request)
  const tool = tools.find(({ name }) => name === params["name"])
  if (tool !== undefined && tool.isTask !== true && !is("task-of-any-tool")) {
    throw new Failure(-32601, `${tool.name} is no task`)
  }
  if (is("task-ignored")) return callTool(request)
  // A task outlives its request.
  const { signal } = new AbortController()
  return tasks.start(() => callTool({ ...request, params: { ...params, _meta: {} }, signal }))
}

const resources = new Map([["note://welcome", "Welcome"], ["note://about", "A specimen"]])

const readResource = ({ params: { uri } }: Request, isModern: boolean): Json => {
  const found = resources.get(String(uri))
  if (found === undefined && !is("unknown-resource-empty")) {
    throw new Failure(isModern ? -32602 : -32002, "Resource not found", { uri })
  }
  return { contents: found === undefined ? [] : [{ uri, mimeType: "text/plain", text: found }] }
}

const perform = async (request: Request, isModern: boolean): Promise<Json> => {
  const { method } = request
  if (method === "tools/list") return listTools(request)
  if (method === "tools/call") return isModern ? callTool(request) : callAsTask(request)
  if (options.tasks && !isModern && method.startsWith("tasks/")) return tasks.perform(method, request.params)
  if (options.resources) {
    if (method === "resources/read") return readResource(request, isModern)
    const isList = method === "resources/list" || method === "resources/templates/list"
    if (isList && request.params["cursor"] !== undefined) throw new Failure(-32602, "Unknown cursor")
    if (method === "resources/templates/list") return { resourceTemplates: [] }
    if (method === "resources/list") {
      return { resources: [...resources.keys()].map((uri) => ({ uri, name: uri, mimeType: "text/plain" })) }
    }
  }
  if (is("undeclared-served") && method === "prompts/list") return { prompts: [] }
  if (is("unknown-method-accepted")) return {}
  throw new Failure(is("unknown-method-code") ? -32603 : -32601, `Unknown method: ${JSON.stringify(method)}`)
}

const initialize = ({ params: { protocolVersion }, session }: Request): Json => {
  if (typeof protocolVersion !== "string") throw new Failure(-32602, "protocolVersion is no string")
  session.isInitialized = true
  session.revision = options.batches && protocolVersion === batched ? batched : legacy
  return {
    protocolVersion: is("unknown-version-echoed") ? protocolVersion : session.revision,
    capabilities: legacyCapabilities,
    ...(!is("server-info-missing") && { serverInfo })
  }
}

const performLegacy = async (request: Request): Promise<Json> => {
  if (request.method === "initialize") return initialize(request)
  if (request.method === "ping") return is("ping-unanswered") ? new Promise(() => undefined) : {}
  if (!request.session.isInitialized && /^(?:tools|resources|subscriptions|server)\//.test(request.method)) {
    throw new Failure(-32602, "No initialize has come, and _meta has no version")
  }
  return perform(request, false)
}

/** No list of this server changes: a subscription has nothing to tell, and ends with its request. */
const subscribe = ({ id, send, signal }: Request): Promise<Json> => {
  const params = { _meta: { [`${prefix}subscriptionId`]: id }, notifications: {} }
  send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params })
  return new Promise((done) => signal.addEventListener("abort", () => done({})))
}

const cached = /^(?:server\/discover|tools\/list|resources\/.+)$/

const performModern = async (request: Request): Promise<Json> => {
  const { method, params } = request
  const meta = isObject(params["_meta"]) ? params["_meta"] : {}
  const requested = versionOf(params)
  if (requested !== modern && !is("unsupported-version-accepted")) {
    throw new Failure(-32022, "Unsupported protocol version", { supported: [modern, legacy], requested })
  }
  if (!isObject(meta[`${prefix}clientCapabilities`])) throw new Failure(-32602, "_meta has no clientCapabilities")
  const result = method === "server/discover"
    ? { supportedVersions: [modern, legacy], capabilities }
    : method === "subscriptions/listen"
    ? await subscribe(request)
    : await perform(request, true)
  return {
    ...result,
    ...(!is("result-type-missing") && { resultType: "complete" }),
    ...(cached.test(method) && !is("cache-hints-missing") && { ttlMs: 0, cacheScope: "public" }),
    _meta: { [`${prefix}serverInfo`]: serverInfo }
  }
}

const isId = (id: unknown): boolean => typeof id === "string" || (typeof id === "number" && Number.isFinite(id))

/** Reads a message and answers it. It ends when nothing more comes for the message. */
const receive = async (source: string, session: Session, send: Send): Promise<void> => {
  const answer = (id: unknown, outcome: Parameters<typeof responsesOf>[1]) => responsesOf(id, outcome).forEach(send)
  let message: unknown
  try {
    message = JSON.parse(source)
  } catch {
    if (is("parse-error-fatal")) process.exit(1)
    return is("parse-error-silent") ? undefined : answer(undefined, errorOf(-32700, "Parse error"))
  }
  if (is("deep-json-fatal")) fallAtDepth(message)
  if (is("large-message-hangs") && source.length > 50_000) return new Promise(() => undefined)
  if (Array.isArray(message) && message.length > 0 && session.revision === batched) {
    return is("batch-dropped") ? undefined : receiveAll(message, session, send)
  }
  if (!isObject(message)) return answer(undefined, errorOf(-32600, "The message is no object"))
  const { id, method, params = {} } = message
  const hasId = Object.hasOwn(message, "id") && !(is("id-zero-ignored") && id === 0)
  if (method === undefined && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))) return
  if (message["jsonrpc"] !== "2.0" || typeof method !== "string" || (hasId && !isId(id)) || !isObject(params)) {
    return answer(hasId && isId(id) ? id : undefined, errorOf(-32600, "The message is no request of JSON-RPC 2.0"))
  }
  if (!hasId) {
    if (method === "notifications/cancelled") {
      if (is("cancellation-fatal")) process.exit(1)
      const cancelled = is("cancellation-of-all")
        ? [...session.running.values()]
        : [session.running.get(params["requestId"])]
      cancelled.forEach((controller) => controller?.abort())
    }
    return is("notification-answered") ? answer(undefined, { result: {} }) : undefined
  }
  const controller = new AbortController()
  session.running.set(id, controller)
  const request = { id, method, params, session, send, signal: controller.signal }
  const isBare = is("params-demanded") && message["params"] === undefined && method.endsWith("/list")
  const performed = isBare
    ? Promise.reject(new Failure(-32602, "params is no object"))
    : versionOf(params) === undefined
    ? performLegacy(request)
    : performModern(request)
  const outcome = await performed.then(
    (result) => ({ result }),
    (error: unknown) =>
      error instanceof Failure ? errorOf(error.code, error.message, error.data) : errorOf(-32603, "Internal error")
  )
  session.running.delete(id)
  if (controller.signal.aborted && !is("cancelled-answered")) return
  answer(id, outcome)
  const progressToken = isObject(params["_meta"]) ? params["_meta"]["progressToken"] : undefined
  if (is("progress-after-result") && progressToken !== undefined) {
    send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1000 } })
  }
}

/** Answers a batch with a batch, when all is done. */
const receiveAll = async (messages: Array<unknown>, session: Session, send: Send): Promise<void> => {
  const responses: Array<Json> = []
  const collect: Send = (message) =>
    isObject(message) && message["method"] === undefined ? void responses.push(message) : send(message)
  await Promise.all(messages.map((message) => receive(JSON.stringify(message), session, collect)))
  if (responses.length > 0) send(responses)
}

if (options.http) serveHttp(receive)
else {
  const session = new Session()
  serve(
    (line) => void receive(line, session, write),
    responsesOf(undefined, errorOf(-32600, "The line is too long"))[0]!
  )
}
