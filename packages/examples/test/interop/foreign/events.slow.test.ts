/** Servers of ours in Python that send events beside messages, or leave out the version. */
import { assert, describe, it } from "@effect/vitest"
import { NodeTcp } from "@parley/node"
import { Peer } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { Tap } from "@parley/traffic"
import { Effect } from "effect"
import * as Programs from "../../../../../tools/debian/Programs.ts"
import { peer } from "../sides.ts"
import * as Program from "./Program.ts"

Programs.suites([{ program: "python3", package: "python3" }], () => {
  describe("a server that sends events beside messages", () => {
    it.live("is heard, in order with its notifications, and its responses come as ever", () =>
      Effect.gen(function*() {
        const port = yield* Program.listening("python3", Program.path("events.py"))
        const events: Array<unknown> = []
        const transport = yield* NodeTcp.makeTransport({ port })
        const hearing = Tap.foreign((event) => Effect.sync(() => void events.push(event)))
        const caller = yield* Peer.make(yield* hearing(transport))
        assert.isNull(yield* caller.request("core.playback.play"))
        assert.deepStrictEqual(events, [
          { event: "playback_state_changed", old_state: "stopped", new_state: "playing" }
        ])
        assert.strictEqual(yield* caller.request("core.playback.get_state"), "playing")
        assert.deepStrictEqual(events.length, 2)
      }))
  })

  describe("a server that leaves out the version, and refuses it", () => {
    it.live("is called in a dialect that omits it", () =>
      Effect.gen(function*() {
        const port = yield* Program.listening("python3", Program.path("events.py"), "bare")
        const dialect = Dialect.make({ name: "bare", version: "omit" })
        const caller = yield* peer(port, { framing: Framing.line, dialect })
        assert.strictEqual(yield* caller.request("core.playback.get_state"), "stopped")
        assert.deepInclude(yield* Effect.flip(caller.request("nope")), { _tag: "RemoteError", code: -32601 })
      }))
  })
})
