/**
 * One text to so many connections over TCP, which read everything in another process. The floor has a loop that writes the
 * bytes of the prepared text to each socket.
 */
import * as NodeTcp from "@parley/node/NodeTcp"
import * as Broadcast from "@parley/peer/Broadcast"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import * as Listener from "@parley/transport/Listener"
import * as Effect from "effect/Effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { serve } from "../../floor/wires.ts"
import { small } from "../../Subject.ts"
import type { Open, Subjects } from "../Row.ts"
import { immediate, scoped } from "./wire.ts"

const script = fileURLToPath(new URL("../readers.ts", import.meta.url))

const method = "tick"

const line = `${JSON.stringify({ jsonrpc: "2.0", method, params: small })}\n`

/** Deliveries of one turn at least. */
const together = 4_096

/** Tells all, and how many there are. */
interface Server {
  readonly port: number
  readonly size: () => number
  readonly tell: () => void
  readonly close: () => Promise<void>
}

const over = (start: () => Promise<Server>): Open => async (count) => {
  const server = await start()
  const readers = fork(script, [String(server.port), String(count)])
  await once(readers, "message")
  while (server.size() < count) await immediate()
  const rounds = Math.max(1, Math.ceil(together / count))
  let told = 0
  const turn = async () => {
    told += rounds * count * line.length
    readers.send(told)
    const read = once(readers, "message")
    for (let round = 0; round < rounds; round++) {
      server.tell()
      // Texts of one turn of the event loop go out in one write.
      await immediate()
    }
    await read
    return rounds * count
  }
  return {
    turn,
    close: async () => {
      readers.kill()
      await once(readers, "exit")
      await server.close()
    }
  }
}

const parley: Open = over(async () => {
  const [server, close] = await scoped(Effect.gen(function*() {
    const everyone = yield* Broadcast.make()
    const listener = yield* NodeTcp.makeListener({ port: 0, limits: { connections: 4_096 } })
    yield* Effect.forkScoped(
      Server.runWith({ onConnection: (peer) => Effect.orDie(everyone.join(peer)) }).pipe(
        Effect.provideService(Listener.Listener, listener),
        Effect.provideService(Router.Router, yield* Router.make())
      )
    )
    return {
      port: Number(new URL(listener.address).port),
      size: () => Effect.runSync(everyone.size),
      tell: () => Effect.runSync(everyone.notify(method, small))
    }
  }))
  return { ...server, close }
})

const floor: Open = over(async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on("error", () => {})
    sockets.add(socket)
  })
  const port = await serve(server)
  const bytes = Buffer.from(line)
  return {
    port,
    size: () => sockets.size,
    tell: () => sockets.forEach((socket) => socket.write(bytes)),
    close: async () => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    }
  }
})

export const subjects: Subjects = { parley, floor }
