/** A client that does not read once stopped a sender, and so all other clients, for half a minute. Over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Broadcast, Peer, Router, Server } from "@parley/peer"
import { Listener } from "@parley/transport"
import { Effect, Exit, Latch, Scope } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { NodeTcp } from "../../src/index.ts"
import { portOf } from "../support/pairs.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

const MiB = 1024 * 1024

const memory = Effect.sync(() => {
  collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
})

/** Texts of 50 kB: what the system buffers for a client that does not read is full after some dozens. */
const padding = "x".repeat(50_000)

const silent = { drain: 0 }

/** A server of which each connection joins. */
const serving = (options: Broadcast.BroadcastOptions) =>
  Effect.gen(function*() {
    const everyone = yield* Broadcast.make<Peer.Peer>(options)
    const listener = yield* NodeTcp.makeListener({ port: 0 })
    const router = yield* Router.make()
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const server = Server.runWith({ onConnection: (peer) => Effect.orDie(everyone.join(peer, peer)), limits: silent })
    yield* Effect.forkIn(
      server.pipe(
        Effect.provideService(Router.Router, router),
        Effect.provideService(Listener.Listener, listener)
      ),
      scope
    )
    const port = portOf(listener.address)
    /** A client that never reads. */
    const deaf = Effect.acquireRelease(
      Effect.promise(async () => {
        const socket = connect(port, "127.0.0.1")
        socket.pause()
        await once(socket, "connect")
        return socket
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
    /** A client that reads, and waits until it has heard so much. */
    const hearing = Effect.gen(function*() {
      const heard: Array<number> = []
      const latch = yield* Latch.make()
      let awaited = 0
      const mine = yield* Router.make()
      yield* mine.add("tick", ({ params }) =>
        Effect.suspend(() => {
          heard.push(Array.isArray(params) ? Number(params[0]) : Number.NaN)
          return heard.length >= awaited ? latch.open : Effect.void
        }))
      yield* Peer.make(yield* NodeTcp.makeTransport({ port }), { router: mine, limits: silent })
      const hears = (count: number) =>
        Effect.suspend(() => {
          awaited = count
          return heard.length >= count ? Effect.void : Effect.andThen(latch.close, latch.await)
        })
      return { heard, hears }
    })
    const joined = (count: number) =>
      Effect.repeat(Effect.andThen(Effect.yieldNow, everyone.size), { until: (size) => size === count })
    return { deaf, everyone, hearing, joined }
  })

describe("a broadcast over TCP", () => {
  it.live(
    "promise 26: nobody waits for a recipient that does not read: over real sockets",
    () =>
      Effect.gen(function*() {
        const { deaf, everyone, hearing, joined } = yield* serving({ slow: "sliding" })
        yield* deaf
        const clients = yield* Effect.all([hearing, hearing, hearing])
        yield* joined(4)
        const [slow] = yield* everyone.recipients
        for (let number = 1; number <= 600; number++) {
          yield* everyone.notify("tick", [number, padding])
          // Each is heard by all others before the next is published: a sender that waits would not come that far.
          for (const { hears } of clients) yield* hears(number)
        }
        const inOrder = Array.from({ length: 600 }, (_, index) => index + 1)
        for (const { heard } of clients) assert.deepStrictEqual(heard, inOrder)
        const counts = yield* slow!.counts
        // It is there to the end, and most was dropped: the others did not go on because it was gone.
        assert.strictEqual(yield* slow!.value.state, "open")
        assert.strictEqual(counts.offered, 600)
        assert.isAtLeast(counts.dropped, 100)
        assert.strictEqual(counts.offered, counts.delivered + counts.dropped + counts.waiting)
        const all = yield* everyone.counts
        assert.strictEqual(all.dropped, counts.dropped)
      }),
    60_000
  )

  it.live(
    "promise 27: nothing is dropped but by policy: and what waits for those who never read is bounded",
    () =>
      Effect.gen(function*() {
        const { deaf, everyone, joined } = yield* serving({ slow: "dropping" })
        yield* Effect.all(Array.from({ length: 20 }, () => deaf))
        yield* joined(20)
        const before = yield* memory
        // 40 MiB for each of them. A gap lets the system take what it takes.
        for (let number = 1; number <= 800; number++) {
          yield* everyone.notify("tick", [number, padding])
          if (number % 20 === 0) yield* Effect.promise(() => new Promise(setImmediate))
        }
        const grown = (yield* memory) - before
        // A queue of 1 MiB each, and what the outbox and the socket hold: texts of a write or two. The queues have the same texts
        // only as long as the system takes as many for each client.
        assert.isBelow(grown, 20 * 1.5 * MiB)
        const { delivered, dropped, offered, waiting } = yield* everyone.counts
        assert.strictEqual(offered, 20 * 800)
        assert.strictEqual(offered, delivered + dropped + waiting)
        assert.isAtMost(waiting, 20 * Math.ceil(MiB / padding.length))
      }),
    60_000
  )

  it.live(
    "promise 27: nothing is dropped but by policy: disconnect lets one go that does not read, and no other",
    () =>
      Effect.gen(function*() {
        const { deaf, everyone, hearing, joined } = yield* serving({})
        const socket = yield* deaf
        const other = yield* hearing
        yield* joined(2)
        const [slow] = yield* everyone.recipients
        const ended = Effect.promise(() => new Promise((resume) => socket.once("close", resume)))
        for (let number = 1; number <= 600; number++) {
          yield* everyone.notify("tick", [number, padding])
          yield* other.hears(number)
        }
        assert.deepStrictEqual(yield* slow!.value.closed, { _tag: "Lagged" })
        assert.strictEqual(yield* everyone.size, 1)
        socket.resume()
        yield* ended
      }),
    60_000
  )
})
