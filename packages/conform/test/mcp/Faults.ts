/** Rules of both wires, each with what a server does that breaks it. */
import type * as Server from "./Server.ts"

type Message = Server.Message

/** Changes the results of a method. */
const results = (method: string, change: (result: Message, request: Message) => unknown): Server.Fault => ({
  say: (message, request) =>
    request?.["method"] === method && "result" in message
      ? [{ ...message, result: change(message["result"] as Message, request) }]
      : [message]
})

/** Answers some requests in place of the server. */
const answers = (
  isMeant: (message: Message) => boolean,
  answer: (message: Message) => ReadonlyArray<Message>
): Server.Fault => ({ hear: (message) => isMeant(message) ? answer(message) : undefined })

const result = ({ id }: Message, value: unknown): Message => ({ jsonrpc: "2.0", id, result: value })

const error = ({ id }: Message, code: number): Message => ({ jsonrpc: "2.0", id, error: { code, message: "no" } })

const isMethod = (method: string) => (message: Message) => message["method"] === method

const isModern = (message: Message) => JSON.stringify(message).includes("io.modelcontextprotocol/protocolVersion")

/** Whether a server says in its answer what it can do. */
const isIntroduction = (request: Message | undefined) =>
  request?.["method"] === "initialize" || request?.["method"] === "server/discover"

const declaring = (all: Message, capabilities: Message): Message => ({
  ...all,
  capabilities: { ...(all["capabilities"] as Message), ...capabilities }
})

/** Adds messages before the response to a method. */
const before = (method: string, ...more: ReadonlyArray<Message>): Server.Fault => ({
  say: (message, request) => request?.["method"] === method ? [...more, message] : [message]
})

const named = (method: string, name: string) => (message: Message) =>
  message["method"] === method &&
  ((message["params"] as Message)["name"] ?? (message["params"] as Message)["uri"]) === name

const notification = (method: string, params: Message = {}): Message => ({ jsonrpc: "2.0", method, params })

const without = (member: string) => ({ [member]: _, ...rest }: Message) => rest

const complete = { resultType: "complete", ttlMs: 0, cacheScope: "public" }

/** Rules of both wires. */
export const faults: ReadonlyArray<readonly [rule: string, fault: Server.Fault]> = [
  ["mcp/lifecycle/initialize", results("initialize", without("serverInfo"))],
  [
    "mcp/lifecycle/unknown-version",
    results("initialize", (all, { params }) => ({ ...all, protocolVersion: (params as Message)["protocolVersion"] }))
  ],
  [
    "mcp/lifecycle/known-version",
    results("initialize", (all, { params }) => ({
      ...all,
      protocolVersion: (params as Message)["protocolVersion"] === "2024-11-05" ? "1.0" : all["protocolVersion"]
    }))
  ],
  [
    "mcp/lifecycle/supported-version",
    results("initialize", (all, { params }) => ({
      ...all,
      protocolVersion: (params as Message)["protocolVersion"] === "1999-12-31" ? "2025-06-18" : "2025-11-25"
    }))
  ],
  ["mcp/discover/result", results("server/discover", (all) => ({ ...all, instructions: 7 }))],
  [
    "mcp/envelope/missing",
    answers(
      (message) => isModern(message) && !JSON.stringify(message).includes("clientCapabilities"),
      (message) => [result(message, { ...complete, supportedVersions: [], capabilities: {} })]
    )
  ],
  [
    "mcp/envelope/unsupported-version",
    answers(
      (message) => isModern(message) && JSON.stringify(message).includes("1999-12-31"),
      (message) => [error(message, -32602)]
    )
  ],
  ["mcp/ping/answered", answers(isMethod("ping"), (message) => [result(message, { pong: true })])],
  ["mcp/methods/unknown", answers(isMethod("parley/conform/unknown"), (message) => [error(message, -32603)])],
  [
    "mcp/methods/without-params",
    answers(
      (message) => message["method"] === "prompts/list" && !("params" in message),
      (message) => [error(message, -32602)]
    )
  ],
  ["mcp/capabilities/served", answers(isMethod("prompts/list"), (message) => [error(message, -32601)])],
  ["mcp/capabilities/undeclared", {
    say: (message, request) =>
      isIntroduction(request) && "result" in message
        ? [{ ...message, result: declaring(message["result"] as Message, { prompts: undefined }) }]
        : [message]
  }],
  ["mcp/capabilities/notified", {
    say: (message, request) => {
      if (request?.["method"] === "tools/list") return [notification("notifications/tools/list_changed"), message]
      return isIntroduction(request) && "result" in message
        ? [{ ...message, result: declaring(message["result"] as Message, { tools: {} }) }]
        : [message]
    }
  }],
  ["mcp/capabilities/requested", before("tools/call", { jsonrpc: "2.0", id: "q", method: "roots/list" })],
  ["mcp/capabilities/no-requests", before("tools/call", { jsonrpc: "2.0", id: "q", method: "roots/list" })],
  [
    "mcp/capabilities/input-requests",
    results("tools/call", () => ({
      resultType: "input_required",
      inputRequests: { roots: { method: "roots/list" } }
    }))
  ],
  ["mcp/pagination/ends", results("tools/list", (all) => ({ ...all, nextCursor: "again" }))],
  [
    "mcp/pagination/cache-scope",
    results("tools/list", (all) => ({
      ...all,
      cacheScope: "nextCursor" in all ? "public" : "private"
    }))
  ],
  [
    "mcp/tools/list",
    results("tools/list", (all) => ({
      ...all,
      tools: (all["tools"] as ReadonlyArray<Message>).map((tool) => ({ ...tool, inputSchema: { type: "array" } }))
    }))
  ],
  [
    "mcp/tools/unknown-refused",
    answers(
      named("tools/call", "parley_conform_unknown_tool"),
      (message) => [result(message, { ...complete, content: [] })]
    )
  ],
  ["mcp/tools/unknown-refused", { dies: named("tools/call", "parley_conform_unknown_tool") }],
  ["mcp/tools/result", results("tools/call", without("content"))],
  [
    "mcp/tools/output",
    results("tools/call", (all) => ({
      ...all,
      structuredContent: "structuredContent" in all ? { sum: "3" } : undefined
    }))
  ],
  ["mcp/tools/output", results("tools/call", without("structuredContent"))],
  [
    "mcp/tools/arguments",
    answers(
      (message) => message["method"] === "tools/call" && JSON.stringify(message).includes(`"arguments":{"b"`),
      (message) => [result(message, { ...complete, content: [], structuredContent: { sum: 1 } })]
    )
  ],
  ["mcp/tools/arguments", {
    dies: (message) => message["method"] === "tools/call" && JSON.stringify(message).includes(`"arguments":{"b"`)
  }],
  ["mcp/resources/list", results("resources/list", (all) => ({ ...all, resources: [{ uri: "note://welcome" }] }))],
  [
    "mcp/resources/templates",
    results("resources/templates/list", (all) => ({ ...all, resourceTemplates: [{ name: "x" }] }))
  ],
  ["mcp/resources/read", answers(named("resources/read", "note://welcome"), (message) => [error(message, -32602)])],
  [
    "mcp/resources/read",
    results("resources/read", (all) => ({ ...all, contents: [{ uri: "note://welcome", blob: "&" }] }))
  ],
  [
    "mcp/resources/unknown-refused",
    answers(
      named("resources/read", "parley-conform://nowhere/at-all"),
      (message) => [result(message, { ...complete, contents: [] })]
    )
  ],
  [
    "mcp/resources/unknown-params",
    answers(
      named("resources/read", "parley-conform://nowhere/at-all"),
      (message) => [error(message, -32002)]
    )
  ],
  ["mcp/resources/subscribe", answers(isMethod("resources/subscribe"), (message) => [error(message, -32603)])],
  ["mcp/resources/updates", before("resources/list", notification("notifications/resources/updated", { uri: "a:b" }))],
  ["mcp/prompts/list", results("prompts/list", (all) => ({ ...all, prompts: [{}] }))],
  ["mcp/prompts/get", results("prompts/get", without("messages"))],
  [
    "mcp/prompts/unknown-refused",
    answers(
      named("prompts/get", "parley_conform_unknown_prompt"),
      (message) => [result(message, { ...complete, messages: [] })]
    )
  ],
  [
    "mcp/logging/set-level",
    answers(
      (message) => JSON.stringify(message).includes(`"level":"alert"`),
      (message) => [error(message, -32602)]
    )
  ],
  ["mcp/logging/message", before("tools/call", notification("notifications/message", { level: "loud", data: 1 }))],
  ["mcp/logging/unasked", before("tools/call", notification("notifications/message", { level: "info", data: 1 }))],
  [
    "mcp/subscriptions/acknowledged",
    answers(isMethod("subscriptions/listen"), ({ id }) => [
      notification("notifications/resources/list_changed", { _meta: { "io.modelcontextprotocol/subscriptionId": id } })
    ])
  ],
  [
    "mcp/subscriptions/identified",
    answers(isMethod("subscriptions/listen"), () => [
      notification("notifications/subscriptions/acknowledged", { notifications: {} })
    ])
  ],
  ["mcp/cancellation/survives", { dies: isMethod("notifications/cancelled") }],
  ["mcp/messages/valid", {
    say: ({ jsonrpc: _, ...message }) => [message]
  }],
  ["mcp/messages/ids", {
    say: (message) => "result" in message ? [{ ...message, id: String(message["id"]) }] : [message]
  }],
  ["mcp/messages/ids", { say: (message) => "result" in message ? [message, message] : [message] }],
  [
    "mcp/progress/own-token",
    before(
      "tools/call",
      notification("notifications/progress", {
        progressToken: "of nobody",
        progress: 1
      })
    )
  ],
  ["mcp/progress/own-token", {
    say: (message) => {
      const params = message["params"] as Message
      return message["method"] === "notifications/progress"
        ? [{ ...message, params: { ...params, progressToken: String(params["progressToken"]) } }]
        : [message]
    }
  }],
  ["mcp/progress/increases", {
    say: (message) =>
      message["method"] === "notifications/progress"
        ? [{ ...message, params: { ...(message["params"] as Message), progress: 1 } }]
        : [message]
  }],
  ["mcp/progress/stops", {
    say: (message, request) => {
      const { progressToken } = ((request?.["params"] as Message | undefined)?.["_meta"] ?? {}) as Message
      return progressToken === undefined
        ? [message]
        : [message, notification("notifications/progress", { progressToken, progress: 9 })]
    }
  }],
  ["mcp/results/type", results("tools/list", without("resultType"))],
  ["mcp/results/cache-hints", results("resources/read", (all) => ({ ...all, ttlMs: -1 }))],
  ["mcp/errors/codes", answers(isMethod("prompts/get"), (message) => [error(message, -32042)])]
]
