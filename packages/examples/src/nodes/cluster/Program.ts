/** A program of a trial as a process, which speaks with this one by messages. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"

/** Debian keeps servers where only root looks for programs. */
export const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` }

export interface Program {
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>
  readonly signal: (signal: NodeJS.Signals) => void
  /** The next message, as the program sends it. */
  readonly next: Effect.Effect<unknown>
  /** Sends a word, and gives what the program answers. */
  readonly ask: (word: string) => Effect.Effect<unknown>
}

/** Starts a source file with its settings, until the Scope closes. What it logs goes to a file. */
export const start = (
  file: string,
  settings: unknown,
  log: string
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function*() {
    const output = fs.openSync(log, "a")
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--expose-gc", file, JSON.stringify(settings)], {
          stdio: ["ignore", output, output, "ipc"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    fs.closeSync(output)
    const ended = once(child, "exit")
    const next = Effect.promise(async () => {
      const failed = ended.then(() => {
        throw new Error(`${file} has ended: ${fs.readFileSync(log, "utf8")}`)
      })
      const [message]: ReadonlyArray<unknown> = await Promise.race([once(child, "message"), failed])
      return message
    })
    return {
      ended,
      signal: (signal) => void child.kill(signal),
      next,
      ask: (word) => Effect.andThen(Effect.sync(() => child.send(word)), next)
    }
  })

/** Within a program: its settings, as the process that has started it wrote them. */
export const settings = <A>(): A => JSON.parse(process.argv[2] ?? "") as A

/** Within a program: says something to the process that has started it. */
export const say = (message: unknown) => void process.send?.(message)

/** Within a program: answers words, until the process ends that has started it. */
export const serve = (answer: (word: string) => void) => {
  process.on("message", answer)
  process.on("disconnect", () => process.exit())
}
