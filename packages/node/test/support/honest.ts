/** Two peers that do nothing wrong, with the default limits, and what each of them asks of the other. */
import { type Handler, Peer, Router, Server } from "@parley/peer"
import { Listener, type Transport } from "@parley/transport"
import { Deferred, Effect, Schema, type Scope } from "effect"

/** How many of each. */
export interface Sizes {
  readonly large: number
  readonly many: number
  readonly nested: number
  readonly wide: number
  readonly notifications: number
}

export const full: Sizes = { large: 100, many: 5_000, nested: 3_000, wide: 2_000, notifications: 20_000 }

/** What both sides may be given. */
export type Options = Pick<Peer.PeerOptions, "limits">

/** A tenth of it. */
export const short: Sizes = { large: 10, many: 500, nested: 300, wide: 200, notifications: 2_000 }

/** One side: its peer, and what it was sent. */
export interface Side {
  readonly peer: Peer.Peer
  readonly work: (name: Work, count: number) => Effect.Effect<Tally>
}

/** How often each outcome occurred. */
export type Tally = { readonly [outcome: string]: number }

const MiB = "x".repeat(1024 * 1024)
const wide = "x".repeat(16 * 1024)
const page = "x".repeat(4 * 1024)

const microtask = Effect.promise(() => Promise.resolve())

/** What a handler waits for before and after it calls back. */
const turns = { yield: Effect.yieldNow, microtask } as const

/** Calls back until the depth is used up. */
const back = (turn: keyof typeof turns): Handler.Handler => (call) => {
  const [depth] = call.params as readonly [number]
  const asked = depth === 0 ? Effect.succeed(0) : Effect.orDie(call.peer.request(call.method, [depth - 1]))
  return Effect.andThen(turns[turn], Effect.flatMap(asked, (result) => Effect.as(turns[turn], Number(result) + 1)))
}

/** Handlers of one side. `onPong` hears of each answer to a notification. */
const handlers = (onPong: () => void): Router.Handlers => ({
  large: () => Effect.as(Effect.sleep(50), MiB),
  echo: (call) => Effect.as(Effect.yieldNow, call.params ?? null),
  "back by yield": back("yield"),
  "back by microtask": back("microtask"),
  ping: (call) => Effect.orDie(call.peer.notify("pong", [page])),
  pong: () => Effect.sync(onPong)
})

const tally = (outcomes: ReadonlyArray<string>): Tally => {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Makes so many calls at once, and says how they ended. */
const calls = (
  { request }: Peer.Peer,
  count: number,
  method: string,
  params: ReadonlyArray<Schema.Json> = [],
  isRight: (result: Schema.Json) => boolean = () => true
) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: count }),
      () =>
        Effect.match(request(method, params), {
          onSuccess: (result) => isRight(result) ? "ok" : "wrong",
          onFailure: (error) => error._tag === "Disconnected" ? error.reason._tag : error.message
        }),
      { concurrency: "unbounded" }
    ),
    tally
  )

const nested = (peer: Peer.Peer, count: number, turn: keyof typeof turns) =>
  calls(peer, count, `back by ${turn}`, [4], (result) => result === 5)

export type Work = "large" | "many" | "nested by yield" | "nested by microtask" | "wide" | "notifications"

/** How many of a kind of work there are. */
export const sizeOf = (sizes: Sizes, work: Work): number =>
  work === "nested by yield" || work === "nested by microtask" ? sizes.nested : sizes[work]

export const works: ReadonlyArray<Work> = [
  "large",
  "many",
  "nested by yield",
  "nested by microtask",
  "wide",
  "notifications"
]

/** A side of a connection, once something has given it a peer. */
const makeSide = Effect.gen(function*() {
  const made = yield* Deferred.make<Peer.Peer>()
  let pongs = 0
  let isDone = () => {}
  const router = yield* Router.make()
  const work: Side["work"] = (name, count) => Effect.flatMap(Deferred.await(made), (peer) => run(peer, name, count))
  const run = (peer: Peer.Peer, name: Work, count: number): Effect.Effect<Tally> => {
    switch (name) {
      case "large":
        return calls(peer, count, "large", [], (result) => result === MiB)
      case "many":
        return calls(peer, count, "echo", [1])
      case "nested by yield":
        return nested(peer, count, "yield")
      case "nested by microtask":
        return nested(peer, count, "microtask")
      case "wide":
        return calls(peer, count, "echo", [wide])
      case "notifications":
        return Effect.suspend(() => {
          const all = Effect.callback<void>((resume) => {
            const expected = count
            isDone = () => pongs === expected ? resume(Effect.void) : undefined
            isDone()
          })
          const ping = Effect.match(peer.notify("ping", [page]), {
            onSuccess: () => "ok",
            onFailure: (error) => error._tag === "Disconnected" ? error.reason._tag : error._tag
          })
          const sending = Effect.map(Effect.forEach(Array.from({ length: count }), () => ping), tally)
          // Nothing comes any more from a peer whose connection has ended.
          const answered = Effect.raceFirst(all, peer.disconnected)
          return Effect.flatMap(
            sending,
            (sent) =>
              Effect.map(Effect.andThen(answered, Effect.sync(() => pongs)), (pongs) => {
                return { ...sent, pongs }
              })
          )
        })
    }
  }
  yield* Effect.orDie(router.addAll(handlers(() => {
    pongs++
    isDone()
  })))
  // The other side asks for what this side has to do, where it runs in another process.
  yield* Effect.orDie(router.add("work", ({ params }) => {
    const [name, count] = params as readonly [Work, number]
    return work(name, count)
  }))
  return { router, work, made }
})

/** Both sides of a listener, and a connection to it. */
export const listening = <E, R>(
  makeListener: Effect.Effect<Listener.Listener, Transport.TransportError, Scope.Scope>,
  connect: (address: string) => Effect.Effect<Transport.Transport, E, R>,
  options: Options = {}
) =>
  Effect.gen(function*() {
    const listener = yield* makeListener
    const server = yield* makeSide
    yield* Effect.forkScoped(
      Server.runWith({ ...options, onConnection: (peer) => Deferred.succeed(server.made, peer) }).pipe(
        Effect.provideService(Listener.Listener, listener),
        Effect.provideService(Router.Router, server.router)
      )
    )
    const client = yield* over(connect(listener.address), options)
    return [client.work, server.work] as const
  })

/** Both sides of a pair of transports. */
export const paired = <E, R>(pair: Effect.Effect<readonly [Transport.Transport, Transport.Transport], E, R>) =>
  Effect.gen(function*() {
    const [left, right] = yield* pair
    return [(yield* over(Effect.succeed(left))).work, (yield* over(Effect.succeed(right))).work] as const
  })

/** A side over a transport. */
export const over = <E, R>(
  transport: Effect.Effect<Transport.Transport, E, R>,
  options: Options = {}
) =>
  Effect.gen(function*() {
    const side = yield* makeSide
    const peer = yield* Peer.make(yield* transport, { ...options, router: side.router })
    yield* Deferred.succeed(side.made, peer)
    return { peer, work: side.work }
  })

/** Both sides, of which the other runs in a process of its own. */
export const spawned = <E, R>(transport: Effect.Effect<Transport.Transport, E, R>) =>
  Effect.map(over(transport), ({ peer, work }) =>
    [
      work,
      (name: Work, count: number) =>
        Effect.orDie(
          Effect.map(peer.request("work", [name, count], { timeout: Infinity }), (result) => result as Tally)
        )
    ] as const)
