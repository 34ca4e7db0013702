/** A peer under test, and the other side of its wire in the hands of the test. */
import { assert } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Transport } from "@parley/transport/Transport"
import { Effect, type Scope } from "effect"
import * as Peer from "../src/Peer.ts"
import * as Router from "../src/Router.ts"

/** The other side: sends raw texts, and keeps what it received. */
export interface Wire {
  readonly transport: Transport
  readonly send: (...texts: ReadonlyArray<string>) => Effect.Effect<void>
  /** Everything received so far, parsed. */
  readonly received: ReadonlyArray<unknown>
  /** Waits until so many texts have come, and gives them. */
  readonly take: (count: number) => Effect.Effect<ReadonlyArray<unknown>>
}

/** Turns of the event loop in which nothing happens before it counts as quiet. */
const quiet = 3

/** Turns after which something will never be quiet. */
const endless = 100_000

/** Those who settle at the same time: their turns are not taken for something that happens, but their ends are. */
const settling = { waiting: 0, ends: 0 }

const turn = () => {
  settling.waiting++
  return new Promise<void>((resume) =>
    setImmediate(() => {
      settling.waiting--
      resume()
    })
  )
}

const isQuiet = () => {
  const immediates = process.getActiveResourcesInfo().filter((kind) => kind === "Immediate")
  return immediates.length === settling.waiting
}

/**
 * Lets everything happen that can happen without time: fibers go on in immediates of the event loop, so that it waits
 * until nobody has one any more.
 */
export const settle: Effect.Effect<void> = Effect.promise(async () => {
  let { ends } = settling
  for (let turns = 0, idle = 0; idle < quiet; turns++) {
    assert.isBelow(turns, endless, "something goes on for ever")
    await turn()
    idle = isQuiet() && ends === settling.ends ? idle + 1 : 0
    ends = settling.ends
  }
  settling.ends++
})

export const request = (id: number | string, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

export const notification = (method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params })

export const success = (id: number | string, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result })

export const failure = (id: unknown, code: number, message: string, data?: unknown): unknown => ({
  jsonrpc: "2.0",
  id,
  error: data === undefined ? { code, message } : { code, message, data }
})

/** A router with these handlers. */
export const routerOf = (handlers: Router.Handlers): Effect.Effect<Router.Router, never, Scope.Scope> =>
  Effect.tap(Router.make(), (router) => Effect.orDie(router.addAll(handlers)))

const wireOver = (transport: Transport): Effect.Effect<Wire, never, Scope.Scope> =>
  Effect.gen(function*() {
    const received: Array<unknown> = []
    yield* Effect.forkScoped(
      Effect.ignore(Effect.forever(Effect.map(transport.receive, (texts) => {
        for (const text of texts) received.push(typeof text === "string" ? JSON.parse(text) : text)
      })))
    )
    return {
      transport,
      received,
      send: (...texts) => Effect.forEach(texts, (text) => Effect.orDie(transport.send([text])), { discard: true }),
      take: (count) =>
        Effect.gen(function*() {
          if (received.length < count) yield* settle
          assert.isAtLeast(received.length, count, "fewer texts than expected")
          return received.slice(0, count)
        })
    }
  })

/** At the end of a test the clock stands still, so that nothing may be waited for. */
const impatient = { drain: 0 }

/** A peer that serves these handlers, and the raw other side of its wire. */
export const connect = (
  handlers: Router.Handlers = {},
  options: Peer.PeerOptions = {}
): Effect.Effect<{ readonly peer: Peer.Peer; readonly wire: Wire }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair({ capacity: 64 * 1024 * 1024 })
    const router = yield* routerOf(handlers)
    const peer = yield* Peer.make(ours, { router, ...options, limits: { ...impatient, ...options.limits } })
    return { peer, wire: yield* wireOver(theirs) }
  })

/** Two peers that call each other, both serving these handlers. */
export const pair = (
  handlers: Router.Handlers,
  options: Peer.PeerOptions = {}
): Effect.Effect<readonly [Peer.Peer, Peer.Peer], never, Scope.Scope> =>
  Effect.gen(function*() {
    const [left, right] = yield* MemoryTransport.makePair()
    const router = yield* routerOf(handlers)
    const all = { router, ...options, limits: { ...impatient, ...options.limits } }
    return [yield* Peer.make(left, all), yield* Peer.make(right, all)]
  })
