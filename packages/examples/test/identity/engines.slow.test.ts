/** Who is who, on nodes over Redis and over NATS: all that they exchange with the engine is read. */
import { NodeRedis } from "@effect/platform-node"
import { describe } from "@effect/vitest"
import { Journal } from "@parley/mesh/Journal"
import { Mesh } from "@parley/mesh/Mesh"
import * as NatsClient from "@parley/nats/NatsClient"
import * as NatsNodes from "@parley/nats/NatsNodes"
import * as RedisNodes from "@parley/redis/RedisNodes"
import { Context, Effect, Layer, type Scope } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import * as Programs from "../../../../tools/debian/Programs.ts"
import * as NatsServer from "../../../nats/test/support/NatsServer.ts"
import * as RedisServer from "../../../redis/test/support/RedisServer.ts"
import { cells } from "./matrix.ts"
import type { Engine } from "./World.ts"

/** A port before another one, and all bytes of both directions. */
const tapped = (to: number) =>
  Effect.gen(function*() {
    const seen: Array<Buffer> = []
    const sockets = new Set<Socket>()
    const server = createServer((near) => {
      const far = connect(to, "127.0.0.1")
      for (const [from, to] of [[near, far], [far, near]] as const) {
        sockets.add(from)
        from.on("data", (bytes) => seen.push(Buffer.from(bytes)))
        from.on("error", () => to.destroy())
        from.pipe(to)
      }
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
      () =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          server.close()
        })
    )
    const address = server.address()
    return {
      port: typeof address === "object" ? address?.port ?? 0 : 0,
      seen: () => Buffer.concat(seen).toString()
    }
  })

const engineOf = <E>(
  { port, seen }: { readonly port: number; readonly seen: () => string },
  layer: (port: number) => Layer.Layer<Mesh | Journal, E>
): Engine => ({
  node: () =>
    Effect.map(
      Effect.orDie(Layer.build(Layer.fresh(layer(port)))),
      (context) => ({ mesh: Context.get(context, Mesh), journal: Context.get(context, Journal) })
    ),
  seen
})

const redis: Effect.Effect<Engine, never, Scope.Scope> = Effect.gen(function*() {
  const { port } = yield* RedisServer.make()
  yield* RedisServer.settled
  return engineOf(
    yield* tapped(port),
    (port) =>
      Layer.provide(RedisNodes.layer({ keys: "unsigned" }), NodeRedis.layer({ url: `redis://127.0.0.1:${port}` }))
  )
})

const nats: Effect.Effect<Engine, never, Scope.Scope> = Effect.gen(function*() {
  const { address } = yield* NatsServer.make()
  return engineOf(
    yield* tapped(Number(address.split(":")[1])),
    (port) => Layer.provide(NatsNodes.layer({ keys: "unsigned" }), NatsClient.layer({ servers: `127.0.0.1:${port}` }))
  )
})

for (
  const [name, program, engine] of [["Redis", "redis-server", redis], ["NATS", "nats-server", nats]] as const
) {
  describe(name, () => {
    Programs.suites([{ program, package: program }], () => {
      for (const isBehind of [false, true]) {
        cells(`${isBehind ? "behind a gateway" : "a server"} on two nodes over ${name}`, { engine, isBehind })
      }
    })
  })
}
