/** A server of the official SDK, version 1, whose tools are tasks, by its experimental part. */
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

const store = new InMemoryTaskStore()

export const make = (): McpServer => {
  const server = new McpServer({ name: "v1-tasks", version: "1" }, {
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore: store,
    taskMessageQueue: new InMemoryTaskMessageQueue()
  })

  /** A tool whose work is done beside its call. */
  const work = (
    name: string,
    taskSupport: "required" | "optional",
    run: (taskId: string) => Promise<readonly ["completed" | "failed", ReturnType<typeof text>]>
  ) =>
    server.experimental.tasks.registerToolTask(name, { inputSchema: {}, execution: { taskSupport } }, {
      createTask: async (_, { taskRequestedTtl, taskStore }) => {
        const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 50 })
        void run(task.taskId).then(async ([status, result]) => {
          const { status: now } = await taskStore.getTask(task.taskId)
          if (now !== "cancelled") await taskStore.storeTaskResult(task.taskId, status, result)
        })
        return { task }
      },
      getTask: (_, { taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: async (_, { taskId, taskStore }) =>
        (await taskStore.getTaskResult(taskId)) as ReturnType<typeof text>
    })

  const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

  work("slow", "required", async () => {
    await pause()
    return ["completed", text("slowly done")]
  })
  work("optional", "optional", async () => ["completed", text("done")])
  work("failing", "required", async () => ["failed", { ...text("no disk"), isError: true }])
  work("endless", "required", () => new Promise(() => {}))

  server.registerTool("sample", {}, async () => {
    const seen: Array<string> = []
    const stream = server.server.experimental.tasks.createMessageStream(
      { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 5 },
      { task: { ttl: 60_000, pollInterval: 20 } }
    )
    for await (const message of stream) {
      seen.push(message.type === "result" ? JSON.stringify(message.result.content) : message.type)
    }
    return text(Array.from(new Set(seen)).join(" "))
  })
  return server
}
