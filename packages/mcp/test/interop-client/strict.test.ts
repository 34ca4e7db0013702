/** Our client with a process that ends, as servers in the field do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as places from "./support/places.ts"

describe("a server that ends", () => {
  it.live("at a first message that it does not know is spoken to in its revision, and started again", () =>
    Effect.gen(function*() {
      const client = yield* places.overStdio(places.script("../fixtures/strict.ts"))
      assert.strictEqual(client.protocolVersion, "2025-06-18")
      const first = client.serverInfo?.version
      const error = yield* Effect.flip(client.callTool("exit"))
      assert.strictEqual(error._tag, "Disconnected")
      if (error._tag === "Disconnected") assert.deepInclude(error.reason, { _tag: "Exited", code: 3 })
      const { content } = yield* client.callTool("pid")
      assert.notStrictEqual(client.serverInfo?.version, first)
      assert.deepStrictEqual(content, [{ type: "text", text: client.serverInfo?.version ?? "" }])
    }))
})
