/** Tasks of the revision 2025-11-25: calls that go on without their request. */
import { randomUUID } from "node:crypto"
import { Failure, is, type Json } from "./options.ts"

interface Task {
  readonly state: Json
  /** The result of the call, once it is over. */
  readonly result: Promise<Json>
}

const tasks = new Map<string, Task>()

/** How many tasks there may be: what a stranger may create has a bound. */
const most = 10_000

const ttl = 600_000

/** Starts a task. */
export const start = (call: () => Promise<Json>): Json => {
  if (tasks.size >= most) throw new Failure(-32603, "There are too many tasks")
  const now = new Date().toISOString()
  const taskId = randomUUID()
  const state: Json = { taskId, status: "working", createdAt: now, lastUpdatedAt: now, ttl, pollInterval: 100 }
  const result = call()
  const end = (status: string) => {
    if (!is("task-endless")) Object.assign(state, { status, lastUpdatedAt: new Date().toISOString() })
  }
  result.then(({ isError }) => end(isError === true ? "failed" : "completed"), () => end("failed"))
  tasks.set(taskId, { state, result })
  setTimeout(() => tasks.delete(taskId), ttl).unref()
  return { task: { ...state } }
}

const find = ({ taskId }: Json): Task => {
  const task = tasks.get(String(taskId))
  if (task === undefined) throw new Failure(-32602, "There is no such task")
  return task
}

/** Answers a request about a task. */
export const perform = async (method: string, params: Json): Promise<Json> => {
  if (method === "tasks/get") {
    if (is("unknown-task-completed") && !tasks.has(String(params["taskId"]))) {
      const now = new Date().toISOString()
      return { taskId: params["taskId"], status: "completed", createdAt: now, lastUpdatedAt: now, ttl }
    }
    return { ...find(params).state }
  }
  if (method !== "tasks/result") throw new Failure(-32601, `Unknown method: ${JSON.stringify(method)}`)
  const result = await find(params).result
  const related = { "io.modelcontextprotocol/related-task": { taskId: params["taskId"] } }
  return { ...result, ...(!is("task-unrelated") && { _meta: related }) }
}
