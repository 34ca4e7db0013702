import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as auditFile from "../../../src/internal/mcp/gateway/auditFile.ts"

describe("the file of an audit", () => {
  it.live("is its owner's alone, also where it was there before, and keeps what it has", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "parley-audit-"))),
        (folder) => Effect.promise(() => rm(folder, { recursive: true }))
      )
      const file = join(folder, "calls.jsonl")
      yield* Effect.promise(() => writeFile(file, "{}\n"))
      yield* Effect.promise(() => chmod(file, 0o644))
      const write = yield* auditFile.open(file)
      yield* write({ time: 0, milliseconds: 1, server: "far", method: "tools/call", name: "a", outcome: "ok" })
      assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
      const text = yield* Effect.promise(() => readFile(file, "utf8"))
      assert.match(text, /^\{\}\n\{.*"name":"a".*\}\n$/)
      assert.strictEqual((yield* Effect.flip(auditFile.open(folder)))._tag, "CommandError")
    }))
})
