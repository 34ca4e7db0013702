/** A `nats-server` with JetStream, on a free port of this machine and with a folder of its own. */
import { describe } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import * as Programs from "../../../../tools/debian/Programs.ts"

/** Describes tests that need the server. */
export const suites = (name: string, tests: () => void): void => {
  describe(name, () => {
    Programs.suites([{ program: "nats-server", package: "nats-server" }], tests)
  })
}

export interface NatsServer {
  /** `127.0.0.1:port`, the same at each start. */
  readonly address: string
  /** Kills the server. */
  readonly stop: Effect.Effect<void>
  /** Starts it again with what it has kept, or with nothing. */
  readonly start: (options?: { readonly isEmpty?: boolean; readonly config?: string }) => Effect.Effect<void>
  /** The server stands still until `resume`. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
}

/** A server that runs until the Scope closes. `config` is what its configuration says beside the address. */
export const make = (
  config = "jetstream {}"
): Effect.Effect<NatsServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-nats-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const store = join(folder, "store")
    let port = -1
    let running: ChildProcess | undefined

    const stop = Effect.promise(async () => {
      const server = running
      running = undefined
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
      const exited = once(server, "exit")
      server.kill("SIGKILL")
      await exited
    })

    const start: NatsServer["start"] = (options = {}) =>
      Effect.promise(async () => {
        if (options.isEmpty === true) rmSync(store, { recursive: true, force: true })
        const path = join(folder, "server.conf")
        writeFileSync(path, options.config ?? config)
        const server = running = spawn(
          "nats-server",
          ["-c", path, "-a", "127.0.0.1", "-p", `${port}`, "-sd", store],
          { env: Programs.env, stdio: ["ignore", "ignore", "pipe"] }
        )
        let said = ""
        for await (const line of createInterface(server.stderr)) {
          said += `${line}\n`
          const [, found] = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line) ?? []
          if (found !== undefined) port = Number(found)
          if (line.includes("Server is ready")) break
        }
        if (port === -1) throw new Error(`nats-server did not start: ${said}`)
        // Its log must not fill the pipe.
        server.stderr.resume()
      })

    const pause = Effect.promise(async () => {
      running?.kill("SIGSTOP")
      // Its threads stop one by one.
      while (!/^State:\s+T/m.test(readFileSync(`/proc/${running?.pid}/status`, "utf8"))) await setTimeout(1)
    })

    yield* Effect.acquireRelease(start(), () => stop)
    return {
      address: `127.0.0.1:${port}`,
      stop,
      start,
      pause,
      resume: Effect.sync(() => void running?.kill("SIGCONT"))
    }
  })
