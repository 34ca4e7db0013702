/** The server of an engine as a process, with its data in a folder that goes with the Scope. */
import { NodeTcp } from "@parley/node"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Program from "./Program.ts"

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
    const port = yield* freePort
    const [command, ...args] = programs[name](port, folder)
    const run = () => spawn(command, args, { env: Program.env, stdio: "ignore" })
    let server = run()
    yield* Effect.addFinalizer(() => Effect.sync(() => server.kill("SIGKILL")))
    yield* listening(port)
    const restart = (down: number) =>
      Effect.gen(function*() {
        yield* Effect.promise(async () => {
          const ended = once(server, "exit")
          server.kill("SIGTERM")
          await ended
        })
        yield* Effect.sleep(down)
        server = run()
        yield* listening(port)
      })
    return { name, port, restart }
  })

/** A port that was free a moment ago. */
const freePort: Effect.Effect<number> = Effect.scoped(Effect.orDie(Effect.map(
  NodeTcp.makeListener({ port: 0 }),
  ({ address }) => Number(new URL(address).port)
)))

/** Waits until a port takes connections. */
const listening = (port: number): Effect.Effect<void> =>
  Effect.asVoid(Effect.eventually(
    Effect.tapError(Effect.scoped(NodeTcp.makeTransport({ port })), () => Effect.sleep("50 millis"))
  ))
