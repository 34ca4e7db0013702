import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as members from "../../../src/internal/mcp/gateway/members.ts"
import * as SilentServers from "../../../src/internal/mcp/SilentServers.ts"
import * as developed from "../bridge/developed.ts"

describe("a server of a gateway that is silent to a newer first message", () => {
  it.live("is remembered in the folder that it runs in", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      const before = process.env["XDG_STATE_HOME"]
      process.env["XDG_STATE_HOME"] = folder.path
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["XDG_STATE_HOME"]
          else process.env["XDG_STATE_HOME"] = before
        })
      )
      const [command = "", ...args] = developed.server("silent", folder)
      const { far } = (yield* members.make)(
        { servers: { far: { command, args, cwd: folder.path } }, pins: undefined },
        undefined
      )
      yield* far?.connect({ name: "test", version: "1" }) ?? Effect.die("no member")
      assert.isTrue(yield* SilentServers.has(SilentServers.keyOf({ command, args }, folder.path)))
    }))
})
