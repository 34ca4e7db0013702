/**
 * One subject in a process of its own, which takes its turn when it is told to: `node turn.ts mem/parley`.
 *
 * A process each, because the optimizer learns from all that runs: among others it would measure how much they have in
 * common. While others have their turn this one sleeps.
 */
import * as Effect from "effect/Effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Client, large, type Payload, small, type Subject } from "./Subject.ts"
import { load } from "./subjects.ts"

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
}

const serverPath = fileURLToPath(new URL("./server.ts", import.meta.url))

interface Opened {
  readonly client: Client
  readonly close: () => Promise<void>
}

/** Starts the serving side, and connects. */
export const open = async (subject: Subject): Promise<Opened> => {
  let child: ChildProcess | undefined
  let client: Client
  switch (subject.wire) {
    case "mem":
      client = await subject.open()
      break
    case "tcp":
      child = fork(serverPath, [subject.name], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
      client = await subject.connect(await portOf(child))
      break
    case "stdio":
      client = await subject.connect({ command: process.execPath, args: [serverPath, subject.name] })
  }
  return {
    client,
    close: async () => {
      await client.close()
      child?.kill()
    }
  }
}

const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once("message", (message: { readonly port: number }) => resolve(message.port))
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })

/** Milliseconds that are not measured, at the start of each turn. */
const leadIn = 20

/** Keeps so many calls going for so long. */
export const take = async (client: Client, { inFlight, milliseconds, payload }: Turn): Promise<Outcome> => {
  const params = payload === "small" ? small : large
  const during = (milliseconds: number) =>
    client.callEffect === undefined
      ? promises(client.call, params, inFlight, performance.now() + milliseconds)
      : fibers(client.callEffect, params, inFlight, performance.now() + milliseconds)
  // After a rest the processor's caches hold what others left there.
  await during(leadIn)
  const before = process.cpuUsage()
  const start = performance.now()
  const done = await during(milliseconds)
  const { system, user } = process.cpuUsage(before)
  return { rate: done / (performance.now() - start) * 1000, cpu: (user + system) / done }
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
  const subject = (await load(/^/)).find((one) => one.name === name)
  if (subject === undefined) throw new Error(`no subject ${name}`)
  const { client, close } = await open(subject)
  process.on("message", (turn: Turn | "end") => {
    if (turn === "end") void close().finally(() => process.exit())
    else void take(client, turn).then((outcome) => process.send?.(outcome))
  })
  process.on("disconnect", () => process.exit())
  process.send?.("ready")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2] ?? "")
