/** Our client and tasks of servers that nobody here wrote. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { Task } from "@parley/mcp-tasks/Tasks"
import { Effect, Fiber, Stream } from "effect"
import * as official from "../../../mcp/test/interop-client/support/official.ts"
import * as places from "../../../mcp/test/interop-client/support/places.ts"
import * as everything from "../../../mcp/test/support/everything.ts"
import * as v1 from "./fixtures/v1Tasks.ts"
import { tasksOf } from "./scriptedTask.ts"

const live = { excludeTestServices: true }

const said = (result: { readonly content: unknown }): string =>
  // These tools answer with texts.
  (result.content as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text).join("\n")

const asking = (asked: Array<string>) => ({
  extensions: [TaskClient.use()],
  handlers: {
    elicit: ({ message }: { readonly message: string }) =>
      Effect.sync(() => {
        asked.push(message)
        return { action: "accept" as const, content: { interpretation: "snake" } }
      })
  }
})

const ways = {
  stdio: (asked: Array<string>) => places.overStdio(everything.program, asking(asked)),
  streamableHttp: (asked: Array<string>) =>
    Effect.flatMap(everything.serve("streamableHttp", "/mcp"), (url) => places.overHttp(url, asking(asked)))
}

// A research takes four seconds, in which its server only waits.
const atOnce = { ...live, concurrent: true }

for (const [way, reach] of Object.entries(ways)) {
  const asked: Array<string> = []
  layer(places.of(reach(asked)), atOnce)(
    `our client and the research of the server of everything over ${way}:`,
    (it) => {
      it.effect(
        "it waits for the research, says how far it is, and answers what is asked",
        () =>
          Effect.gen(function*() {
            const { client } = yield* places.Reached
            const states: Array<string> = []
            const messages: Array<string | undefined> = []
            const report = yield* client.callTool("simulate-research-query", { topic: "python", ambiguous: true }, {
              extensions: [TaskClient.call({ onTask: ({ status }) => states.push(status) })],
              onProgress: ({ message }) => messages.push(message)
            })
            assert.match(said(report), /# Research Report: python \(snake\)/)
            assert.lengthOf(asked, 1)
            assert.strictEqual(states[0], "working")
            assert.include(states, "input_required")
            assert.isTrue(messages.some((message) => message?.startsWith("Gathering")))
          }),
        20_000
      )

      it.effect("it leaves a research alone, and takes it up by its id", () =>
        Effect.gen(function*() {
          const { client } = yield* places.Reached
          const started = yield* tasksOf(client).start("simulate-research-query", { topic: "rust" })
          assert(started._tag === "Task")
          const { id } = started.task
          assert.include(
            (yield* tasksOf(client).list()).map(({ taskId }) => taskId),
            id
          )
          const task = tasksOf(client).task(id, { tool: "simulate-research-query" })
          const states: Array<Task> = []
          const watching = yield* Effect.forkChild(
            Stream.runForEach(task.states, (state) => Effect.sync(() => states.push(state)))
          )
          assert.match(said(yield* task.await), /# Research Report: rust/)
          yield* Fiber.join(watching)
          assert.strictEqual(states.at(-1)?.status, "completed")
          yield* task.cancel
        }), 20_000)

      it.effect("it cancels a research that nobody waits for any more", () =>
        Effect.gen(function*() {
          const { client } = yield* places.Reached
          let id = ""
          const call = yield* Effect.forkChild(
            client.callTool("simulate-research-query", { topic: "go" }, {
              extensions: [TaskClient.call({ onTask: ({ taskId }) => (id = taskId) })]
            })
          )
          while (id === "") yield* Effect.sleep("20 millis")
          yield* Fiber.interrupt(call)
          assert.strictEqual((yield* tasksOf(client).task(id).get).status, "cancelled")
          const error = yield* Effect.flip(tasksOf(client).task(id).await)
          assert.deepInclude(error, { _tag: "TaskError", task: id })
        }), 20_000)
    }
  )
}

describe("our client and tasks of the official SDK, version 1", () => {
  const connected = Effect.suspend(() =>
    official.inMemory(v1.make(), { extensions: [TaskClient.use({ answers: true })] })
  )

  it.live("tools that must be tasks, that may be, that fail and that never end", () =>
    Effect.gen(function*() {
      const client = yield* connected
      assert.strictEqual(said(yield* client.callTool("slow")), "slowly done")
      assert.strictEqual(said(yield* client.callTool("optional")), "done")
      let ttl: number | null = 0
      yield* client.callTool("optional", {}, {
        extensions: [TaskClient.call({ task: { ttl: "1 minute" }, onTask: ({ ttlMs }) => (ttl = ttlMs) })]
      })
      assert.strictEqual(ttl, 60_000)
      const failed = yield* Effect.flip(client.callTool("failing"))
      assert.strictEqual(failed.message, "the tool failing failed: no disk")
      const started = yield* tasksOf(client).start("endless")
      assert(started._tag === "Task")
      yield* started.task.cancel
      yield* started.task.cancel
      assert.strictEqual((yield* Effect.flip(started.task.await))._tag, "TaskError")
      const another = yield* Effect.flip(tasksOf(client).task("made up").get)
      assert.deepInclude(another, { _tag: "TaskError", task: "made up" })
    }))

  it.live("a server that asks our model by a task", () =>
    Effect.gen(function*() {
      const client = yield* connected
      const answer = said(yield* client.callTool("sample"))
      assert.strictEqual(answer, `taskCreated taskStatus {"type":"text","text":"heard 1"}`)
    }))
})
