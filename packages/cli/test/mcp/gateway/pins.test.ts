import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import * as pins from "../../../src/internal/mcp/gateway/pins.ts"
import { configured } from "./configured.ts"

describe("a file of pins", () => {
  it("tells what has changed, whatever the names of servers and tools are", () => {
    const after = { constructor: { toString: ["01"], b: ["02"] }, files: { read: ["03"] } }
    assert.deepStrictEqual(pins.changes({}, after), [
      "+ constructor b",
      "+ constructor toString",
      "+ files read"
    ])
    assert.deepStrictEqual(pins.changes(after, { files: { read: ["04"] } }), [
      "- constructor b",
      "- constructor toString",
      "~ files read"
    ])
    assert.deepStrictEqual(pins.of({}, "constructor"), {})
  })

  it.live("is there as a whole, and nothing beside it", () =>
    Effect.gen(function*() {
      const { folder } = yield* configured({})
      const file = join(folder, "pins.json")
      const approved = { files: { read: ["01"] } }
      yield* Effect.all([pins.write(file, approved), pins.write(file, approved)])
      assert.deepStrictEqual(yield* pins.read(file), approved)
      assert.sameMembers(yield* Effect.promise(() => readdir(folder)), ["pins.json", "servers.json"])
    }))
})
