/** A service of the examples as a process. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"

export interface Service {
  readonly url: string
  /** The text that it has logged. */
  readonly log: () => string
  /** Sends SIGTERM, and waits for the end. */
  readonly stop: Effect.Effect<unknown>
}

/** Starts a program at a free port, and waits until it listens. */
export const start = (program: URL, settings: NodeJS.ProcessEnv): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.gen(function*() {
    const env = { ...process.env, PORT: "0", ...settings }
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [program.pathname], { env, stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const exit = once(child, "exit")
    let log = ""
    const url = yield* Effect.callback<string>((resume) => {
      child.stdout.on("data", (chunk) => {
        log += chunk
        const found = /Listening at (http:\S+)/.exec(log)?.[1]
        if (found !== undefined) resume(Effect.succeed(found))
      })
      child.on("exit", () => resume(Effect.die(new Error(`the service has ended: ${log}`))))
    })
    const stop = Effect.promise(() => {
      child.kill("SIGTERM")
      return exit
    })
    return { url, log: () => log, stop }
  })
