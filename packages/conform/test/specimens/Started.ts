/** Programs under test, as targets. */
import { assert } from "@effect/vitest"
import { Target } from "@parley/conform"
import { NodeChildProcess, NodeHttp } from "@parley/node"
import { Framing } from "@parley/protocol"
import { Duration, Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

/** A command and its arguments. */
export type Command = readonly [command: string, ...args: ReadonlyArray<string>]

/** How a command is started. */
export interface Options {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly framing?: Target.Stream["framing"] | undefined
  /** The line that is waited for, and its part: the first line by default. */
  readonly find?: RegExp | undefined
}

/** How long a process may take to end by itself. */
const grace = Duration.seconds(2)

/** A program that is started anew for each connection, and speaks over its standard input and output. */
export const stdio = ([command, ...args]: Command, { cwd, env, framing = "line" }: Options = {}): Target.Target => {
  const options = { command, args, cwd, env, onStderr: () => Effect.void, endGrace: 500, killGrace: 500 }
  return {
    _tag: "Duplex",
    name: [command, ...args].join(" "),
    connect: NodeChildProcess.makeTransport({ ...options, framing: Framing.byName(framing) }),
    stream: {
      framing,
      connect: NodeChildProcess.makeTransport({ ...options, framing: Target.binary(framing) })
    },
    ending: {
      connect: NodeChildProcess.makeTransport({ ...options, framing: Framing.byName(framing), endGrace: grace }),
      grace
    },
    isProcess: true
  }
}

/** An endpoint that listens at a URL. */
export const posted = (
  url: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Target.Target, never, Scope.Scope> =>
  Effect.map(
    Effect.orDie(NodeHttp.makeFetcher()),
    (fetcher): Target.Target => ({ _tag: "Http", name: url, url, headers, fetcher })
  )

/** A program that prints its URL in its first line, and ends with the Scope. */
export const http = (command: Command, options: Options = {}): Effect.Effect<Target.Target, never, Scope.Scope> =>
  Effect.flatMap(printed(command, options), (url) => posted(url))

/** A line of a program that ends with the Scope: its first one by default. */
export const printed = (
  [command, ...args]: Command,
  { cwd, env, find = /(.*)/ }: Options = {}
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function*() {
    const program = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] })
      ),
      (program) =>
        Effect.promise(async () => {
          if (program.exitCode !== null || program.signalCode !== null) return
          const exited = once(program, "exit")
          program.kill("SIGKILL")
          await exited
        })
    )
    return yield* Effect.promise(async () => {
      for await (const line of createInterface(program.stdout)) {
        const [, found] = find.exec(line) ?? []
        if (found === undefined) continue
        // Its log must not fill the pipe.
        program.stdout.resume()
        return found
      }
      return assert.fail(`${command} has ended`)
    })
  })
