import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Parley from "../Parley.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "parley-lock-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

describe("parley lock of endpoints", () => {
  it.live("writes what a server of MCP lists, and checks it", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = (name: string) => join(path, name)
      const server = `${Parley.stdio(Parley.bin)} mcp serve --stdio`
      const locked = yield* Parley.run(["lock", server])
      assert.strictEqual(locked.code, 0)
      assert.include(Object.keys(JSON.parse(locked.stdout).operations), "tool add")
      const narrow = locked.stdout.replace("\"type\": \"number\"", "\"type\": \"integer\"")
      yield* Effect.promise(() => writeFile(file("lock.json"), locked.stdout))
      yield* Effect.promise(() => writeFile(file("narrow.json"), narrow))
      const [same, changed] = yield* Parley.runAll(
        ["diff", file("lock.json"), file("lock.json")],
        ["diff", file("lock.json"), file("narrow.json")]
      )
      assert.strictEqual(same?.code, 0)
      assert.strictEqual(changed?.code, 1)
    }))

  it.live("reads what a server of MCP lists over HTTP", () =>
    Effect.gen(function*() {
      const server = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
      const url = (yield* server.line).replace(/^listening /, "")
      const { code, stderr, stdout } = yield* Parley.run(["lock", url])
      assert.strictEqual(code, 0, stderr)
      assert.include(Object.keys(JSON.parse(stdout).operations), "tool add")
    }))

  it.live("reads the document that a server gives as rpc.discover, and says why there is none", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* Parley.run(["lock", Parley.serveStdio, "--timeout", "2s"])
      assert.strictEqual(code, 2)
      assert.include(stderr, "gives no contract: rpc.discover:")
    }))
})
