/**
 * Mopidy, a music server: JSON-RPC over HTTP and over WebSocket, where it also sends events that are no messages. It
 * plays nothing here.
 */
import { assert, describe, layer } from "@effect/vitest"
import { NodeHttp, NodeWebSocket } from "@parley/node"
import { Peer } from "@parley/peer"
import { Tap } from "@parley/traffic"
import { Context, Effect, Layer, Queue, Result, type Schema } from "effect"
import { join } from "node:path"
import * as Programs from "../../../../../tools/debian/Programs.ts"
import * as Folder from "../Folder.ts"
import * as Program from "./Program.ts"

const config = (folder: string, port: number) => ({
  core: { cache_dir: folder, config_dir: folder, data_dir: folder, restore_state: false },
  audio: { mixer: "software", output: "fakesink" },
  http: { enabled: true, hostname: "127.0.0.1", port, zeroconf: "" },
  file: { enabled: false },
  m3u: { enabled: false },
  stream: { enabled: false }
})

const options = (folder: string, port: number): ReadonlyArray<string> =>
  Object.entries(config(folder, port)).flatMap(([section, values]) =>
    Object.entries(values).flatMap(([key, value]) => ["--option", `${section}/${key}=${value}`])
  )

/** The address of its server. */
const start = Effect.gen(function*() {
  const folder = yield* Folder.make({ "mopidy.conf": "" })
  const port = yield* Program.onFreePort({
    command: "mopidy",
    args: (port) => ["--config", join(folder, "mopidy.conf"), ...options(folder, port)],
    log: "stderr",
    isListening: (line, port) => line.includes(`HTTP server running at`) && line.endsWith(`:${port}`),
    hasFailed: (line) => line.includes("HTTP server startup failed")
  })
  return `//127.0.0.1:${port}/mopidy`
})

class Mopidy extends Context.Service<Mopidy, string>()("test/Mopidy") {
  static readonly layer = Layer.effect(Mopidy, start)
}

const unknown = { _tag: "RemoteError", code: -32601, text: "Method not found" } as const

/** A peer over a WebSocket, and the events that it hears. */
const hearing = Effect.gen(function*() {
  const url = yield* Mopidy
  const events = yield* Queue.unbounded<Schema.Json>()
  const transport = yield* NodeWebSocket.makeTransport({ url: `ws:${url}/ws` })
  const hearing = Tap.foreign((event) => Effect.asVoid(Queue.offer(events, event)))
  const peer = yield* Peer.make(yield* hearing(transport))
  return { peer, event: Queue.take(events) }
})

Programs.suites([{ program: "mopidy", package: "mopidy" }], () => {
  layer(Mopidy.layer)("mopidy", (it) => {
    describe("over WebSocket", () => {
      it.effect("sends events beside messages, which are heard in their order", () =>
        Effect.gen(function*() {
          const { event, peer } = yield* hearing
          assert.isTrue(yield* peer.request("core.mixer.set_volume", [7]))
          assert.deepStrictEqual(yield* event, { event: "volume_changed", volume: 7 })
          assert.isTrue(yield* peer.request("core.mixer.set_mute", { mute: true }))
          yield* peer.notify("core.mixer.set_volume", [8])
          assert.deepStrictEqual(yield* event, { event: "mute_changed", mute: true })
          assert.deepStrictEqual(yield* event, { event: "volume_changed", volume: 8 })
        }))

      it.effect("sends them to everybody who is connected, whoever has called", () =>
        Effect.gen(function*() {
          const first = yield* hearing
          const second = yield* hearing
          // It knows both when it has answered them.
          yield* second.peer.request("core.get_version")
          yield* first.peer.request("core.mixer.set_volume", [30])
          assert.deepStrictEqual(yield* second.event, { event: "volume_changed", volume: 30 })
        }))
    })

    describe("over HTTP", () => {
      it.effect("answers calls and batches, and takes notifications", () =>
        Effect.gen(function*() {
          const url = yield* Mopidy
          const caller = yield* NodeHttp.makeCaller({ url: `http:${url}/rpc` })
          assert.match(String(yield* caller.request("core.get_version")), /^\d+\.\d+\.\d+$/)
          assert.deepInclude(yield* Effect.flip(caller.request("core.nope")), unknown)
          yield* caller.notify("core.mixer.set_volume", [50])
          const [volume, failed] = yield* caller.batch([
            { method: "core.mixer.get_volume" },
            { method: "core.nope" }
          ])
          assert.deepStrictEqual(volume, Result.succeed(50))
          assert.deepInclude(yield* Effect.flip(Effect.fromResult(failed ?? assert.fail("no result"))), unknown)
        }))
    })
  })
})
