/** Contracts over real peers, or over one peer and the other side of its wire in the hands of the test. */
import { assert } from "@effect/vitest"
import { Peer, Router } from "@parley/peer"
import { MemoryTransport, type Transport } from "@parley/transport"
import { Effect, Layer, Logger, type Scope } from "effect"

/** The other side: sends raw texts, and keeps what it received. */
export interface Wire {
  readonly transport: Transport.Transport
  /** Sends these texts in one go. */
  readonly send: (...texts: readonly [string, ...Array<string>]) => Effect.Effect<void>
  /** Everything received so far, parsed. */
  readonly received: ReadonlyArray<unknown>
  /** Waits until so many texts have come, and gives them. */
  readonly take: (count: number) => Effect.Effect<ReadonlyArray<unknown>>
}

/** Lets everything happen that can happen without time. */
export const settle: Effect.Effect<void> = Effect.forEach(Array.from({ length: 30 }), () => Effect.yieldNow, {
  discard: true
})

export const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

export const request = (id: number | string, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

export const notification = (method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params })

export const success = (id: number | string, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result })

export const failure = (id: number | string, code: number, message: string, data?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } })

export const parsed = (text: string): unknown => JSON.parse(text)

const wireOver = (transport: Transport.Transport): Effect.Effect<Wire, never, Scope.Scope> =>
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
      send: (...texts) => Effect.orDie(transport.send(texts)),
      take: (count) =>
        Effect.gen(function*() {
          for (let turn = 0; turn < 200 && received.length < count; turn++) yield* Effect.yieldNow
          assert.isAtLeast(received.length, count, "fewer texts than expected")
          return received.slice(0, count)
        })
    }
  })

/** At the end of a test the clock stands still, so that nothing may be waited for. */
const impatient = { drain: 0 }

const peerOver = (transport: Transport.Transport, options: Peer.PeerOptions) =>
  Peer.make(transport, { ...options, limits: { ...impatient, ...options.limits } })

/** A peer to call from, and the raw other side. */
export const calling = (
  options: Peer.PeerOptions = {}
): Effect.Effect<{ readonly peer: Peer.Peer; readonly wire: Wire }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair({ capacity: 64 * 1024 * 1024 })
    return { peer: yield* peerOver(ours, options), wire: yield* wireOver(theirs) }
  })

/** A router with what these layers serve. */
export const routerOf = (
  layer: Layer.Layer<never, Router.MethodTaken, Router.Router>
): Effect.Effect<Router.Router, never, Scope.Scope> =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* Effect.orDie(Layer.build(Layer.provide(layer, Layer.succeed(Router.Router, router))))
    return router
  })

/** A peer that serves these layers, and the raw other side. */
export const serving = (
  layer: Layer.Layer<never, Router.MethodTaken, Router.Router>,
  options: Peer.PeerOptions & { readonly capacity?: number } = {}
): Effect.Effect<{ readonly peer: Peer.Peer; readonly wire: Wire }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const router = yield* routerOf(layer)
    const [ours, theirs] = yield* MemoryTransport.makePair({ capacity: options.capacity ?? 64 * 1024 * 1024 })
    return { peer: yield* peerOver(ours, { router, ...options }), wire: yield* wireOver(theirs) }
  })

/** A peer to call from, and one that serves these layers. */
export const pair = (
  layer: Layer.Layer<never, Router.MethodTaken, Router.Router>,
  options: Peer.PeerOptions = {}
): Effect.Effect<
  { readonly peer: Peer.Peer; readonly server: Peer.Peer },
  never,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const router = yield* routerOf(layer)
    const [left, right] = yield* MemoryTransport.makePair()
    return { peer: yield* peerOver(left, options), server: yield* peerOver(right, { router, ...options }) }
  })

/** Keeps the lines that are logged beside it. */
export const logging = <A, E, R>(effect: (lines: Array<string>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make((entry) => void lines.push(String(Array.isArray(entry.message) ? entry.message[0] : "")))
    return Effect.provide(effect(lines), Logger.layer([logger]))
  })

/** What fails on purpose is no news. */
export const quietly = Effect.provide(Logger.layer([]))
