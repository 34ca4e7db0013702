/** The client of tasks, and tools that have none: its calls have to be answered at once. `tasks/foreign.test.ts` has the others. */
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client"
import { Effect, Logger } from "effect"
import * as places from "./support/places.ts"

for (const [era, mode] of [["legacy", "legacy"], ["modern", "auto"]] as const) {
  describe(`the client of tasks in the ${era} era and our server`, () => {
    it.live("calls tools that are no tasks, and is told of their failures", () =>
      Effect.gen(function*() {
        const url = yield* Effect.flatMap(places.server, places.hosted)
        const client = new Client({ name: "tasks", version: "1" }, { versionNegotiation: { mode } })
        yield* Effect.acquireRelease(
          Effect.promise(() => client.connect(new StreamableHTTPClientTransport(new URL(url)))),
          () => Effect.promise(() => client.close())
        )
        const session = createTaskSessionFromClient(client, { endpointId: "ours" })
        const called = (name: string, args: Record<string, string>) =>
          Effect.promise(async () => {
            const execution = await session.callTool(name, args)
            const { outcome } = await execution.settle()
            return resultFromTaskOutcome(outcome)
          })
        const echoed = yield* called("echo", { text: "hi" })
        assert.deepStrictEqual(echoed.content, [{ type: "text", text: "hi" }])
        assert.strictEqual((yield* called("refuse", {})).isError, true)
        yield* Effect.promise(() => session.close())
      }).pipe(Effect.provide(Logger.layer([]))))
  })
}
