/**
 * One subject in a process of its own, which takes its turn when it is told to: `node turn.ts mem/parley`.
 *
 * A process each, because the optimizer learns from all that runs: among others it would measure how much they have in
 * common. While others have their turn this one sleeps.
 */
import * as Effect from "effect/Effect"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type Client, large, type Payload, small, type Subject } from "./Subject.ts"
import { find } from "./subjects.ts"

/** What to do in a turn. */
export interface Turn {
  readonly payload: "small" | "large"
  /** Calls at once. */
  readonly inFlight: number
  readonly milliseconds: number
}

/** What came of it. */
export interface Outcome {
  /** Calls per second. */
  readonly rate: number
  /** Microseconds of processor time per call, of the process that calls (in memory: of both ends). */
  readonly cpu: number
  /** The same of the process that serves, where it can be asked. */
  readonly serving?: number | undefined
}

const serverPath = fileURLToPath(new URL("./server.ts", import.meta.url))

interface Opened {
  readonly client: Client
  /** Microseconds of processor time that the serving side has spent, where it can be asked. */
  readonly spent?: (() => Promise<number>) | undefined
  /** Ends the serving side, after the client has closed. */
  readonly stop: () => Promise<void>
}

/** Starts the serving side, and connects. */
export const open = async (subject: Subject): Promise<Opened> => {
  switch (subject.wire) {
    case "mem":
    case "mcp-mem":
      return alone(await subject.open())
    case "stdio":
    case "mcp-stdio":
    case "mcp-stdio-raw":
      return alone(await subject.connect({ command: process.execPath, args: [serverPath, subject.name] }))
    case "worker":
      return alone(
        await subject.connect({ script: pathToFileURL(serverPath), options: { argv: [subject.name] } })
      )
    case "unix": {
      const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
      const path = join(folder, "socket")
      const server = start(subject, path)
      await portOf(server)
      return {
        client: await subject.connect(path),
        spent: () => spentBy(server),
        stop: async () => {
          await end(server)
          rmSync(folder, { recursive: true })
        }
      }
    }
    case "tcp":
    case "ws":
    case "nats":
    case "http":
    case "redis":
    case "mcp-http":
    case "mcp-http-50":
    case "mcp-http-list":
    case "mcp-client": {
      const server = start(subject)
      const client = await subject.connect(await portOf(server))
      return { client, spent: () => spentBy(server), stop: () => end(server) }
    }
  }
}

/** Where the client ends the serving side with itself. */
const alone = (client: Client): Opened => ({ client, stop: async () => {} })

const start = ({ name }: Subject, ...args: ReadonlyArray<string>): ChildProcess =>
  fork(serverPath, [name, ...args], { stdio: ["ignore", "inherit", "inherit", "ipc"] })

const end = async (server: ChildProcess): Promise<void> => {
  const ended = once(server, "exit")
  server.kill()
  await ended
}

const portOf = (server: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("message", (message: { readonly port: number }) => resolve(message.port))
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })

const spentBy = (server: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    server.once("message", ({ spent }: { readonly spent: number }) => resolve(spent))
    server.send("spent")
  })

/** Milliseconds of calls that are not measured, before a turn of so many. */
const leadIn = (milliseconds: number) => Math.max(20, milliseconds / 7)

/** Keeps so many calls going for so long. */
export const take = async (
  client: Client,
  { inFlight, milliseconds, payload }: Turn,
  spent?: Opened["spent"]
): Promise<Outcome> => {
  const params = payload === "small" ? small : large
  const during = (milliseconds: number) =>
    client.callEffect === undefined
      ? promises(client.call, params, inFlight, performance.now() + milliseconds)
      : fibers(client.callEffect, params, inFlight, performance.now() + milliseconds)
  // After a rest the processor's caches hold what others left there.
  await during(leadIn(milliseconds))
  const served = await spent?.()
  const before = process.cpuUsage()
  const start = performance.now()
  const done = await during(milliseconds)
  const { system, user } = process.cpuUsage(before)
  const rate = done / (performance.now() - start) * 1000
  const serving = served === undefined || spent === undefined ? undefined : (await spent() - served) / done
  return { rate, cpu: (user + system) / done, serving }
}

const promises = (call: Client["call"], params: Payload, inFlight: number, end: number): Promise<number> => {
  let done = 0
  let live = inFlight
  let stop = false
  return new Promise((resolve, reject) => {
    const tick = () => {
      if (performance.now() >= end) stop = true
      if (!stop) call(params).then(next, reject)
      else if (--live === 0) resolve(done)
    }
    const next = () => {
      done++
      tick()
    }
    for (let caller = 0; caller < inFlight; caller++) call(params).then(next, reject)
  })
}

const fibers = async (
  call: NonNullable<Client["callEffect"]>,
  params: Payload,
  inFlight: number,
  end: number
): Promise<number> => {
  let done = 0
  const loop = Effect.whileLoop({
    while: () => performance.now() < end,
    body: () => call(params),
    step: () => {
      done++
    }
  })
  await Effect.runPromise(
    Effect.all(Array.from({ length: inFlight }, () => loop), { concurrency: "unbounded", discard: true })
  )
  return done
}

const main = async (name: string): Promise<void> => {
  const { client, spent, stop } = await open(await find(name))
  const close = async () => {
    await client.close()
    await stop()
  }
  process.on("message", (turn: Turn | "end") => {
    if (turn === "end") void close().finally(() => process.exit())
    else void take(client, turn, spent).then((outcome) => process.send?.(outcome))
  })
  process.on("disconnect", () => process.exit())
  process.send?.("ready")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2] ?? "")
