import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpError from "@parley/mcp/wire/McpError"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Parley from "../../Parley.ts"
import { configured } from "./configured.ts"

const program = (name: string) =>
  fileURLToPath(new URL(`../../../../mcp/node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url))

const published = {
  every: { type: "stdio", command: process.execPath, args: [program("server-everything"), "stdio"], timeout: 60 },
  files: {
    command: process.execPath,
    args: [program("server-filesystem"), "@folder"],
    tools: { allow: ["read_*", "list_*"] }
  }
}

/** Serves a configuration, and gives the address. */
const serving = Effect.fnUntraced(function*(file: string) {
  const running = yield* Parley.start(["mcp", "gateway", file, "--http", "127.0.0.1:0"])
  return (yield* running.line).replace(/^listening /, "")
})

describe("parley mcp gateway", () => {
  it.live("serves what people have in mcpServers, in both eras", () =>
    Effect.gen(function*() {
      const { file, folder } = yield* configured({ mcpServers: published })
      const address = yield* serving(file)
      for (const revision of ["2025-11-25", "2026-07-28"]) {
        const [listed, summed, read, denied, researched] = yield* Parley.runAll(
          ["mcp", "list", address, "tools", "--protocol-version", revision],
          ["mcp", "call", address, "every_get-sum", "a=1", "b=2", "--protocol-version", revision],
          ["mcp", "call", address, "files_list_directory", `path=${folder}`, "--protocol-version", revision],
          ["mcp", "call", address, "files_write_file", `path=${folder}/x`, "content=x", "--protocol-version", revision],
          // Its server takes calls of it as tasks only.
          ["mcp", "call", address, "every_simulate-research-query", "topic=rust", "--protocol-version", revision]
        )
        assert.match(listed?.stdout ?? "", /^every_echo /m)
        assert.match(listed?.stdout ?? "", /^files_read_text_file /m)
        assert.notMatch(listed?.stdout ?? "", /write_file/)
        assert.include(summed?.stdout ?? "", "The sum of 1 and 2 is 3.")
        assert.include(read?.stdout ?? "", "[FILE] servers.json")
        assert.strictEqual(denied?.code, 64)
        assert.include(researched?.stdout ?? "", "rust", researched?.stderr)
      }
    }), 120_000)

  it.live("refuses tools that nobody has approved, and those that have changed", () =>
    Effect.gen(function*() {
      const { file, folder } = yield* configured({ servers: { every: published.every }, pins: "pins.json" })
      const [unpinned] = yield* Parley.runAll(["mcp", "gateway", file, "--stdio"])
      assert.strictEqual(unpinned?.code, 64)
      assert.include(unpinned?.stderr ?? "", "--approve")
      const [approved] = yield* Parley.runAll(["mcp", "gateway", file, "--approve", "--yes"])
      assert.strictEqual(approved?.code, 0, approved?.stderr)
      assert.match(approved?.stdout ?? "", /^\+ every tool echo$/m)
      // Somebody has approved another definition of one, and not seen another one at all.
      const pins = join(folder, "pins.json")
      yield* Effect.promise(async () => {
        const { servers: [every], ...rest } = JSON.parse(await readFile(pins, "utf8"))
        const kept = every.pins
          .filter((pin: { readonly name: string }) => pin.name !== "get-env")
          .map((pin: { readonly name: string }) => pin.name === "echo" ? { ...pin, definition: {} } : pin)
        await writeFile(pins, JSON.stringify({ ...rest, servers: [{ ...every, pins: kept }] }))
      })
      const [checked] = yield* Parley.runAll(["mcp", "gateway", file, "--check"])
      assert.strictEqual(checked?.code, 2)
      assert.match(checked?.stdout ?? "", /^every: tool get-env is not offered: nobody has approved it$/m)
      assert.include(checked?.stderr ?? "", "not approved as they are now")
      const address = yield* serving(file)
      const fetcher = yield* NodeHttp.makeFetcher()
      const client = yield* McpHttpClient.make(fetcher, { name: "test", version: "1", url: address })
      const names = (yield* client.listTools()).map(({ name }) => name)
      assert.include(names, "every_get-sum")
      assert.notIncludeMembers(names, ["every_echo", "every_get-env"])
      const changed = yield* Effect.flip(client.callTool("every_echo", { message: "hi" }))
      assert.propertyVal(changed, "code", McpError.NotApproved)
      assert.include(changed.message, "has changed since it was approved")
      const unknown = yield* Effect.flip(client.callTool("every_get-env"))
      assert.include(unknown.message, "Nobody has approved the tool get-env")
      assert.include(JSON.stringify(yield* client.callTool("every_get-sum", { a: 1, b: 2 })), "is 3")
    }), 120_000)
})
