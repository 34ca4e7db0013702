import { assert, describe, it } from "@effect/vitest"
import * as Tasks from "@parley/mcp-tasks/Tasks"
import * as Revision from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { read, refusal } from "../../../mcp/test/wire/support/reading.ts"
import * as TaskCodec from "../../src/internal/TaskCodec.ts"

const core = TaskCodec.of(RevisionCodec.of(Revision.latestLegacy))
const newest = TaskCodec.of(RevisionCodec.latest)

const times = { createdAt: "2026-11-25T10:00:00Z", lastUpdatedAt: "2026-11-25T10:00:01Z" }
const task: Tasks.Task = { taskId: "t", status: "completed", ...times, ttlMs: 60_000, pollIntervalMs: 500 }
const result = { content: [{ type: "text", text: "done" }] }

describe("a task", () => {
  it("is written in the words of its generation", () => {
    const inCore = { taskId: "t", status: "completed", ...times, ttl: 60_000, pollInterval: 500 }
    assert.deepStrictEqual(core.encode.task(task), inCore)
    assert.deepStrictEqual(core.encode.createTaskResult({ task }), { task: inCore })
    assert.deepStrictEqual(core.encode.taskRequest({ ttlMs: 5 }), { ttl: 5 })
    assert.deepStrictEqual<unknown>(newest.encode.task(task), task)
    assert.deepStrictEqual<unknown>(newest.encode.createTaskResult({ task }), { ...task, resultType: "task" })
  })

  it("is read in the words of its generation, and in no others", () => {
    assert.deepStrictEqual(read(core.decode.createTaskResult({ task: core.encode.task(task) })), { task })
    assert.deepStrictEqual(read(newest.decode.createTaskResult({ ...task, resultType: "task" })), { task })
    assert.match(refusal(newest.decode.createTaskResult({ ...task, resultType: "complete" })), /expected "task"/)
    assert.match(refusal(newest.decode.createTaskResult({ task })), /expected "task"/)
    assert.match(refusal(core.decode.createTaskResult({ ...task, resultType: "task" })), /task/)
    assert.match(refusal(newest.decode.task(core.encode.task(task))), /ttlMs/)
  })

  it("that has ended says how, in the extension", () => {
    const detailed = { ...task, resultType: "complete" }
    assert.match(refusal(newest.decode.detailedTask(detailed)), /result/)
    assert.deepStrictEqual<unknown>(read(newest.decode.detailedTask({ ...detailed, result })), { ...task, result })
  })

  it("is named in the `_meta` of what belongs to it", () => {
    const meta = Tasks.withRelatedTask({ a: 1 }, "t")
    assert.deepStrictEqual(meta, { a: 1, [Tasks.relatedTask]: { taskId: "t" } })
    assert.strictEqual(Tasks.relatedTaskOf(meta), "t")
    assert.isUndefined(Tasks.relatedTaskOf({ [Tasks.relatedTask]: { taskId: 1 } }))
    assert.isUndefined(Tasks.relatedTaskOf(undefined))
  })
})

describe("capabilities for tasks", () => {
  it("are told apart by generation", () => {
    const extensions = { [Tasks.extension]: {} }
    assert.isTrue(Tasks.hasExtension({ extensions }))
    assert.isFalse(Tasks.hasExtension({ extensions: { other: {} } }))
    assert.isTrue(Tasks.canCallTool({ tasks: { requests: { tools: { call: {} } } } }))
    assert.isFalse(Tasks.canCallTool({ extensions }))
    assert.isTrue(Tasks.canSample({ tasks: { requests: { sampling: { createMessage: {} } } } }))
    assert.isFalse(Tasks.canElicit({ tasks: { requests: { sampling: { createMessage: {} } } } }))
  })
})
