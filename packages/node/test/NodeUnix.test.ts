import { assert, describe, it } from "@effect/vitest"
import { NodeUnix } from "@parley/node"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connected } from "./support/pairs.ts"
import { reasonOf } from "./support/reasonOf.ts"

/** A path in a directory of its own, gone with the Scope. */
const freshPath = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ),
  (directory) => join(directory, "socket")
)

/** What a server that was killed leaves behind: a socket's file, and nobody who listens on it. */
const leaveStale = (path: string) =>
  Effect.sync(() => {
    const script = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`
    spawnSync(process.execPath, ["-e", script, path])
    assert.isTrue(existsSync(path))
  })

describe("NodeUnix", () => {
  it.live("its file is there as long as it listens", () =>
    Effect.gen(function*() {
      const path = yield* freshPath
      const address = yield* Effect.scoped(Effect.map(NodeUnix.makeListener({ path }), ({ address }) => {
        assert.isTrue(existsSync(path))
        return address
      }))
      assert.strictEqual(address, `unix:${path}`)
      assert.isFalse(existsSync(path))
    }))

  it.live("the file of a dead server is removed", () =>
    Effect.gen(function*() {
      const path = yield* freshPath
      yield* leaveStale(path)
      const [client, server] = yield* connected(NodeUnix.makeListener({ path }), () => NodeUnix.makeTransport({ path }))
      yield* client.send(["1"])
      assert.deepStrictEqual([...(yield* server.receive)], ["1"])
    }))

  it.live("somebody listens there already: Open, and it goes on", () =>
    Effect.gen(function*() {
      const path = yield* freshPath
      const [client, server] = yield* connected(NodeUnix.makeListener({ path }), () => NodeUnix.makeTransport({ path }))
      assert.strictEqual((yield* reasonOf(NodeUnix.makeListener({ path })))._tag, "Open")
      yield* client.send(["1"])
      assert.deepStrictEqual([...(yield* server.receive)], ["1"])
      assert.isTrue(existsSync(path))
    }))

  it.live("another kind of file is there: Open, and it stays", () =>
    Effect.gen(function*() {
      const path = yield* freshPath
      writeFileSync(path, "precious")
      assert.strictEqual((yield* reasonOf(NodeUnix.makeListener({ path })))._tag, "Open")
      assert.isTrue(existsSync(path))
    }))

  it.live("nobody listens: Open", () =>
    Effect.gen(function*() {
      const path = yield* freshPath
      assert.strictEqual((yield* reasonOf(NodeUnix.makeTransport({ path })))._tag, "Open")
      yield* leaveStale(path)
      assert.strictEqual((yield* reasonOf(NodeUnix.makeTransport({ path })))._tag, "Open")
    }))
})
