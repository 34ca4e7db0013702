/**
 * Over NATS, at a server that the serving process starts: bare requests and replies of its client as the floor, calls on a
 * subject, and calls in a conversation.
 */
import * as NatsClient from "@parley/nats/NatsClient"
import * as NatsRpc from "@parley/nats/NatsRpc"
import * as NatsTransport from "@parley/nats/NatsTransport"
import * as Router from "@parley/peer/Router"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { delimiter } from "node:path"
import { createInterface } from "node:readline"
import { clientOf, peerOf, router, serve, variants } from "../peers/parley.ts"
import type { Subject } from "../Subject.ts"

/** Debian keeps the server where only root looks. */
const env = { ...process.env, PATH: `${process.env["PATH"]}${delimiter}/usr/sbin` }

/** Whether there is a server to measure with. */
export const isThere = (): boolean => spawnSync("nats-server", ["--version"], { env }).status === 0

/** Starts a server, which ends with this process, and gives its port. */
const startServer = async (): Promise<number> => {
  const server = spawn("nats-server", ["-a", "127.0.0.1", "-p", "-1"], { env, stdio: ["ignore", "ignore", "pipe"] })
  process.on("exit", () => server.kill("SIGKILL"))
  for await (const line of createInterface(server.stderr)) {
    const [, port] = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line) ?? []
    if (port === undefined) continue
    server.stderr.resume()
    return Number(port)
  }
  throw new Error("nats-server has ended")
}

const subject = "echo"

const connect = (port: number) => NatsClient.make({ servers: `127.0.0.1:${port}` })

/** Runs with a connection, which lasts as long as its Scope. */
const connected = <A, E, R>(
  port: number,
  effect: Effect.Effect<A, E, R | NatsClient.NatsClient>
): Effect.Effect<A, unknown, Exclude<R, NatsClient.NatsClient> | Scope.Scope> =>
  Effect.flatMap(connect(port), (client) => Effect.provideService(effect, NatsClient.NatsClient, client))

/** The connection of the client alone. */
const bare = (port: number) =>
  Effect.runPromise(
    Effect.map(Effect.provideService(connect(port), Scope.Scope, Scope.makeUnsafe()), ({ connection }) => connection)
  )

const [variant = { name: "parley" }] = variants

const floor: Subject = {
  name: "nats/floor",
  wire: "nats",
  serve: async () => {
    const port = await startServer()
    const connection = await bare(port)
    connection.subscribe(subject, {
      callback: (_, message) => {
        const { id, params } = JSON.parse(message.string())
        message.respond(JSON.stringify({ jsonrpc: "2.0", result: params, id }))
      }
    })
    await connection.flush()
    return port
  },
  connect: async (port) => {
    const connection = await bare(port)
    let n = 0
    return {
      call: async (params) => {
        const text = JSON.stringify({ jsonrpc: "2.0", method: "echo", params, id: ++n })
        const message = await connection.request(subject, text, { timeout: 30_000 })
        return JSON.parse(message.string()).result
      },
      close: () => connection.close()
    }
  }
}

const calls: Subject = {
  name: "nats/parley",
  wire: "nats",
  serve: async () => {
    const port = await startServer()
    await new Promise<void>((resolve) => {
      Effect.runFork(Effect.scoped(Effect.gen(function*() {
        const served = yield* router(variant)
        yield* connected(port, Effect.provideService(NatsRpc.serve({ subject }), Router.Router, served))
        resolve()
        return yield* Effect.never
      })))
    })
    return port
  },
  connect: (port) => clientOf(variant, connected(port, NatsRpc.makeClient({ subject })))
}

const conversation: Subject = {
  name: "nats/parley-conversation",
  wire: "nats",
  serve: async () => {
    const port = await startServer()
    await serve(variant, connected(port, NatsTransport.makeListener({ subject })))
    return port
  },
  connect: (port) => peerOf(variant, connected(port, NatsTransport.makeTransport({ subject })))
}

export const nats: ReadonlyArray<Subject> = [floor, calls, conversation]
