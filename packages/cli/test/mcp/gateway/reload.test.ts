import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Parley from "../../Parley.ts"
import { configured } from "./configured.ts"

const everything = { command: process.execPath, args: [Parley.bin, "mcp", "serve", "--stdio"] }

const written = (file: string, config: unknown) => Effect.promise(() => writeFile(file, JSON.stringify(config)))

/** Waits for a line of stderr with a text. */
const said = (running: Parley.Running, text: string): Effect.Effect<void> =>
  Effect.flatMap(running.errorLine, (line) => line.includes(text) ? Effect.void : said(running, text))

describe("parley mcp gateway", () => {
  it.live(
    "reads its servers again at SIGHUP and with --watch, keeps its clients, and writes down each call",
    () =>
      Effect.gen(function*() {
        const same = { ...everything, tools: { allow: ["add"] } }
        const { file, folder } = yield* configured({ servers: { a: same } })
        const audit = join(folder, "calls.jsonl")
        const running = yield* Parley.start([
          ...["mcp", "gateway", file, "--http", "127.0.0.1:0", "--watch", "--audit", audit]
        ])
        const url = (yield* running.line).replace(/^listening /, "")
        const fetcher = yield* NodeHttp.makeFetcher()
        const client = yield* McpHttpClient.make(fetcher, { name: "test", version: "1", url, cacheSize: 0 })
        const names = Effect.map(client.listTools(), (tools) => tools.map(({ name }) => name))
        assert.deepStrictEqual(yield* names, ["a_add"])
        yield* written(file, { servers: { a: same, b: { ...same, label: "B" } } })
        yield* said(running, "are read again")
        assert.deepStrictEqual(yield* names, ["a_add", "b_add"])
        yield* client.callTool("b_add", { a: 1, b: 2 })
        yield* written(file, { servers: { a: { ...same, budget: { calls: "many" } } } })
        yield* said(running, "nothing is read again")
        assert.deepStrictEqual(yield* names, ["a_add", "b_add"])
        yield* running.signal("SIGHUP")
        yield* said(running, "nothing is read again")
        const lines = (yield* Effect.promise(() => readFile(audit, "utf8"))).trim().split("\n")
        assert.deepInclude(JSON.parse(lines[0] ?? ""), { server: "b", name: "add", outcome: "ok", client: "test" })
        assert.lengthOf(lines, 1)
      }),
    60_000
  )

  it.live("says with --check what is not offered, and what is not in order", () =>
    Effect.gen(function*() {
      const { file } = yield* configured({
        servers: {
          here: { ...everything, tools: { deny: ["add"] } },
          gone: { command: "parley-no-such-command" }
        }
      })
      const [checked] = yield* Parley.runAll(["mcp", "gateway", file, "--check"])
      assert.strictEqual(checked?.code, 2)
      assert.match(checked?.stdout ?? "", /^here: reached$/m)
      assert.match(
        checked?.stdout ?? "",
        /^here: tool add is not offered: `tools` of the configuration leaves it out$/m
      )
      assert.match(checked?.stdout ?? "", /^gone: not reached: .*parley-no-such-command/m)
      assert.include(checked?.stderr ?? "", "gone: not reached")
    }), 60_000)
})
