/** The server of an engine as a process, with its data in a folder that goes with the Scope. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as net from "node:net"
import { setTimeout } from "node:timers/promises"

/** The engines of a trial. */
export const names = ["redis", "nats"] as const

export type Name = typeof names[number]

export interface Engine {
  readonly name: Name
  readonly port: number
  /** Stops the server in order, and starts it again with its data after so many milliseconds. */
  readonly restart: (down: number) => Effect.Effect<void>
}

const programs: { readonly [name in Name]: (port: number, folder: string) => readonly [string, ...Array<string>] } = {
  redis: (port, folder) => [
    "redis-server",
    ...["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--save", ""]
  ],
  nats: (port, folder) => ["nats-server", "-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", folder]
}

/** Starts a server at a free port of this machine, until the Scope closes. */
export const start = (name: Name, folder: string): Effect.Effect<Engine, never, Scope.Scope> =>
  Effect.gen(function*() {
    const port = yield* Effect.promise(freePort)
    const [command, ...args] = programs[name](port, folder)
    // Debian keeps servers where only root looks for programs.
    const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` }
    const run = () => spawn(command, args, { env, stdio: "ignore" })
    let server = run()
    yield* Effect.addFinalizer(() => Effect.sync(() => server.kill("SIGKILL")))
    yield* Effect.promise(() => listening(port))
    const restart = (down: number) =>
      Effect.promise(async () => {
        const ended = once(server, "exit")
        server.kill("SIGTERM")
        await ended
        await setTimeout(down)
        server = run()
        await listening(port)
      })
    return { name, port, restart }
  })

const freePort = async (): Promise<number> => {
  const server = net.createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  // A server that listens at a port has an address with a port.
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Waits until a port takes connections. */
const listening = async (port: number): Promise<void> => {
  for (;;) {
    const socket = net.connect(port, "127.0.0.1")
    const isThere = await once(socket, "connect").then(() => true, () => false)
    socket.destroy()
    if (isThere) return
    await setTimeout(50)
  }
}
