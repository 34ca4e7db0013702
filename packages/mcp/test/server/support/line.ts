/**
 * A server behind a line of raw JSON: what a test writes is what travels, and every message of the server is held
 * against what is published of its revision.
 */
import type { CallerInfo } from "@parley/mcp/McpContext"
import * as McpServer from "@parley/mcp/McpServer"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Cause, Effect, Fiber, Queue, type Schema, type Scope } from "effect"
import { fault } from "../../wire/support/published.ts"

export type Json = Schema.JsonObject

/** One message of the server, as it came. */
export interface Said {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Json
  readonly result?: Json
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Schema.Json }
}

export interface Line {
  /** Writes a message, or whatever is given. */
  readonly write: (message: Json | ReadonlyArray<Json> | string) => Effect.Effect<void>
  /** The next message of the server. */
  readonly next: Effect.Effect<Said>
  /** A request and its response. What comes before it is kept in `aside`. */
  readonly ask: (method: string, params?: Json) => Effect.Effect<Said>
  /** The result of a request. */
  readonly result: (method: string, params?: Json) => Effect.Effect<Json>
  /** The error of a request. */
  readonly refusal: (method: string, params?: Json) => Effect.Effect<NonNullable<Said["error"]>>
  /** Messages that came while a response was waited for. */
  readonly aside: Array<Said>
  /** Ends the input of the server. */
  readonly close: Effect.Effect<void>
  /** Waits until the server is done with the line. */
  readonly ended: Effect.Effect<string>
}

/** At the end of a test the clock stands still, so that nothing may be waited for. */
const impatient = { drain: 0 }

export const open = Effect.fnUntraced(function*(
  server: McpServer.McpServer,
  options: {
    readonly revision?: Revision | undefined
    readonly caller?: CallerInfo | undefined
    readonly progressGap?: McpServer.ServeOptions["progressGap"]
  } = {}
): Effect.fn.Return<Line, never, Scope.Scope> {
  const [near, far] = yield* MemoryTransport.makePair({ capacity: 64 * 1024 * 1024 })
  const said = yield* Queue.unbounded<Said>()
  const serving = yield* McpServer.serveWith({
    limits: impatient,
    caller: options.caller,
    progressGap: options.progressGap ?? 0
  }).pipe(
    Effect.provideService(Transport, far),
    Effect.provideService(McpServer.McpServer, server),
    Effect.forkScoped({ startImmediately: true })
  )
  const methods = new Map<string | number, string>()
  let revision = options.revision
  const check = (message: Said) => {
    if (message.result !== undefined && typeof message.result["protocolVersion"] === "string") {
      // The server has just said so.
      revision = message.result["protocolVersion"] as Revision
    }
    const method = message.method ?? methods.get(message.id ?? "")
    const wrong = revision === undefined || method === undefined ? undefined : faultOf(revision, method, message)
    if (wrong === undefined) return
    const fault = new Error(`${method} in ${revision}: ${wrong}: ${JSON.stringify(message)}`)
    Queue.failCauseUnsafe(said, Cause.die(fault))
  }
  yield* Effect.forkScoped(Effect.forever(Effect.tap(near.receive, (texts) =>
    Effect.sync(() => {
      for (const text of texts) {
        const parsed: Said | ReadonlyArray<Said> = JSON.parse(String(text))
        for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
          check(message)
          Queue.offerUnsafe(said, message)
        }
      }
    }))))
  const next = Queue.take(said)
  const aside: Array<Said> = []
  let id = 0
  const write: Line["write"] = (message) =>
    Effect.suspend(() => {
      const messages = typeof message === "string" ? [] : [message].flat()
      for (const one of messages) {
        if (typeof one["method"] === "string" && one["id"] !== undefined) {
          methods.set(one["id"] as string | number, one["method"])
        }
      }
      return Effect.orDie(near.send([typeof message === "string" ? message : JSON.stringify(message)]))
    })
  const until = (id: number): Effect.Effect<Said> =>
    Effect.flatMap(next, (message) => {
      if (message.id === id && message.method === undefined) return Effect.succeed(message)
      aside.push(message)
      return until(id)
    })
  const ask: Line["ask"] = (method, params) =>
    Effect.suspend(() => {
      const own = ++id
      const message = { jsonrpc: "2.0", id: own, method }
      return Effect.andThen(write(params === undefined ? message : { ...message, params }), until(own))
    })
  return {
    write,
    next,
    ask,
    result: (method, params) =>
      Effect.flatMap(
        ask(method, params),
        ({ error, result }) =>
          result === undefined ? Effect.die(new Error(`${method}: ${JSON.stringify(error)}`)) : Effect.succeed(result)
      ),
    refusal: (method, params) =>
      Effect.flatMap(
        ask(method, params),
        ({ error, result }) =>
          error === undefined ? Effect.die(new Error(`${method}: ${JSON.stringify(result)}`)) : Effect.succeed(error)
      ),
    aside,
    close: near.close,
    ended: Effect.map(Fiber.join(serving), ({ _tag }) => _tag)
  }
})

/** What the messages of a method are called. */
const results: { readonly [method: string]: string } = {
  initialize: "InitializeResult",
  ping: "EmptyResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "logging/setLevel": "EmptyResult",
  "server/discover": "DiscoverResult",
  "tasks/get": "GetTaskResult",
  "tasks/cancel": "CancelTaskResult",
  "tasks/result": "CallToolResult",
  "tasks/list": "ListTasksResult"
}

const notifications: { readonly [method: string]: string } = {
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "notifications/prompts/list_changed": "PromptListChangedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/resources/updated": "ResourceUpdatedNotification",
  "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
  "notifications/tasks/status": "TaskStatusNotification",
  "notifications/cancelled": "CancelledNotification",
  "tasks/get": "GetTaskRequest",
  "tasks/result": "GetTaskPayloadRequest",
  "tasks/cancel": "CancelTaskRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "elicitation/create": "ElicitRequest",
  "roots/list": "ListRootsRequest"
}

/** The kinds of results that the specification itself has; older revisions have one, without a name. */
const kinds: ReadonlySet<unknown> = new Set([undefined, "complete", "input_required"])

const faultOf = (revision: Revision, method: string, message: Said): string | undefined => {
  if (message.result !== undefined) {
    const { resultType, task } = message.result
    // Extensions are in no file of the specification.
    const isExtended = !kinds.has(resultType) || (method.startsWith("tasks/") && resultType !== undefined)
    if (isExtended) return undefined
    const asks = resultType === "input_required"
    const name = asks ? "InputRequiredResult" : task === undefined ? results[method] : "CreateTaskResult"
    return name === undefined ? undefined : fault(revision, { published: name, sdk: undefined }, message.result)
  }
  if (message.error !== undefined || method === "notifications/tasks") return undefined
  const published = notifications[method]
  return published === undefined ? `nobody knows ${method}` : fault(revision, { published, sdk: undefined }, message)
}

/** The modern `_meta` of a request. */
export const meta = (more: Json = {}): Json => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
  ...more
})

/** The params of a modern request. */
export const modern = (params: Json = {}, more: Json = {}): Json => ({ ...params, _meta: meta(more) })

/** Shakes hands. */
export const greet = Effect.fnUntraced(function*(line: Line, revision: Revision, capabilities: Json = {}) {
  const result = yield* line.result("initialize", {
    protocolVersion: revision,
    capabilities,
    clientInfo: { name: "test", version: "1" }
  })
  yield* line.write({ jsonrpc: "2.0", method: "notifications/initialized" })
  return result
})

/** A line on which the revision is agreed on, and the params of a request on it. */
export const spoken = Effect.fnUntraced(function*(
  server: McpServer.McpServer,
  revision: Revision,
  capabilities: Json = {}
) {
  const line = yield* open(server, { revision })
  const isModern = revision === "2026-07-28"
  if (!isModern) yield* greet(line, revision, capabilities)
  const params = (params: Json = {}): Json =>
    isModern ? modern(params, { "io.modelcontextprotocol/clientCapabilities": capabilities }) : params
  return { line, params }
})
