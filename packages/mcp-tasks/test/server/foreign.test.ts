/** The official client of tasks, in both generations, and that of the first SDK: they drive tasks of ours over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client"
import { bindTaskReceiver } from "@modelcontextprotocol/ext-tasks/receiver"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Logger, Schema } from "effect"
import { node } from "./support.ts"

const pollInterval = "50 millis"

const features = [
  McpTool.make(
    "compute",
    { params: { n: Schema.Int }, extensions: [McpTasks.optional({ pollInterval })] },
    ({ n }, call) =>
      Effect.gen(function*() {
        yield* call.progress({ progress: 1, total: 2, message: "half of it" })
        yield* Effect.sleep("200 millis")
        return `${n} as ${call.task === undefined ? "a request" : "a task"}`
      })
  ),
  McpTool.make("asks", { extensions: [McpTasks.required({ pollInterval })] }, (_, call) =>
    Effect.map(
      call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
      (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
    )),
  McpTool.make("hangs", { extensions: [McpTasks.required({ pollInterval })] }, () => Effect.never),
  McpTool.make("fails", { extensions: [McpTasks.required({ pollInterval })] }, () => Effect.fail(new Error("it broke")))
]

const poet = McpTool.make("poet", {}, (_, call) =>
  Effect.map(
    call.sample(
      "poem",
      { messages: [{ role: "user", content: Content.text("A poem") }], maxTokens: 9 },
      { via: McpTasks.asTask }
    ),
    ({ model }) => model
  ))

const served = Effect.gen(function*() {
  const { server } = yield* node([...features, poet])
  const endpoint = yield* McpHttp.endpoint(server)
  const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
  return address
})

const framing = {
  protocolVersion: "2026-07-28",
  clientInfo: { name: "tasks", version: "1" },
  clientCapabilities: { elicitation: { form: {} } }
}

/** Sends what the SDK's own client cannot. */
const dispatch = (url: string) => {
  let id = 1_000
  return async (request: unknown) => {
    const { method, params } = request as { method: string; params: Record<string, string> }
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": framing.protocolVersion,
        "mcp-method": method,
        "mcp-name": params["name"] ?? params["taskId"] ?? ""
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })
    })
    const { error, result } = await response.json()
    return error === undefined ? { kind: "result" as const, result } : { kind: "error" as const, error }
  }
}

const session = Effect.fnUntraced(function*(mode: "legacy" | "auto") {
  const url = yield* served
  const client = new Client(framing.clientInfo, {
    capabilities: framing.clientCapabilities,
    versionNegotiation: { mode }
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(new StreamableHTTPClientTransport(new URL(url)))),
    () => Effect.promise(() => client.close())
  )
  const options = {
    endpointId: "ours",
    onInputRequest: async () => ({ action: "accept", content: { name: "Ann" } }) as never,
    tools: {
      currentTool: (name: string) => ({
        name,
        inputSchema: { type: "object" },
        taskSupport: name === "compute" ? "optional" as const : "required" as const
      })
    }
  }
  const opened = createTaskSessionFromClient(
    client,
    mode === "legacy" ? options : { ...options, rawDispatch: dispatch(url), v2RequestFraming: framing }
  )
  return yield* Effect.acquireRelease(Effect.succeed(opened), () => Effect.promise(() => opened.close()))
})

const silent = Effect.provide(Logger.layer([]))

for (const [era, mode] of [["legacy", "legacy"], ["modern", "auto"]] as const) {
  describe(`the official client of tasks in the ${era} era`, () => {
    it.live("runs a tool as a task of ours, and gets its result", () =>
      Effect.gen(function*() {
        const ours = yield* session(mode)
        const execution = yield* Effect.promise(() =>
          ours.callTool("compute", { n: 7 }, { task: { preference: "prefer" } })
        )
        assert.strictEqual(execution.kind, "task")
        const { outcome } = yield* Effect.promise(() => execution.settle())
        assert.deepStrictEqual(resultFromTaskOutcome(outcome).content, [{ type: "text", text: "7 as a task" }])
      }).pipe(silent), 20_000)

    it.live("answers what a task of ours asks", () =>
      Effect.gen(function*() {
        const ours = yield* session(mode)
        const execution = yield* Effect.promise(() => ours.callTool("asks", {}))
        const { outcome } = yield* Effect.promise(() => execution.settle())
        assert.deepStrictEqual(resultFromTaskOutcome(outcome).content, [{ type: "text", text: "Ann" }])
      }).pipe(silent), 20_000)

    it.live("cancels a task of ours, and hears of one that went wrong", () =>
      Effect.gen(function*() {
        const ours = yield* session(mode)
        const hanging = yield* Effect.promise(() => ours.callTool("hangs", {}))
        yield* Effect.promise(() => hanging.cancel())
        assert.strictEqual((yield* Effect.promise(() => hanging.settle())).outcome.status, "cancelled")
        const failing = yield* Effect.promise(() => ours.callTool("fails", {}))
        const { outcome } = yield* Effect.promise(() => failing.settle())
        // In the core generation the task has failed; in the extension its result says so.
        assert.strictEqual(outcome.status, mode === "legacy" ? "failed" : "completed")
      }).pipe(silent), 20_000)
  })
}

describe("the official receiver of tasks", () => {
  it.live("answers a question of ours as a task of its own", () =>
    Effect.gen(function*() {
      const url = yield* served
      const looked: Array<string> = []
      const client = new Client(framing.clientInfo, {
        capabilities: {
          sampling: {},
          tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } }
        },
        versionNegotiation: { mode: "legacy" }
      })
      const receiver = bindTaskReceiver(client, {
        methods: { "sampling/createMessage": true },
        pollIntervalMs: 100,
        createTaskId: () => {
          looked.push("created")
          return crypto.randomUUID()
        },
        sampling: async () => ({ role: "assistant", content: { type: "text", text: "…" }, model: "bard" })
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => client.connect(new StreamableHTTPClientTransport(new URL(url)))),
        () =>
          Effect.promise(async () => {
            receiver.close()
            await client.close()
          })
      )
      const result = yield* Effect.promise(() => client.callTool({ name: "poet", arguments: {} }))
      assert.deepInclude(result, { content: [{ type: "text", text: "bard" }] })
      assert.deepStrictEqual(looked, ["created"])
    }).pipe(silent), 20_000)
})

describe("the client of tasks of the first SDK", () => {
  it.live("streams a task of ours to its result, and answers what it asks", () =>
    Effect.gen(function*() {
      const url = yield* served
      const client = new ClientV1(framing.clientInfo, { capabilities: { elicitation: { form: {} } } })
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ann" } }))
      yield* Effect.acquireRelease(
        Effect.promise(() => client.connect(new TransportV1(new URL(url)) as never)),
        () => Effect.promise(() => client.close())
      )
      yield* Effect.promise(() => client.listTools())
      const kinds: Array<string> = []
      const result = yield* Effect.promise(async () => {
        const stream = client.experimental.tasks.callToolStream({ name: "asks", arguments: {} }, CallToolResultSchema, {
          task: { ttl: 60_000 }
        })
        for await (const message of stream) {
          kinds.push(message.type)
          if (message.type === "result") return message.result
          if (message.type === "error") throw message.error
        }
        return undefined
      })
      assert.deepInclude(result, { content: [{ type: "text", text: "Ann" }] })
      assert.strictEqual(kinds[0], "taskCreated")
    }).pipe(silent), 20_000)
})
