import { assert, describe, it } from "@effect/vitest"
import { NodeChildProcess, NodeStdio, NodeTcp, NodeUnix, NodeWebSocket, NodeWorker } from "@parley/node"
import { Caller, Peer, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Listener, type Transport } from "@parley/transport"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Deferred, Effect, Layer, Option, References } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compileCacheEnv } from "../../../tools/compileCache.ts"
import { fixture } from "./support/pairs.ts"
import { reasonOf } from "./support/reasonOf.ts"

type ServerLayer = Layer.Layer<Listener.Listener, Transport.TransportError, Router.Router>
type PeerLayer = Layer.Layer<Peer.PeerService | Caller.Caller, Transport.TransportError>

class User extends Context.Service<User, { readonly id: string }>()("User") {}

const router = Layer.orDie(Router.layer({
  double: ({ params }) => Effect.succeed({ was: params ?? null }),
  login: () => Effect.map(Handshake.Holder, (holder) => holder?.hold(Context.make(User, { id: "ada" }))),
  whoami: () => Effect.map(Handshake.principal(User), (user) => Option.isSome(user) ? user.value.id : "nobody")
}))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const doubled = Effect.flatMap(Caller.Caller, (caller) => caller.request("double", [21]))

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

const wires: ReadonlyArray<readonly [string, ServerLayer, (listener: Listener.Listener) => PeerLayer]> = [
  ["NodeTcp", NodeTcp.layerServer({ port: 0 }), ({ port = 0 }) => NodeTcp.layerClient({ port })],
  [
    "NodeTcp, with the framing of a dialect",
    NodeTcp.layerServer({ port: 0, dialect: Dialect.lsp }),
    ({ port = 0 }) => NodeTcp.layerClient({ port, dialect: Dialect.lsp })
  ],
  [
    "NodeUnix",
    Layer.unwrap(Effect.map(folder, (path) => NodeUnix.layerServer({ path: join(path, "socket") }))),
    ({ address }) => NodeUnix.layerClient({ path: address.slice("unix:".length) })
  ],
  [
    "NodeWebSocket",
    NodeWebSocket.layerServer({ port: 0, path: "/rpc" }),
    ({ port = 0 }) => NodeWebSocket.layerClient({ port, path: "/rpc" })
  ]
]

describe.each(wires)("the layers of %s", (_, server, peer) => {
  it.live("serve the Router, say where, and call it", () =>
    Effect.gen(function*() {
      const listener = yield* Listener.Listener
      assert.deepStrictEqual(yield* Effect.provide(doubled, peer(listener)), { was: [21] })
    }).pipe(Effect.provide(server), Effect.provide(router), quietly))

  it.live("keep a login for its connection", () =>
    Effect.gen(function*() {
      const listener = yield* Listener.Listener
      const asking = Caller.Caller.use((caller) =>
        Effect.all([caller.request("whoami"), caller.request("login"), caller.request("whoami")])
      )
      for (const _ of [1, 2]) {
        assert.deepStrictEqual(yield* Effect.provide(asking, Layer.fresh(peer(listener))), ["nobody", null, "ada"])
      }
    }).pipe(Effect.provide(server), Effect.provide(router), quietly))
})

describe("the layers of one server", () => {
  it.live("fail where the server cannot listen", () =>
    Effect.gen(function*() {
      const { port } = yield* NodeTcp.makeListener({ port: 0 })
      const taken = NodeTcp.layerServer({ port: port ?? 0 })
      assert.strictEqual((yield* reasonOf(Layer.build(Layer.provide(taken, router))))._tag, "Open")
      // The tests run in the main thread.
      const outside = NodeWorker.layerServer()
      assert.strictEqual((yield* reasonOf(Layer.build(Layer.provide(outside, router))))._tag, "Open")
      yield* NodeStdio.makeTransport()
      const inUse = Layer.provide(NodeStdio.layerServer(), router)
      assert.strictEqual((yield* reasonOf(Layer.build(inUse)))._tag, "Open")
      assert.strictEqual((yield* reasonOf(Effect.provide(NodeStdio.runServer(), router)))._tag, "Open")
    }).pipe(quietly))

  it.live("run what belongs to a connection, with what it needs", () =>
    Effect.gen(function*() {
      const came = yield* Deferred.make<unknown>()
      const server = NodeTcp.layerServer({
        port: 0,
        onConnection: (peer) =>
          Effect.flatMap(Effect.orDie(peer.request("who")), (answer) => Deferred.succeed(came, answer))
      })
      yield* Effect.gen(function*() {
        const { port = 0 } = yield* Listener.Listener
        const serving = { handlerOf: () => () => Effect.succeed("me"), isConcurrent: () => false }
        yield* Layer.build(NodeTcp.layerClient({ port, router: serving }))
        assert.strictEqual(yield* Deferred.await(came), "me")
      }).pipe(Effect.provide(server), Effect.provide(router))
    }).pipe(quietly))

  it.live("over stdio end with their input, and are called by who started them", () =>
    Effect.gen(function*() {
      let stderr = ""
      const peer = NodeChildProcess.layerClient({
        command: process.execPath,
        args: [fixture("server.ts")],
        env: compileCacheEnv,
        dialect: Dialect.lsp,
        onStderr: (text) =>
          Effect.sync(() => {
            stderr += text
          })
      })
      assert.deepStrictEqual(yield* Effect.provide(doubled, peer), { was: [21] })
      assert.include(stderr, "served")
    }))

  it.live("of a worker start it and call it", () =>
    Effect.gen(function*() {
      const peer = NodeWorker.layerClient({ url: fixture("worker.ts") })
      const sum = Effect.flatMap(Caller.Caller, (caller) => caller.request("subtract", [42, 23]))
      assert.strictEqual(yield* Effect.provide(sum, peer), 19)
    }))
})
