/** Programs of others that a story runs. */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { env } from "../../../../../tools/debian/Programs.ts"
import { listening as listeningServer } from "../sides.ts"

/** The path of a program of ours. */
export const path = (name: string): string => join(import.meta.dirname, "programs", name)

/** A program that prints the port that it listens at. */
export const listening = (command: string, ...args: ReadonlyArray<string>): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function*() {
    const program = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] })),
      ended
    )
    const [port] = yield* Effect.promise(() => once(createInterface(program.stdout), "line"))
    return Number(port)
  })

/** The output of a program. */
export const printed = (command: string, ...args: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.promise(async () => {
    const program = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    program.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
    })
    await once(program, "close")
    return text
  })

/** A program that takes no port 0. */
export interface Options {
  readonly command: string
  readonly args: (port: number) => ReadonlyArray<string>
  /** The stream of its status lines. */
  readonly log: "stderr" | "stdout"
  /** The line of a program that listens at the port, and of one that cannot. */
  readonly isListening: (line: string, port: number) => boolean
  readonly hasFailed: (line: string) => boolean
}

/** Ports that were free a moment ago. Somebody else may be faster. */
const attempts = 5

/** A port that was free a moment ago. */
export const freePort: Effect.Effect<number> = Effect.scoped(listeningServer(createServer()))

/** The port at which a program listens that takes no port 0. */
export const onFreePort = (options: Options): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function*() {
    let said = ""
    for (let attempt = 0; attempt < attempts; attempt++) {
      const port = yield* freePort
      const program = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(options.command, options.args(port), { env, stdio: ["ignore", "pipe", "pipe"] })),
        ended
      )
      const [log, other] = options.log === "stdout"
        ? [program.stdout, program.stderr]
        : [program.stderr, program.stdout]
      other.resume()
      if (yield* Effect.promise(() => hears(log, port, options, (line) => said += `${line}\n`))) return port
      yield* ended(program)
    }
    return assert.fail(`${options.command} did not listen: ${said}`)
  })

/** Whether it listens. Its log must not fill the pipe after that. */
const hears = async (log: Readable, port: number, options: Options, onLine: (line: string) => void) => {
  for await (const line of createInterface(log)) {
    onLine(line)
    if (options.hasFailed(line)) return false
    if (!options.isListening(line, port)) continue
    log.resume()
    return true
  }
  return false
}

const ended = (program: ChildProcess) =>
  Effect.promise(async () => {
    if (program.exitCode !== null || program.signalCode !== null) return
    const exited = once(program, "exit")
    program.kill("SIGKILL")
    await exited
  })
