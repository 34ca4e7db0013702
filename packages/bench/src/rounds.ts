/**
 * Round trips per second, in rounds in which every subject has its turn.
 *
 * The machine is shared and its speed changes from one second to the next, so only what happened in the same round is
 * compared: a ratio is the median of the rounds' ratios.
 */
import * as Effect from "effect/Effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Client, type Payload, type Subject } from "./Subject.ts"

export interface Options {
  readonly payload: Payload
  /** Calls at once. */
  readonly inFlight: ReadonlyArray<number>
  readonly rounds: number
  /** Of one subject in one round. */
  readonly milliseconds: number
}

/** Calls per second of each round, by subject and calls at once. */
export type Rates = ReadonlyMap<string, ReadonlyMap<number, ReadonlyArray<number>>>

const serverPath = fileURLToPath(new URL("./server.ts", import.meta.url))

interface Open {
  readonly subject: Subject
  readonly client: Client
  readonly close: () => Promise<void>
}

const open = async (subject: Subject): Promise<Open> => {
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
    subject,
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

/** One call, to see that it echoes. */
const check = async ({ client, subject }: Open, payload: Payload): Promise<void> => {
  const echoed = await within(10_000, client.call(payload))
  if (JSON.stringify(echoed) !== JSON.stringify(payload)) throw new Error(`${subject.name} does not echo`)
}

const within = <A>(milliseconds: number, promise: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing within ${milliseconds} ms`)), milliseconds)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** Keeps so many calls going for so long; gives calls per second. */
const run = async ({ call, callEffect }: Client, payload: Payload, inFlight: number, milliseconds: number) => {
  let done = 0
  const start = performance.now()
  if (callEffect === undefined) await callers(call)
  else await fibers(callEffect)
  return done / (performance.now() - start) * 1000

  function callers(call: Client["call"]): Promise<void> {
    let live = inFlight
    let stop = false
    return new Promise((resolve, reject) => {
      const tick = () => {
        if (performance.now() - start >= milliseconds) stop = true
        if (!stop) call(payload).then(next, reject)
        else if (--live === 0) resolve()
      }
      const next = () => {
        done++
        tick()
      }
      for (let caller = 0; caller < inFlight; caller++) call(payload).then(next, reject)
    })
  }

  function fibers(callEffect: NonNullable<Client["callEffect"]>): Promise<unknown> {
    const loop = Effect.whileLoop({
      while: () => performance.now() - start < milliseconds,
      body: () => callEffect(payload),
      step: () => {
        done++
      }
    })
    return Effect.runPromise(
      Effect.all(Array.from({ length: inFlight }, () => loop), { concurrency: "unbounded", discard: true })
    )
  }
}

export const measure = async (subjects: ReadonlyArray<Subject>, options: Options): Promise<Rates> => {
  const { inFlight, milliseconds, payload, rounds } = options
  const rates = new Map<string, Map<number, Array<number>>>()
  const opened: Array<Open> = []
  for (const subject of subjects) {
    try {
      const one = await open(subject)
      await check(one, payload)
      opened.push(one)
    } catch (cause) {
      console.error(`${subject.name} is left out:`, cause)
    }
  }
  for (let round = -1; round < rounds; round++) {
    for (const count of inFlight) {
      for (const { client, subject } of opened) {
        if (count > (subject.most ?? Infinity)) continue
        globalThis.gc?.()
        // The first round warms up, and does not count.
        const rate = await run(client, payload, count, round < 0 ? Math.min(150, milliseconds) : milliseconds)
        if (round < 0) continue
        const byCount = rates.get(subject.name) ?? new Map<number, Array<number>>()
        rates.set(subject.name, byCount)
        byCount.set(count, [...byCount.get(count) ?? [], rate])
      }
    }
  }
  for (const one of opened) await one.close()
  return rates
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

/** The median of the rounds' ratios. */
export const ratio = (own: ReadonlyArray<number>, floor: ReadonlyArray<number>): number =>
  median(own.map((rate, round) => rate / (floor[round] ?? NaN)))
