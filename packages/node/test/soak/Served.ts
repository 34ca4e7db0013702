/** The server of the soak: a process of its own, and a connection that asks it how it fares. */
import * as NodeTcp from "@parley/node/NodeTcp"
import * as Peer from "@parley/peer/Peer"
import { Effect, type Scope } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fixture, portOf } from "../support/pairs.ts"

/** Where it listens. */
export interface Addresses {
  readonly tcp: string
  readonly unix: string
  readonly webSocket: string
  readonly http: string
}

/** What is open, by wire; of HTTP the requests. And what hangs, and what should never have run. */
export interface Counts {
  readonly tcp: number
  readonly unix: number
  readonly webSocket: number
  readonly http: number
  readonly hanging: number
  readonly trespasses: number
}

/** What a server that nobody uses has none of. */
export const countsOf = ["tcp", "unix", "webSocket", "http", "hanging", "trespasses"] as const

/** Bytes, and handles. `growth` is that of the resident memory at its peak, since the mark. */
export interface Stats extends Counts {
  readonly rss: number
  readonly growth: number
  readonly used: number
  readonly descriptors: number
  readonly resources: number
  /** Milliseconds of the longest turn of its event loop since the mark. */
  readonly turn: number
}

export interface Served {
  readonly addresses: Addresses
  readonly control: Peer.Peer
  readonly counts: Effect.Effect<Counts>
  /** Begins to watch the resident memory. */
  readonly mark: Effect.Effect<unknown>
  readonly stats: Effect.Effect<Stats>
  /** The same, when it has collected its garbage. */
  readonly settled: Effect.Effect<Stats>
  /** Ends it as the kernel does, and waits until it is gone. */
  readonly kill: Effect.Effect<void>
  /** Asks it to end, and gives its exit code. */
  readonly end: Effect.Effect<number | null>
  /** The end of what it has logged. */
  readonly log: () => string
}

/** How to start it: with so many descriptors, or where another one has listened before. */
export interface Options {
  readonly descriptors?: number
  readonly again?: Addresses
}

const pathOf = (address: string) => address.slice("unix:".length)

/** A place for a Unix socket, removed with the Scope. */
const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-soak-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/**
 * With the memory of a large machine V8 collects late, and what it has not collected yet is no memory that we hold. So
 * its whole heap is less than the budget of one listener; it would end a process that holds more.
 */
const heap = ["--max-old-space-size=208", "--max-semi-space-size=8"]

/** The C library likewise keeps what was freed, unless it is this large: as large as what Node.js reads into. */
const env = { ...process.env, MALLOC_MMAP_THRESHOLD_: String(64 * 1024) }

/** A program of ours, with so many descriptors where that is said. */
export const run = (name: string, argument: unknown, descriptors?: number): ChildProcessWithoutNullStreams => {
  const args = [...heap, fixture(name), JSON.stringify(argument)]
  return descriptors === undefined
    ? spawn(process.execPath, args, { stdio: "pipe", env })
    : spawn("sh", ["-c", `ulimit -n ${descriptors} && exec "$0" "$@"`, process.execPath, ...args], {
      stdio: "pipe",
      env
    })
}

/** Whoever waits for a first line, or hears that there is none. */
const firstLine = (child: ChildProcessWithoutNullStreams): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      const end = text.indexOf("\n")
      if (end !== -1) resolve(text.slice(0, end))
    })
    child.once("exit", (code, signal) => reject(new Error(`it ended with ${code ?? signal} before its first line`)))
  })

const running = (...options: Parameters<typeof run>) =>
  Effect.acquireRelease(
    Effect.sync(() => run(...options)),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Runs a program of ours to its end, and gives the lines that it prints. */
export const lines = (...options: Parameters<typeof run>): Effect.Effect<ReadonlyArray<string>, Error> =>
  Effect.scoped(Effect.gen(function*() {
    const child = yield* running(...options)
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
    const [stdout, stderr, [code]] = yield* Effect.promise(() => said)
    if (code !== 0) return yield* Effect.fail(new Error(`${options[0]} ended with ${code}: ${stderr}`))
    return stdout.trimEnd().split("\n")
  }))

export const start = (options: Options = {}): Effect.Effect<Served, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const { again, descriptors } = options
    const argument = again === undefined
      ? { path: join(yield* directory, "socket") }
      : {
        path: pathOf(again.unix),
        tcp: portOf(again.tcp),
        webSocket: portOf(again.webSocket),
        http: portOf(again.http.slice(0, -1))
      }
    let log = ""
    const child = yield* running("soakServer.ts", argument, descriptors)
    const exited = once(child, "exit")
    child.stderr.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000)
    })
    const addresses: Addresses = JSON.parse(yield* Effect.tryPromise(() => firstLine(child)))
    const control = yield* Peer.make(yield* NodeTcp.makeTransport({ port: portOf(addresses.tcp) }))
    // The fixture says what these answer.
    const ask = <A>(method: string) =>
      Effect.orDie(control.request(method)) as Effect.Effect<unknown> as Effect.Effect<A>
    const code = Effect.promise(async () => (await exited)[0] as number | null)
    return {
      addresses,
      control,
      counts: ask<Counts>("counts"),
      mark: ask<unknown>("mark"),
      stats: ask<Stats>("stats"),
      settled: ask<Stats>("settled"),
      kill: Effect.suspend(() => {
        child.kill("SIGKILL")
        return Effect.asVoid(code)
      }),
      end: Effect.suspend(() => {
        child.stdin.end()
        return code
      }),
      log: () => log
    }
  })
