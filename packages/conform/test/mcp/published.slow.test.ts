/** Servers that others have published, as processes. */
import { assert, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { NodeChildProcess } from "@parley/node"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { describe } from "vitest"

const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

describe("server-everything", () => {
  it.live("fails over stdio in batches alone, and has a warning where it keeps no SHOULD", () =>
    Effect.gen(function*() {
      const report = yield* Conform.run({
        _tag: "Duplex",
        name: "server-everything",
        isProcess: true,
        connect: NodeChildProcess.makeTransport({
          command: process.execPath,
          args: [everything, "stdio"],
          onStderr: () => Effect.void
        })
      }, { only: ["mcp"] })
      const of = (wanted: string) => report.results.filter(({ verdict }) => verdict === wanted).map(({ id }) => id)
      assert.deepStrictEqual(of("fail"), ["mcp/batches/received"])
      assert.deepStrictEqual(of("unverified"), [])
      assert.deepStrictEqual(of("warning"), [
        "mcp/pagination/bad-cursor",
        "mcp/tools/unknown-code",
        "mcp/tasks/forbidden",
        "mcp/resources/unknown-code",
        "mcp/logging/unknown-level"
      ])
    }))
})
