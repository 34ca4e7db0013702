/** A `redis-server` on a free port of this machine, with its data in a temporary folder. */
import { NodeRedis } from "@effect/platform-node"
import { describe } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import type * as Redis from "effect/persistence/Redis"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import * as Programs from "../../../../tools/debian/Programs.ts"
import { freePort } from "../../../../tools/docs/ports.ts"

/** Describes tests that need the program. They run at once, as they mostly wait. */
export const stories = (name: string, stories: () => void): void => {
  describe.concurrent(name, () => {
    Programs.suites([{ program: "redis-server", package: "redis-server" }], stories)
  })
}

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Starts it, with the data that it has saved. */
  readonly start: Effect.Effect<void>
  /** Kills it, with or without saving its data. */
  readonly stop: (keeps: "data" | "nothing") => Effect.Effect<void>
  /** Has it stand still, and go on. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Sends a command, and gives its reply as text. */
  readonly command: (...words: ReadonlyArray<string>) => Effect.Effect<string>
  /** Sends commands over one connection, and gives their replies as text. */
  readonly commands: (...commands: ReadonlyArray<ReadonlyArray<string>>) => Effect.Effect<string>
  /** A client of it. */
  readonly layer: Layer.Layer<Redis.Redis | NodeRedis.NodeRedis, Redis.RedisError>
}

/** A server that has just started gives no keys for a lease: owners from before may come back. */
export const settled = Effect.sleep("4 seconds")

/** A server that runs until the Scope closes. */
export const make = (args: ReadonlyArray<string> = []): Effect.Effect<RedisServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-redis-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const port = yield* Effect.promise(freePort)
    let running: ReturnType<typeof spawn> | undefined
    const kill = Effect.promise(async () => {
      const server = running
      running = undefined
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
      const exited = once(server, "exit")
      server.kill("SIGKILL")
      await exited
    })
    const commands = (...commands: ReadonlyArray<ReadonlyArray<string>>) => Effect.promise(() => ask(port, commands))
    const command = (...words: ReadonlyArray<string>) => commands(words)
    const start = Effect.promise(async () => {
      running = spawn(
        "redis-server",
        ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...args],
        { env: Programs.env, stdio: "ignore" }
      )
      for (;;) {
        const said = await ask(port, [["PING"]]).catch(() => "")
        if (said !== "" && !said.startsWith("-LOADING")) break
        await new Promise((go) => setTimeout(go, 10))
      }
    })
    yield* Effect.addFinalizer(() => kill)
    yield* start
    const url = `redis://127.0.0.1:${port}`
    return {
      port,
      url,
      start,
      stop: (keeps) =>
        Effect.andThen(
          keeps === "data"
            ? command("SAVE")
            : Effect.sync(() => rmSync(join(folder, "dump.rdb"), { force: true })),
          kill
        ),
      pause: Effect.sync(() => void running?.kill("SIGSTOP")),
      resume: Effect.sync(() => void running?.kill("SIGCONT")),
      command,
      commands,
      layer: NodeRedis.layer({ url })
    }
  })

/** Sends commands over a connection of its own, and gives their replies as text. */
const ask = async (port: number, commands: ReadonlyArray<ReadonlyArray<string>>): Promise<string> => {
  const socket = connect(port, "127.0.0.1")
  for (const words of [...commands, ["QUIT"]]) {
    socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`)
  }
  return (await text(socket)).trim()
}
