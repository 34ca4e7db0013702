import { assert, describe, it } from "@effect/vitest"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Peer, Router, Server } from "@parley/peer"
import { Listener } from "@parley/transport/Listener"
import type { Transport, TransportError } from "@parley/transport/Transport"
import { Context, Deferred, Effect, Exit, Fiber, Layer, References, Scope } from "effect"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Wire {
  readonly name: string
  readonly listen: () => Layer.Layer<Listener, TransportError>
  readonly connect: (listener: Listener) => Effect.Effect<Transport, TransportError, Scope.Scope>
}

const path = join(tmpdir(), `parley-draining-${process.pid}`)

const wires: ReadonlyArray<Wire> = [
  {
    name: "NodeTcp",
    listen: () => NodeTcp.layerListener({ port: 0 }),
    connect: ({ port = 0 }) => NodeTcp.makeTransport({ port })
  },
  {
    name: "NodeUnix",
    listen: () => NodeUnix.layerListener({ path }),
    connect: () => NodeUnix.makeTransport({ path })
  },
  {
    name: "NodeWebSocket",
    listen: () => NodeWebSocket.layerListener({ port: 0 }),
    connect: ({ address }) => NodeWebSocket.makeTransport({ url: address })
  }
]

describe.for(wires)("a server over $name", ({ connect, listen }) => {
  it.live("promise 19: end of input drains, and meanwhile nobody new can connect", () =>
    Effect.gen(function*() {
      const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const wait = () => Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as("went"))
      const scope = yield* Scope.fork(yield* Effect.scope)
      const server = Layer.provideMerge(Server.layer(), Layer.merge(listen(), Router.layer({ wait })))
      const listener = Context.get(yield* Layer.buildWithScope(server, scope), Listener)
      const peer = yield* Effect.flatMap(connect(listener), Peer.make)
      const call = yield* Effect.forkChild(peer.request("wait"), { startImmediately: true })
      yield* Deferred.await(begun)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.strictEqual((yield* Effect.flip(connect(listener))).reason._tag, "Open")
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(call), "went")
      yield* Fiber.join(closing)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
})
