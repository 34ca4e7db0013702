/**
 * From one process to another over Redis: a text to each side's channel, by hand, and the same as a call of a `Mesh`.
 *
 * The serving side starts a `redis-server`, which ends with it.
 */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as RedisNodes from "@parley/redis/RedisNodes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { floorClient, floorServer } from "../floor/floor.ts"
import type { Client, Subject } from "../Subject.ts"

const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  // It listens at a port, so it has no path.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Starts a server that keeps nothing, and gives its port. */
const start = async (): Promise<number> => {
  const port = await freePort()
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--dir", tmpdir()]
  const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] })
  for (const signal of ["SIGTERM", "exit"]) {
    process.once(signal, () => {
      server.kill("SIGKILL")
      if (signal !== "exit") process.exit()
    })
  }
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.stdout.on("data", (said: Buffer) => {
      if (said.includes("Ready to accept connections")) resolve(port)
    })
  })
}

const built = (port: number, scope: Scope.Scope) =>
  Layer.buildWithScope(NodeRedis.layer({ url: `redis://127.0.0.1:${port}` }), scope)

const closing = (scope: Scope.Closeable) => () => Effect.runPromise(Scope.close(scope, Exit.void))

/** Publishes to one channel, and hears another. */
const channels = async (port: number, to: string, from: string, hear: (text: string) => void) => {
  const scope = Scope.makeUnsafe()
  const { client } = Context.get(await Effect.runPromise(built(port, scope)), NodeRedis.NodeRedis)
  const subscriber = await client.duplicate().connect()
  await subscriber.subscribe(from, hear)
  const close = async () => {
    subscriber.destroy()
    await closing(scope)()
  }
  return { say: (text: string) => void client.publish(to, text), close }
}

const floor: Subject = {
  name: "redis/floor",
  wire: "redis",
  serve: async () => {
    const port = await start()
    let hear = (_text: string) => {}
    const { say } = await channels(port, "answers", "calls", (text) => hear(text))
    hear = floorServer(say)
    return port
  },
  connect: async (port): Promise<Client> => {
    let hear = (_text: string) => {}
    const { close, say } = await channels(port, "calls", "answers", (text) => hear(text))
    const client = floorClient(say)
    hear = client.recv
    return { call: client.call, close }
  }
}

/** A node of this process. */
const nodeOf = (port: number, scope: Scope.Scope) =>
  Effect.gen(function*() {
    const engine = yield* Effect.provide(RedisNodes.makeEngine(), yield* built(port, scope))
    // The engine that it is compared with signs nothing either.
    return yield* MeshNode.make(engine, { keys: "unsigned" })
  }).pipe(Scope.provide(scope))

const key = "echo/1"

const parley = (name: string, isByKey: boolean): Subject => ({
  name,
  wire: "redis",
  serve: async () => {
    const port = await start()
    const scope = Scope.makeUnsafe()
    const claimed = Effect.gen(function*() {
      const mesh = yield* nodeOf(port, scope)
      yield* mesh.serve("echo", ({ text }) => Effect.succeed(JSON.stringify(JSON.parse(text))))
      // A server that has just started waits for owners.
      yield* Effect.eventually(Effect.tapError(mesh.claim(key), () => Effect.sleep("500 millis")))
    })
    await Effect.runPromise(Scope.provide(claimed, scope))
    return port
  },
  connect: async (port): Promise<Client> => {
    const scope = Scope.makeUnsafe()
    const mesh = await Effect.runPromise(nodeOf(port, scope))
    const node = await Effect.runPromise(mesh.owner(key)) ?? ""
    const to = isByKey ? { key } : { name: "echo", node }
    const callEffect = (params: unknown) =>
      Effect.map(
        Stream.runHead(mesh.call(to, JSON.stringify(params))),
        (text) => text._tag === "Some" ? JSON.parse(text.value) : undefined
      )
    return { call: (params) => Effect.runPromise(callEffect(params)), callEffect, close: closing(scope) }
  }
})

export const redis: ReadonlyArray<Subject> = [
  floor,
  parley("redis/parley", false),
  parley("redis/parley-key", true)
]
