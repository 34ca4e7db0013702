/** Whatever the other side does, memory grows by no more than the limits allow. All with the default limits. */
import { assert, describe, it } from "@effect/vitest"
import { Peer, Router, Server } from "@parley/peer"
import { Listener } from "@parley/transport/Listener"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as NodeTcp from "../src/NodeTcp.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

const MiB = 1024 * 1024

const memory = Effect.sync(() => {
  collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
})

/** How much the memory has grown over an effect, at its end. */
const growth = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const before = yield* memory
    yield* effect
    return (yield* memory) - before
  })

/** Waits until a number stands still. */
const standstill = (read: () => number) =>
  Effect.gen(function*() {
    for (let same = 0, last = -1; same < 20; same = last === read() ? same + 1 : 0) {
      last = read()
      yield* Effect.sleep(10)
    }
  })

const hanging = Effect.tap(Router.make(), (router) => router.add("hang", () => Effect.never))

const padding = "x".repeat(1000)
const line = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"hang","params":["${padding}"]}\n`
const total = 64 * MiB

/** Writes so many bytes of lines, no faster than the socket takes them, and tells how many it has taken. */
const stream = async (socket: Socket, onWritten: (bytes: number) => void) => {
  for (let written = 0, id = 0; written < total;) {
    const chunk = Array.from({ length: 64 }, () => line(++id)).join("")
    written += chunk.length
    if (!socket.write(chunk)) await once(socket, "drain")
    onWritten(written)
  }
}

const socketTo = (address: string): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(Number(new URL(address).port), "127.0.0.1")
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("memory", () => {
  it.live("64 MiB of requests streamed at a stalled handler are not read", () =>
    Effect.gen(function*() {
      const router = yield* hanging
      const listener = yield* NodeTcp.makeListener({ port: 0 })
      yield* Effect.forkScoped(
        Server.runWith({ limits: { drain: 0 } }).pipe(
          Effect.provideService(Router.Router, router),
          Effect.provideService(Listener, listener)
        )
      )
      const socket = yield* socketTo(listener.address)
      let taken = 0
      const streaming = Effect.promise(() => stream(socket, (bytes) => (taken = bytes)))
      yield* Effect.forkScoped(streaming)
      const grown = yield* growth(standstill(() => taken))
      assert.isAbove(taken, MiB)
      // The system keeps some of it for both ends.
      assert.isBelow(taken, 32 * MiB)
      assert.isBelow(grown, 50 * MiB)
    }))

  it.live("64 MiB of notifications streamed at a stalled handler are not read", () =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      yield* Peer.make(ours, { router: yield* hanging, limits: { drain: 0 } })
      let sent = 0
      const text = `{"jsonrpc":"2.0","method":"hang","params":["${padding}"]}`
      const sending = Effect.forever(Effect.tap(theirs.send([text]), () => Effect.sync(() => sent += text.length)))
      yield* Effect.forkScoped(Effect.ignore(sending))
      const grown = yield* growth(standstill(() => sent))
      assert.isAbove(sent, MiB)
      // What waits for room, one read ahead of it, and the transport have at most 16 MiB each.
      assert.isBelow(sent, 50 * MiB)
      assert.isBelow(grown, 50 * MiB)
    }))

  it.live("two sides that flood each other while neither reads stay within the limits", () =>
    Effect.gen(function*() {
      const sockets: Array<Socket> = []
      const server = createServer((socket) => void sockets.push(socket.pause()))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => void [...sockets.map((socket) => socket.destroy()), server.close()])
      )
      server.listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(server, "listening"))
      const { port } = Object(server.address())
      let accepted = 0
      const flood = Effect.gen(function*() {
        const peer = yield* Peer.make(yield* NodeTcp.makeTransport({ port }), { limits: { drain: 0 } })
        const notify = Effect.tap(peer.notify("n", [padding]), () => Effect.sync(() => accepted += padding.length))
        yield* Effect.forkScoped(Effect.ignore(Effect.forever(notify)))
      })
      const grown = yield* growth(Effect.gen(function*() {
        yield* flood
        yield* flood
        yield* standstill(() => accepted)
      }))
      assert.isAbove(accepted, 16 * MiB)
      assert.isBelow(grown, 2 * 24 * MiB)
      for (const socket of sockets) socket.destroy()
    }))
})
