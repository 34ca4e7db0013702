/**
 * Calls that a raw client writes at once over TCP, into handlers that take 5 ms. The client is another process, so that
 * the processor time is that of the server.
 */
import * as NodeTcp from "@parley/node/NodeTcp"
import type { Handler } from "@parley/peer/Handler"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import * as Listener from "@parley/transport/Listener"
import * as Effect from "effect/Effect"
import { JSONRPCServer } from "json-rpc-2.0"
import { fork } from "node:child_process"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { batched, lines } from "../../floor/floor.ts"
import { serve } from "../../floor/wires.ts"
import type { Ask } from "../raw.ts"
import type { Open, Subjects } from "../Row.ts"
import { pause, scoped } from "./wire.ts"

/** Milliseconds that a handler takes. */
const rest = 5

const resting: Handler = () => Effect.as(Effect.sleep(rest), null)

const rawClient = fileURLToPath(new URL("../raw.ts", import.meta.url))

/** Milliseconds in which one turn writes its calls again and again. */
const turn = 60

const over = (port: Promise<number>, stop: () => Promise<void>): Open => async (count) => {
  const client = fork(rawClient, [String(await port)])
  await once(client, "message")
  const ask = async (ask: Ask): Promise<number> => {
    client.send(ask)
    const [answered] = await once(client, "message")
    return Number(answered)
  }
  return {
    warmUp: async () => void await ask({ count: 512, milliseconds: 400 }),
    turn: () => ask({ count, milliseconds: turn }),
    close: async () => {
      client.kill()
      await once(client, "exit")
      await stop()
    }
  }
}

const parley: Open = async (count) => {
  const [port, stop] = await scoped(Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.add("rest", resting)
    const listener = yield* NodeTcp.makeListener({ port: 0 })
    yield* Effect.forkScoped(Server.run.pipe(
      Effect.provideService(Listener.Listener, listener),
      Effect.provideService(Router.Router, router)
    ))
    return Number(new URL(listener.address).port)
  }))
  return over(Promise.resolve(port), stop)(count)
}

/** A plain server of sockets. */
const plain = (take: (socket: Socket) => void): Open => (count) => {
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on("error", () => {})
    socket.setEncoding("utf8")
    take(socket)
  })
  return over(serve(server), async () => void server.close())(count)
}

export const subjects: Subjects = {
  parley,
  "json-rpc-2.0": plain((socket) => {
    const server = new JSONRPCServer()
    server.addMethod("rest", () => pause(rest).then(() => null))
    socket.on(
      "data",
      lines((line) =>
        void server.receiveJSON(line).then((reply) => reply && socket.write(JSON.stringify(reply) + "\n"))
      )
    )
  }),
  floor: plain((socket) => {
    const write = batched((text) => socket.write(text))
    socket.on(
      "data",
      lines((line) => {
        const { id } = JSON.parse(line)
        setTimeout(() => write(JSON.stringify({ jsonrpc: "2.0", result: null, id }) + "\n"), rest)
      })
    )
  })
}
