/** Records of tasks that are generated: each fits what is published of its generation, and comes back as it was. */
import { assert, describe, it } from "@effect/vitest"
import {
  isCreateTaskResultV2,
  isDetailedTaskV2,
  isTaskStatusNotificationV2,
  isTaskV2
} from "@modelcontextprotocol/ext-tasks/core/v2"
import * as Tasks from "@parley/mcp-tasks/Tasks"
import * as Revision from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { Arbitrary, Effect } from "effect"
import * as Published from "../../../mcp/test/wire/support/published.ts"
import { read, travel } from "../../../mcp/test/wire/support/reading.ts"
import * as Values from "../../../mcp/test/wire/support/values.ts"
import * as TaskCodec from "../../src/internal/TaskCodec.ts"

const values = {
  task: Values.of(Tasks.Task),
  detailedTask: Arbitrary.map(
    Values.of(Tasks.DetailedTask),
    (task): Tasks.DetailedTask =>
      task.status !== "input_required" ? task : {
        ...task,
        // What is asked has generators of its own.
        inputRequests: Object.fromEntries(Object.keys(task.inputRequests).map((key) => [key, { method: "roots/list" }]))
      }
  ),
  createTaskResult: Values.of(Tasks.CreateTaskResult),
  taskPage: Values.of(Tasks.TaskPage),
  taskRequest: Values.of(Tasks.TaskRequest)
}

/** The slow tests try four times as many. */
const runs = { arbitrary: { runs: process.env["SLOW"] === "1" ? 40 : 10 } }

const core = TaskCodec.of(RevisionCodec.of(Revision.latestLegacy))
const newest = TaskCodec.of(RevisionCodec.latest)

describe("the core generation", () => {
  const { encode } = core
  const call = (task: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", task } })
  const told = (params: unknown) => ({ jsonrpc: "2.0", method: "notifications/tasks/status", params })
  const kinds: ReadonlyArray<readonly [name: string, sent: Arbitrary.Arbitrary<unknown>]> = [
    ["Task", Arbitrary.map(values.task, encode.task)],
    ["GetTaskResult", Arbitrary.map(values.task, encode.task)],
    ["CreateTaskResult", Arbitrary.map(values.createTaskResult, encode.createTaskResult)],
    ["ListTasksResult", Arbitrary.map(values.taskPage, encode.taskPage)],
    ["TaskStatusNotification", Arbitrary.map(values.task, (task) => told(encode.task(task)))],
    ["CallToolRequest", Arbitrary.map(values.taskRequest, (wish) => call(encode.taskRequest(wish)))]
  ]
  for (const [name, sent] of kinds) {
    it.effect.prop(
      `every message we send fits what is published, as ${name}: ${Published.source}`,
      { sent },
      ({ sent }) =>
        Effect.sync(() => {
          const fault = Published.fault(Revision.latestLegacy, { published: name, sdk: name }, sent)
          assert.isUndefined(fault, JSON.stringify(sent))
        }),
      runs
    )
  }
})

describe("the extension of tasks", () => {
  const { createTaskResult: created, detailedTask: detailed, task } = values
  it.effect.prop(
    "every message we send fits what its own package publishes",
    { created, detailed, task },
    (sent) =>
      Effect.sync(() => {
        const { encode } = newest
        const state = travel(encode.detailedTask(sent.detailed))
        assert.isTrue(isTaskV2(travel(encode.task(sent.task))))
        assert.isTrue(isCreateTaskResultV2(travel(encode.createTaskResult(sent.created))))
        assert.isTrue(isDetailedTaskV2(state))
        assert.isTrue(isTaskStatusNotificationV2({ jsonrpc: "2.0", method: "notifications/tasks", params: state }))
      }),
    runs
  )
})

describe.each([["core", core], ["extension", newest]] as const)("the words of the %s", (name, { decode, encode }) => {
  const { createTaskResult: created, detailedTask: detailed, task, taskPage: page, taskRequest: wish } = values
  it.effect.prop(
    "decode after encode is the identity",
    { created, detailed, page, task, wish },
    (sent) =>
      Effect.sync(() => {
        const same = (value: unknown, back: unknown) => assert.deepStrictEqual(travel(back), travel(value))
        same(sent.task, read(decode.task(travel(encode.task(sent.task)))))
        same(sent.created, read(decode.createTaskResult(travel(encode.createTaskResult(sent.created)))))
        same(sent.page, read(decode.taskPage(travel(encode.taskPage(sent.page)))))
        if (name === "core") same(sent.wish, read(decode.taskRequest(travel(encode.taskRequest(sent.wish)))))
        else same(sent.detailed, read(decode.detailedTask(travel(encode.detailedTask(sent.detailed)))))
      }),
    runs
  )
})
