/** A task of a server that does as the test says, in the words of either generation. */
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type * as McpClient from "@parley/mcp/McpClient"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Handlers } from "@parley/peer/Router"
import { Deferred, Effect, type Schema, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "../../../mcp/test/client/scripted.ts"

/** Lets time pass, and all that follows happen. */
export const pass = (duration: "1 second" | "100 millis" | "1 minute"): Effect.Effect<void> =>
  Effect.andThen(TestClock.adjust(duration), Scripted.settle)

export type Era = "legacy" | "modern"

export const eras: ReadonlyArray<Era> = ["legacy", "modern"]

export const text = (text: string): Schema.JsonObject => ({ content: [{ type: "text", text }] })

export const form = {
  mode: "form",
  message: "which?",
  requestedSchema: { type: "object", properties: { which: { type: "string" } }, required: ["which"] }
}

export interface State {
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled"
  readonly statusMessage?: string
  readonly pollIntervalMs?: number
  /** What the call gives: a result, or an error object. */
  readonly result?: Schema.JsonObject
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Schema.Json }
  /** The questions of the modern era. */
  readonly inputRequests?: Schema.JsonObject
}

const isOver = ({ status }: State) => status !== "working" && status !== "input_required"

export class ScriptedTask {
  readonly era: Era
  readonly id: string
  readonly #over = Deferred.makeUnsafe<void>()
  #state: State
  #changes = 0
  /** How often the server was asked for the state. */
  looks = 0
  /** The answers that came, by the keys of their questions. */
  readonly answers: { [key: string]: Schema.Json } = {}

  constructor(era: Era, state: State = { status: "working" }, id = "task-1") {
    this.era = era
    this.id = id
    this.#state = state
    if (isOver(state)) Deferred.doneUnsafe(this.#over, Effect.void)
  }

  get state(): State {
    return this.#state
  }

  set(state: State): void {
    this.#state = state
    this.#changes++
    if (isOver(state)) Deferred.doneUnsafe(this.#over, Effect.void)
  }

  /** The state as the server says it. */
  get said(): Schema.JsonObject {
    const { error, inputRequests, pollIntervalMs, result, ...state } = this.#state
    const dates = {
      createdAt: "2026-11-25T10:00:00Z",
      lastUpdatedAt: new Date(Date.UTC(2026, 10, 25) + this.#changes).toISOString()
    }
    const base = { taskId: this.id, ...state, ...dates }
    return this.era === "legacy"
      ? { ...base, ttl: null, ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }) }
      : {
        ...base,
        ttlMs: null,
        ...(pollIntervalMs !== undefined && { pollIntervalMs }),
        ...(result !== undefined && { result }),
        ...(error !== undefined && { error: { ...error } }),
        ...(inputRequests !== undefined && { inputRequests })
      }
  }

  get created(): Schema.JsonObject {
    const { error: _, inputRequests: __, result: ___, ...state } = this.said
    return this.era === "legacy" ? { task: state } : { ...state, resultType: "task" }
  }

  readonly handlers: Handlers = {
    "tools/list": Scripted.always({
      tools: [{ name: "long", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }]
    }),
    "tools/call": () => Effect.succeed(this.created),
    "tasks/get": (call) =>
      Effect.suspend(() => {
        if ((call.params as Schema.JsonObject)["taskId"] !== this.id) return unknown
        this.looks++
        return Effect.succeed(this.era === "legacy" ? this.said : { ...this.said, resultType: "complete" })
      }),
    "tasks/result": () =>
      Effect.andThen(
        Deferred.await(this.#over),
        Effect.suspend(() => {
          const { error, result } = this.#state
          return error === undefined
            ? Effect.succeed(result ?? null)
            : Effect.fail(ErrorResponse.make(error.code, error.message, error.data))
        })
      ),
    "tasks/update": (call) =>
      Effect.sync(() => {
        Object.assign(this.answers, (call.params as Schema.JsonObject)["inputResponses"])
        return { resultType: "complete" }
      }),
    "tasks/cancel": () =>
      Effect.sync(() => {
        this.set({ status: "cancelled" })
        return this.era === "legacy" ? this.said : { resultType: "complete" }
      })
  }
}

const unknown = Effect.fail(ErrorResponse.make(-32602, "Failed to retrieve task: Task not found"))

const capabilities: { readonly [era in Era]: Schema.JsonObject } = {
  legacy: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  modern: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }
}

const serve = { legacy: Scripted.legacy, modern: Scripted.modern }

/** A client of a server with this task. */
export const connect = (
  task: ScriptedTask,
  handlers: Handlers = {},
  options: Partial<McpClient.ClientOptions> = {}
): Effect.Effect<Scripted.Scripted, never, Scope.Scope> =>
  Scripted.connect(
    serve[task.era]({ ...task.handlers, ...handlers }, capabilities[task.era]),
    { extensions: [TaskClient.use()], ...options }
  )

/** The tasks of the server of a client. */
export const tasksOf = (client: McpClient.McpClient): TaskClient.TaskClient => Effect.runSync(TaskClient.of(client))
