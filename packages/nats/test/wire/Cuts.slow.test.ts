/** Conversations over NATS when their link is cut, their server is restarted, or a side dies. */
import { assert, it } from "@effect/vitest"
import * as NatsClient from "@parley/nats/NatsClient"
import * as NatsRpc from "@parley/nats/NatsRpc"
import * as NatsTransport from "@parley/nats/NatsTransport"
import * as Peer from "@parley/peer/Peer"
import * as Reconnecting from "@parley/peer/Reconnecting"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import { Listener } from "@parley/transport/Listener"
import type { Transport } from "@parley/transport/Transport"
import { Deferred, Effect, Exit, Fiber, Layer, References, Result, Schedule } from "effect"
import { served } from "../support/nats.ts"
import * as NatsServer from "../support/NatsServer.ts"

const subject = "bank"
const keepAlive: NatsTransport.NatsKeepAlive = { interval: "200 millis", timeout: "400 millis" }
const quietly = Effect.provideService(References.MinimumLogLevel, "None")

type Nats = Effect.Success<ReturnType<typeof served>>

/** Serves on a connection of its own, and gives it. */
const serving = Effect.fnUntraced(function*({ client }: Nats, name = "", beats = keepAlive) {
  const context = yield* Layer.build(Router.layer({
    echo: ({ params }) => Effect.succeed(params ?? null),
    who: () => Effect.succeed(name),
    never: () => Effect.never
  }))
  const service = yield* client
  const listener = yield* Effect.provideService(
    NatsTransport.makeListener({ subject, keepAlive: beats }),
    NatsClient.NatsClient,
    service
  )
  yield* Effect.forkScoped(
    Server.runWith({ limits: { drain: 10 } }).pipe(
      Effect.provideService(Listener, listener),
      Effect.provideContext(context)
    )
  )
  return service.connection
})

const open = ({ connected }: Nats) => connected(NatsTransport.makeTransport({ subject, keepAlive }))

/** Cuts the link of a client, which comes back by itself. */
const cut = (client: NatsClient.NatsClient) =>
  Effect.scoped(Effect.gen(function*() {
    const back = yield* Deferred.make<void>()
    yield* client.watch((state) => state === "connected" ? void Deferred.doneUnsafe(back, Exit.void) : undefined)
    yield* Effect.promise(() => client.connection.reconnect())
    yield* Deferred.await(back)
  }))

NatsServer.suites("a conversation over NATS", () => {
  it.live("fails to open at once where nobody listens, and in time where nobody answers", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const nobody = yield* Effect.flip(open(nats))
      assert.strictEqual(nobody.reason._tag, "Open")
      assert.include(nobody.message, "NATS at bank.conversation: nobody hears it")
      const { connection } = yield* nats.client
      connection.subscribe("bank.conversation", { callback: () => {} })
      yield* Effect.promise(() => connection.flush())
      const silent = yield* Effect.flip(
        nats.connected(NatsTransport.makeTransport({ subject, keepAlive, limits: { handshake: 50 } }))
      )
      assert.include(silent.message, "nobody at bank.conversation has answered within 50 ms, the limit `handshake`")
    }))

  it.live("is refused by a listener with as many connections as it takes", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const listener = yield* nats.connected(NatsTransport.makeListener({ subject, limits: { connections: 1 } }))
      yield* Effect.forkScoped(listener.run(() => Effect.never))
      yield* open(nats)
      const error = yield* Effect.flip(open(nats))
      assert.include(error.message, "bank.conversation refuses: as many connections are open as are taken here")
    }).pipe(quietly))

  it.live("ends at once for who waits on a process that was killed, and another takes the next", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const first = yield* serving(nats, "first")
      const peer = yield* Peer.make(yield* open(nats))
      assert.strictEqual(yield* peer.request("who"), "first")
      const call = yield* Effect.forkChild(Effect.flip(peer.request("never")), { startImmediately: true })
      yield* serving(nats, "second")
      // As a kill does: the connection ends without a word.
      yield* Effect.promise(() => first.close())
      assert.strictEqual((yield* Fiber.join(call))._tag, "Disconnected")
      const next = yield* Peer.make(yield* open(nats))
      assert.strictEqual(yield* next.request("who"), "second")
    }).pipe(quietly))

  it.live("ends with a typed error when the server of NATS goes, and `Reconnecting` makes the next one", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      yield* serving(nats)
      const caller = yield* nats.connected(
        Reconnecting.make({ open: NatsTransport.makeTransport({ subject, keepAlive }) })
      )
      assert.deepStrictEqual(yield* caller.request("echo", [1]), [1])
      const call = yield* Effect.forkChild(Effect.flip(caller.request("never")), { startImmediately: true })
      yield* Effect.yieldNow
      yield* nats.server.stop
      assert.strictEqual((yield* Fiber.join(call))._tag, "Disconnected")
      yield* nats.server.start()
      assert.deepStrictEqual(yield* caller.request("echo", [2], { timeout: "20 seconds" }), [2])
    }).pipe(quietly))

  it.live("begins with another process while the first one ends its own", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const first = yield* nats.connected(NatsTransport.makeListener({ subject, keepAlive }))
      const accepted = yield* Deferred.make<void>()
      const left = yield* Deferred.make<void>()
      const running = yield* Effect.forkChild(
        first.run(() =>
          Effect.uninterruptible(Effect.andThen(Deferred.succeed(accepted, undefined), Deferred.await(left)))
        )
      )
      yield* open(nats)
      yield* Deferred.await(accepted)
      yield* serving(nats, "second")
      const ending = yield* Effect.forkChild(Fiber.interrupt(running), { startImmediately: true })
      // Once the first has left the queue, every conversation is one of the second.
      const names: Array<unknown> = []
      while (names.slice(-10).filter((name) => name === "second").length < 10) {
        const peer = yield* Effect.result(Effect.flatMap(open(nats), (transport) => Peer.make(transport)))
        names.push(Result.isSuccess(peer) ? yield* peer.success.request("who") : "refused")
      }
      yield* Deferred.succeed(left, undefined)
      yield* Fiber.join(ending)
    }).pipe(quietly))

  it.live("and calls end with typed errors when the server of NATS stands still, and work when it goes on", () =>
    Effect.gen(function*() {
      const nats = yield* served("", "1 second")
      yield* serving(nats)
      const context = yield* Layer.build(Router.layer({ never: () => Effect.never, now: () => Effect.succeed("now") }))
      yield* nats.connected(
        Effect.provideContext(NatsRpc.serve({ subject: "calls", limits: { drain: 10 } }), context)
      )
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject: "calls", timeout: "1 hour" }))
      const peer = yield* Peer.make(yield* open(nats), { timeout: "1 hour" })
      assert.deepStrictEqual(yield* peer.request("echo", [1]), [1])
      const calls = yield* Effect.forEach(
        [caller.request("never"), peer.request("never")],
        (call) => Effect.forkChild(Effect.flip(call), { startImmediately: true })
      )
      yield* nats.server.pause
      const [single, within] = yield* Effect.forEach(calls, Fiber.join)
      assert.deepInclude(single, { _tag: "Disconnected", sent: true })
      assert.deepInclude(within, { _tag: "Disconnected", sent: true })
      assert.deepInclude(yield* Effect.flip(caller.request("now")), { _tag: "Disconnected", sent: false })
      yield* nats.server.resume
      const again = Effect.retry(caller.request("now"), { schedule: Schedule.spaced("50 millis") })
      assert.strictEqual(yield* again, "now")
      const next = yield* Effect.retry(open(nats), { schedule: Schedule.spaced("50 millis") })
      assert.deepStrictEqual(yield* (yield* Peer.make(next)).request("echo", [2]), [2])
    }).pipe(quietly))

  it.live("goes on after a cut of its link by which nothing was lost", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      // Two beats of the other side do not fall into the cut.
      yield* serving(nats, "", { interval: "5 seconds", timeout: "5 seconds" })
      const client = yield* nats.client
      const peer = yield* Effect.provideService(
        Effect.flatMap(NatsTransport.makeTransport({ subject }), (transport) => Peer.make(transport)),
        NatsClient.NatsClient,
        client
      )
      assert.deepStrictEqual(yield* peer.request("echo", [1]), [1])
      yield* cut(client)
      assert.deepStrictEqual(yield* peer.request("echo", [2]), [2])
    }).pipe(quietly))

  it.live("that is cut amid texts gives them whole and in order, and at a loss ends with a typed error", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const reading = yield* nats.client
      const texts = Array.from({ length: 5_000 }, (_, index) => JSON.stringify([index, "x".repeat(index % 1_000)]))
      for (let round = 0; round < 5; round++) {
        const listener = yield* Effect.provideService(
          NatsTransport.makeListener({ subject, keepAlive }),
          NatsClient.NatsClient,
          reading
        )
        const accepted = yield* Deferred.make<Transport>()
        const left = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(
          listener.run((side) => Effect.andThen(Deferred.succeed(accepted, side), Deferred.await(left)))
        )
        yield* Effect.scoped(Effect.gen(function*() {
          const side = yield* open(nats)
          const there = yield* Deferred.await(accepted)
          const sending = yield* Effect.forkChild(Effect.exit(Effect.forEach(texts, (text) => side.send([text]))))
          const got: Array<unknown> = []
          let end: string | undefined
          let isCut = false
          while (got.length < texts.length && end === undefined) {
            const exit = yield* Effect.result(there.receive)
            if (Result.isSuccess(exit)) got.push(...exit.success)
            else end = exit.failure.reason._tag
            if (end === undefined && !isCut && got.length > 500 * (round + 1)) {
              isCut = true
              yield* cut(reading)
            }
          }
          assert.deepStrictEqual(got, texts.slice(0, got.length))
          assert.include([undefined, "Lost", "KeepAlive"], end)
          if (end !== undefined) assert.isTrue(Exit.isFailure(yield* Fiber.join(sending)))
        }))
        yield* Deferred.succeed(left, undefined)
        yield* Fiber.interrupt(running)
      }
    }).pipe(quietly))
})
