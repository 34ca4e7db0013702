/**
 * `aria2c`, a program that downloads files and is driven by JSON-RPC: over HTTP, where the responses of calls that
 * failed come with status 400 or 500, and over WebSocket, where it tells of its downloads.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Contract, ContractPair, Method, Notification } from "@parley/contract"
import { NodeHttp, NodeWebSocket } from "@parley/node"
import { NodeExchange } from "@parley/node/shared"
import { Peer } from "@parley/peer"
import { Dialect, Message } from "@parley/protocol"
import { Context, Deferred, Effect, Layer, Queue, Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import * as Programs from "../../../../../tools/debian/Programs.ts"
import * as Folder from "../Folder.ts"
import { listening } from "../sides.ts"
import * as Program from "./Program.ts"

/** The address of its server, and the folder for its downloads. */
const start = Effect.gen(function*() {
  const folder = yield* Folder.make()
  const port = yield* Program.onFreePort({
    command: "aria2c",
    args: (port) => [
      "--enable-rpc",
      `--rpc-listen-port=${port}`,
      "--rpc-listen-all=false",
      "--no-conf",
      "--no-netrc",
      `--dir=${folder}`,
      "--file-allocation=none"
    ],
    log: "stdout",
    isListening: (line, port) => line.includes(`IPv4 RPC: listening on TCP port ${port}`),
    hasFailed: (line) => line.includes("Failed to")
  })
  return { url: `//127.0.0.1:${port}/jsonrpc`, folder }
})

class Aria2 extends Context.Service<Aria2, Effect.Success<typeof start>>()("test/Aria2") {
  static readonly layer = Layer.effect(Aria2, start)
}

const Version = Schema.Struct({ version: Schema.String, enabledFeatures: Schema.Array(Schema.String) })

const Download = Schema.Struct({ gid: Schema.String })

class Downloads extends Contract.make("Downloads", {
  "aria2.getVersion": Method.make({ result: Version }),
  "aria2.addUri": Method.make({ params: [Schema.Array(Schema.String)], result: Schema.String }),
  "aria2.tellStatus": Method.make({
    params: [Schema.String, Schema.Array(Schema.String)],
    result: Schema.Record(Schema.String, Schema.String)
  }),
  "aria2.forceShutdown": Method.make({ result: Schema.Literal("OK") }),
  "system.multicall": Method.make({
    params: [Schema.Array(Schema.Struct({ methodName: Schema.String, params: Schema.Array(Schema.Json) }))],
    result: Schema.Array(Schema.Json)
  })
}) {}

class Watcher extends Contract.make("Watcher", {
  "aria2.onDownloadStart": Notification.make({ params: [Download] }),
  "aria2.onDownloadComplete": Notification.make({ params: [Download] }),
  "aria2.onDownloadError": Notification.make({ params: [Download] })
}) {}

const protocol = ContractPair.make({ client: Watcher, server: Downloads, dialect: Dialect.make({ name: "aria2" }) })

const unknown = { _tag: "RemoteError", code: 1, text: "No such method: nope" } as const

const overHttp = Effect.gen(function*() {
  const { url } = yield* Aria2
  const caller = yield* NodeHttp.makeCaller({ url: `http:${url}` })
  return { caller, downloads: Downloads.client(caller) }
})

/** A client over a WebSocket, and what it is told: the name of an event, and whose it is. */
const watching = (url: string) =>
  Effect.gen(function*() {
    const told = yield* Queue.unbounded<readonly [string, string]>()
    const tell = ([{ gid }]: readonly [typeof Download.Type], { method }: { readonly method: string }) =>
      Queue.offer(told, [method, gid])
    const side = protocol.layerClient({
      "aria2.onDownloadStart": tell,
      "aria2.onDownloadComplete": tell,
      "aria2.onDownloadError": tell
    }).pipe(Layer.provide(NodeWebSocket.layerTransport({ url: `ws:${url}` })))
    const context = yield* Layer.build(side)
    return {
      downloads: Context.get(context, Downloads.Client),
      peer: Context.get(context, Peer.Peer),
      told: Queue.take(told)
    }
  })

/** The address of a file. */
const fileServer = (text: string) =>
  Effect.map(
    listening(createServer((_, response) => response.end(text))),
    (port) => `http://127.0.0.1:${port}/file.txt`
  )

Programs.suites([{ program: "aria2c", package: "aria2" }], () => {
  layer(Aria2.layer)("aria2c", (it) => {
    describe("over HTTP", () => {
      it.effect("answers typed calls, and several calls within one", () =>
        Effect.gen(function*() {
          const { downloads } = yield* overHttp
          const { enabledFeatures, version } = yield* downloads["aria2.getVersion"]()
          assert.match(version, /^1\.\d+\.\d+$/)
          assert.includeMembers([...enabledFeatures], ["HTTPS"])
          const [first, second] = yield* downloads["system.multicall"]([
            [{ methodName: "aria2.getVersion", params: [] }, { methodName: "nope", params: [] }]
          ])
          assert.deepInclude(Object(first)[0], { version })
          assert.deepStrictEqual(second, { code: 1, message: "No such method: nope" })
        }))

      it.effect("fails calls by status 400 and 500, and they are its errors all the same", () =>
        Effect.gen(function*() {
          const { caller, downloads } = yield* overHttp
          assert.deepInclude(yield* Effect.flip(caller.request("nope", [])), unknown)
          assert.deepInclude(yield* Effect.flip(downloads["aria2.tellStatus"](["00", []])), {
            _tag: "RemoteError",
            code: 1,
            text: "GID 00 is not found"
          })
          // Params by name come with status 500.
          assert.deepInclude(yield* Effect.flip(caller.request("aria2.getVersion", {})), {
            _tag: "RemoteError",
            code: -32602,
            text: "Invalid params."
          })
        }))

      it.effect("answers a batch, each where its call stood", () =>
        Effect.gen(function*() {
          const { caller, downloads } = yield* overHttp
          const [failed, version] = yield* caller.batch([{ method: "nope" }, { method: "aria2.getVersion" }])
          assert.deepInclude(yield* Effect.flip(Effect.fromResult(failed ?? assert.fail("no result"))), unknown)
          assert.deepStrictEqual(version, Result.succeed(Object(yield* downloads["aria2.getVersion"]())))
        }))

      it.effect("knows no notifications, and answers them with an error that is for nobody", () =>
        Effect.gen(function*() {
          const { caller } = yield* overHttp
          const refused = yield* Effect.flip(caller.notify("aria2.getVersion", []))
          assert.deepInclude(refused, { _tag: "HttpStatusError", status: 400 })
          // In a batch its error has the id null.
          const [nothing, version] = yield* caller.batch([
            { method: "aria2.getVersion", notification: true },
            { method: "aria2.getVersion" }
          ])
          assert.deepInclude(version, { _tag: "Success" })
          assert.isUndefined(nothing)
        }))

      it.effect("gives an id back to the last digit, and so do we", () =>
        Effect.gen(function*() {
          const { url } = yield* Aria2
          const exchange = yield* NodeExchange.make({ url: `http:${url}` })
          for (const id of ["9007199254740993", "0", "-1", "\"\"", "\"é\"", "null"]) {
            const texts: Array<string> = []
            yield* exchange.post(
              `{"jsonrpc":"2.0","id":${id},"method":"system.listMethods"}`,
              (text) => void texts.push(text)
            )
            const [text = assert.fail("no answer")] = texts
            const message = Result.getOrThrow(Message.decode(text))
            assert.include(Result.getOrThrow(Message.encode(message)), `"id":${id},`)
          }
        }))
    })

    describe("over WebSocket", () => {
      it.effect("answers calls, and a batch of them", () =>
        Effect.gen(function*() {
          const { downloads, peer } = yield* Effect.flatMap(Aria2, ({ url }) => watching(url))
          const version = yield* downloads["aria2.getVersion"]()
          assert.deepInclude(yield* Effect.flip(peer.request("nope", [])), unknown)
          const [failed, again] = yield* peer.batch([{ method: "nope" }, { method: "aria2.getVersion" }])
          assert.deepInclude(yield* Effect.flip(Effect.fromResult(failed ?? assert.fail("no result"))), unknown)
          assert.deepStrictEqual(again, Result.succeed(Object(version)))
          // Its error has the id null, which no call has.
          yield* peer.notify("aria2.getVersion", [])
          assert.deepStrictEqual(yield* downloads["aria2.getVersion"](), version)
        }))

      it.effect("tells that a download began and is complete, or failed", () =>
        Effect.gen(function*() {
          const { folder, url } = yield* Aria2
          const { downloads, told } = yield* watching(url)
          const uri = yield* fileServer("a file, é")
          const gid = yield* downloads["aria2.addUri"]([[uri]])
          assert.deepStrictEqual(yield* told, ["aria2.onDownloadStart", gid])
          assert.deepStrictEqual(yield* told, ["aria2.onDownloadComplete", gid])
          const status = yield* downloads["aria2.tellStatus"]([gid, ["status", "completedLength"]])
          assert.deepStrictEqual(status, { status: "complete", completedLength: "10" })
          assert.strictEqual(readFileSync(join(folder, "file.txt"), "utf8"), "a file, é")

          const lost = yield* downloads["aria2.addUri"]([[`http://127.0.0.1:${yield* Program.freePort}/nobody`]])
          assert.deepStrictEqual(yield* told, ["aria2.onDownloadStart", lost])
          assert.deepStrictEqual(yield* told, ["aria2.onDownloadError", lost])
        }))

      it.effect("ends those who listen, and every later call, when it shuts down", () =>
        Effect.gen(function*() {
          const { url } = yield* start
          const { downloads, peer, told } = yield* watching(url)
          const ended = yield* Deferred.make<unknown>()
          const taken: Array<unknown> = []
          yield* peer.listen("aria2.onDownloadStart", {
            take: (params) => taken.push(params) > 0,
            end: (error) => Deferred.doneUnsafe(ended, Effect.succeed(error))
          })
          const gid = yield* downloads["aria2.addUri"]([[yield* fileServer("another")]])
          // A notification with a listener goes to no handler.
          assert.deepStrictEqual(yield* told, ["aria2.onDownloadComplete", gid])
          assert.deepStrictEqual(taken, [[{ gid }]])
          assert.strictEqual(yield* downloads["aria2.forceShutdown"](), "OK")
          assert.deepInclude(yield* Deferred.await(ended), { _tag: "Disconnected", sent: false })
          assert.deepInclude(yield* Effect.flip(downloads["aria2.getVersion"]()), { _tag: "Disconnected", sent: false })
        }))
    })
  })
})
