import { assert, describe, it } from "@effect/vitest"
import * as TaskRecord from "../../src/internal/server/journal/TaskRecord.ts"

describe("the record of a task", () => {
  it("comes back as it was written, whatever names other records have, and however deep they nest", () => {
    // After this text, V8 takes each name of one escape behind `before` for the one in it.
    assert.deepStrictEqual(JSON.parse(`{"before":1.5,"\\\\":2.5}`), { before: 1.5, "\\": 2.5 })
    const deep: unknown = JSON.parse("[".repeat(1_000) + "]".repeat(1_000))
    for (const structuredContent of [{ before: 1.5, "\n": 2.5 }, { deep }]) {
      const record = {
        taskId: "t",
        tool: "t",
        node: "n",
        epoch: 1,
        createdAt: 1,
        updatedAt: 1,
        ttlMs: 1,
        pollIntervalMs: 1,
        status: "completed",
        result: { content: [], structuredContent }
      } as const
      const text = TaskRecord.encode(record as unknown as TaskRecord.TaskRecord)
      assert.strictEqual(JSON.stringify(TaskRecord.decode(text)), text)
    }
  })
})
