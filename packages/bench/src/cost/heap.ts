/**
 * Bytes of heap per waiting call and per handler that runs: `node --expose-gc heap.ts waiting parley 100000`.
 *
 * It collects garbage, makes so many, collects again, and divides. The heap includes what the caller itself holds, a
 * promise or a fiber.
 */
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import type { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import { floorClient, floorServer } from "../floor/floor.ts"
import { small } from "../Subject.ts"

export const kinds = ["waiting", "running"] as const

export type Kind = (typeof kinds)[number]

const limits = {
  waiting: 1e9,
  window: 1e9,
  windowBytes: 1e12,
  inFlight: 1e9,
  inbox: 1e9,
  inboxBytes: 1e12,
  outbox: 1e12,
  budget: 1e12
}

const line = (id: number) => JSON.stringify({ jsonrpc: "2.0", method: "hang", params: small, id })

const never = () => new Promise(() => {})

/** A transport whose other side says what it is told to, and never reads. */
const mute = () => {
  let say: ((text: string) => void) | undefined
  const transport: Transport = {
    receive: Effect.callback((resume) => {
      say = (text) => resume(Effect.succeed([text]))
    }),
    send: () => Effect.void,
    close: Effect.void
  }
  return { transport, say: (text: string) => say?.(text) }
}

const peerOf = (transport: Transport) =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.addAll({ hang: () => Effect.never })
    return yield* Peer.make(transport, { router, limits })
  }).pipe(Scope.provide(Scope.makeUnsafe()), Effect.runPromise)

/** Makes one more, and gives what its caller holds. */
type Issue = () => unknown

const subjects: { readonly [subject: string]: { readonly [kind in Kind]: () => Issue | Promise<Issue> } } = {
  floor: {
    waiting: () => {
      const { call } = floorClient(() => {})
      return () => call(small)
    },
    running: () => {
      const table = { hang: never }
      const keep = new Map<unknown, unknown>()
      let id = 0
      return () => {
        const message = JSON.parse(line(++id))
        const promise = table.hang()
        keep.set(message.id, promise)
        void promise.then(() => keep.delete(message.id))
        return floorServer
      }
    }
  },
  parley: {
    waiting: async () => {
      const peer = await peerOf(mute().transport)
      return () => Effect.runFork(peer.request("echo", small))
    },
    running: async () => {
      const { say, transport } = mute()
      await peerOf(transport)
      let id = 0
      return () => say(line(++id))
    }
  },
  "parley-promise": {
    waiting: async () => {
      const peer = await peerOf(mute().transport)
      return () => Effect.runPromise(peer.request("echo", small))
    },
    running: () => () => undefined
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const heapAfter = async (milliseconds: number): Promise<number> => {
  await pause(milliseconds)
  globalThis.gc?.()
  globalThis.gc?.()
  await pause(50)
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const main = async (kind: Kind, subject: string, count: number): Promise<void> => {
  const issue = await subjects[subject]?.[kind]()
  if (issue === undefined) throw new Error(`no subject ${subject}`)
  const held: Array<unknown> = [issue()]
  // Or what nothing refers to any more would be collected with its maker.
  Object.assign(globalThis, { held, issue })
  const before = await heapAfter(50)
  for (let made = 0; made < count; made++) {
    held.push(issue())
    if (made % 2000 === 1999) await new Promise((resolve) => setImmediate(resolve))
  }
  const bytes = (await heapAfter(200) - before) / count
  process.stdout.write(`${bytes}\n`, () => process.exit())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kind = "waiting", subject = "parley", count = "100000"] = process.argv.slice(2)
  await main(kind === "running" ? "running" : "waiting", subject, Number(count))
}
