import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { once } from "node:events"
import * as net from "node:net"
import { Target } from "../../src/internal/streams.ts"

it.live("a long write shows how much of it the system has taken, before all of it is", () =>
  Effect.gen(function*() {
    const server = net.createServer({ pauseOnConnect: true })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    server.listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    const { port } = server.address() as net.AddressInfo
    const accepted = once(server, "connection")
    const client = net.connect(port, "127.0.0.1")
    yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
    const [far] = (yield* Effect.promise(() => accepted)) as [net.Socket]
    yield* Effect.addFinalizer(() => Effect.sync(() => far.destroy()))
    const target = new Target(client)
    const size = 32 * 1024 * 1024
    const write = yield* Effect.forkChild(target.write(new Uint8Array(size)), { startImmediately: true })
    const seen = new Set<number>()
    // The other side reads a part, and rests until the system says what it has taken.
    far.on("data", () => {
      far.pause()
      seen.add(target.unsent())
      setImmediate(() => far.resume())
    })
    far.resume()
    yield* Fiber.join(write)
    assert.isAbove([...seen].filter((left) => left > 0 && left < size).length, 3)
    assert.strictEqual(target.unsent(), 0)
  }))
