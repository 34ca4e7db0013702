/** The real command as a child process, watched by its events; none outlives its test but the one of `Runner`. */
import { Deferred, Effect, Queue, type Scope } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { compileCache } from "../../../tools/compileCache.ts"
import * as Runner from "./Runner.ts"

/** The script of the command. */
export const bin = new URL("../src/bin.ts", import.meta.url).pathname

/** An endpoint that is a script of ours, which gets a safe environment alone. */
export const stdio = (script: string): string =>
  `stdio:env "NODE_COMPILE_CACHE=${compileCache}" "${process.execPath}" "${script}"`

/** The command as an endpoint of `parley call`. */
export const serveStdio = `${stdio(bin)} serve --stdio`

export interface Outcome {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly pid: number
  /** Waits for the next line of stdout. */
  readonly line: Effect.Effect<string>
  /** Waits for the next line of stderr. */
  readonly errorLine: Effect.Effect<string>
  readonly write: (bytes: string | Uint8Array) => Effect.Effect<void>
  readonly end: Effect.Effect<void>
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  /** Waits until the process has ended and its streams are read. */
  readonly outcome: Effect.Effect<Outcome>
}

/** A program that runs scripts, and what it is given before the script. */
export type Runtime = readonly [program: string, ...args: ReadonlyArray<string>]

/** The runtime of the tests. */
export const node: Runtime = [process.execPath]

/** Starts `parley` with these arguments. */
export const start = (args: ReadonlyArray<string>, runtime = node): Effect.Effect<Running, never, Scope.Scope> =>
  startScript(runtime, [bin, ...args])

const startScript = (
  [program, ...given]: Runtime,
  args: ReadonlyArray<string>
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(program, [...given, ...args], { stdio: "pipe" })),
      gone
    )
    child.stdin.on("error", () => {})
    const stdout = linesOf(child.stdout)
    const stderr = linesOf(child.stderr)
    const outcome = yield* Deferred.make<Outcome>()
    child.on(
      "close",
      (code, signal) =>
        Deferred.doneUnsafe(outcome, Effect.succeed({ code, signal, stdout: stdout.text(), stderr: stderr.text() }))
    )
    return {
      pid: child.pid ?? 0,
      line: stdout.line,
      errorLine: stderr.line,
      write: (bytes) => Effect.sync(() => void child.stdin.write(bytes)),
      end: Effect.sync(() => void child.stdin.end()),
      signal: (name) => Effect.sync(() => void child.kill(name)),
      outcome: Deferred.await(outcome)
    }
  })

/** Runs a script to its end, without input. */
export const runScript = (runtime: Runtime, args: ReadonlyArray<string>): Effect.Effect<Outcome> =>
  Effect.scoped(Effect.flatMap(startScript(runtime, args), ({ end, outcome }) => Effect.andThen(end, outcome)))

/** Runs `parley` to its end, with this input: in a process of its own where it has one. */
export const run = (args: ReadonlyArray<string>, input: string | Uint8Array = ""): Effect.Effect<Outcome> =>
  input.length === 0 ? Runner.run(args) : Effect.scoped(Effect.gen(function*() {
    const running = yield* start(args)
    yield* running.write(input)
    yield* running.end
    return yield* running.outcome
  }))

/** Runs `parley` with one list of arguments after the other, without input. */
export const runAll = (...all: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<ReadonlyArray<Outcome>> =>
  Effect.forEach(all, (args) => Runner.run(args))

/** A server on a socket, once it is ready, and its address. */
export const listen = (args: ReadonlyArray<string>, runtime = node) =>
  Effect.gen(function*() {
    const running = yield* start(["serve", ...args], runtime)
    const line = yield* running.line
    return { ...running, address: line.replace(/^listening /, "") }
  })

/** Whether a process of this number runs. */
export const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const gone = (child: ChildProcessWithoutNullStreams) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

const linesOf = (stream: NodeJS.ReadableStream) => {
  const lines = Effect.runSync(Queue.unbounded<string>())
  let text = ""
  let rest = ""
  stream.setEncoding("utf8")
  stream.on("data", (chunk: string) => {
    text += chunk
    const parts = (rest + chunk).split("\n")
    rest = parts.pop() ?? ""
    for (const part of parts) Queue.offerUnsafe(lines, part)
  })
  return { text: () => text, line: Queue.take(lines) }
}
