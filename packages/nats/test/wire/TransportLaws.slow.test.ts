/** The laws of transports, and of peers over them, for conversations over a real server of NATS. */
import { it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import type { Law } from "@parley/conformance/Laws"
import * as Specimen from "@parley/conformance/Specimen"
import * as NatsClient from "@parley/nats/NatsClient"
import * as NatsTransport from "@parley/nats/NatsTransport"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import { Listener } from "@parley/transport/Listener"
import type { Transport } from "@parley/transport/Transport"
import { Deferred, Effect, Layer, Queue, References } from "effect"
import * as NatsServer from "../support/NatsServer.ts"

const check = (laws: ReadonlyArray<Law>): void => {
  for (const law of laws) it.live(law.name, () => law.check)
}

const keepAlive = { interval: "200 millis", timeout: "400 millis" } as const

/** Two clients of one server, and a conversation between them. */
const pair = Effect.gen(function*() {
  const { address } = yield* NatsServer.make("")
  const clientOf = NatsClient.make({ servers: address })
  const [near, far] = [yield* clientOf, yield* clientOf]
  const listener = yield* Effect.provideService(
    NatsTransport.makeListener({ subject: "bank", keepAlive }),
    NatsClient.NatsClient,
    far
  )
  const accepted = yield* Deferred.make<Transport>()
  yield* Effect.forkScoped(
    listener.run((side) => Effect.andThen(Deferred.succeed(accepted, side), Effect.never))
  )
  const client = yield* Effect.provideService(
    NatsTransport.makeTransport({ subject: "bank", keepAlive }),
    NatsClient.NatsClient,
    near
  )
  return { sides: [client, yield* Deferred.await(accepted)] as const, far }
})

const open = Effect.map(pair, ({ sides }) => sides)

NatsServer.suites("the laws of transports over NATS", () => {
  check(Laws.ofTransport({
    name: "conversation",
    open,
    loss: {
      open: Effect.map(pair, ({ far, sides }) => [
        sides[0],
        // As a process that is killed: its connection ends without a word.
        Effect.promise(() => far.connection.close())
      ])
    }
  }, { runs: 10 }))
})

/** How many subscriptions a connection has. */
const subscriptionsOf = ({ connection }: NatsClient.NatsClient): number => {
  // Its type does not say it.
  const { protocol } = connection as unknown as { readonly protocol: { readonly subscriptions: { size(): number } } }
  return protocol.subscriptions.size()
}

NatsServer.suites("conversations in cycles", () => {
  it.live("200 conversations leave no subscription behind", () =>
    Effect.gen(function*() {
      const { address } = yield* NatsServer.make("")
      const client = yield* NatsClient.make({ servers: address })
      return yield* Effect.gen(function*() {
        const listener = yield* NatsTransport.makeListener({ subject: "bank" })
        const sides = yield* Queue.unbounded<readonly [Transport, Deferred.Deferred<void>]>()
        yield* Effect.forkScoped(listener.run((side) =>
          Effect.gen(function*() {
            const left = yield* Deferred.make<void>()
            yield* Queue.offer(sides, [side, left])
            yield* Deferred.await(left)
          })
        ))
        const open = Effect.gen(function*() {
          const near = yield* NatsTransport.makeTransport({ subject: "bank" })
          const [far, left] = yield* Queue.take(sides)
          yield* Effect.addFinalizer(() => Deferred.succeed(left, undefined))
          return [near, far] as const
        }).pipe(Effect.provideService(NatsClient.NatsClient, client))
        yield* Laws.ofCycles({ name: "conversation", open }, {
          count: 200,
          held: Effect.sync(() => ({ subscriptions: subscriptionsOf(client) })),
          memory: Effect.succeed(0),
          allowed: 0
        }).check
      }).pipe(Effect.provideService(NatsClient.NatsClient, client))
    }), 120_000)
})

NatsServer.suites("the laws of callers over NATS", () => {
  const quietly = Effect.provideService(References.MinimumLogLevel, "None")
  check(Laws.ofCaller(
    { name: "Peer over a conversation", call: (transport) => quietly(Peer.make(transport)), line: open },
    { runs: 3 }
  ))
})

NatsServer.suites("the laws of servers over NATS", () => {
  const connect = Effect.gen(function*() {
    const { address } = yield* NatsServer.make("")
    const context = yield* Layer.build(Layer.mergeAll(
      NatsClient.layer({ servers: address }),
      Router.layer(Specimen.handlers)
    ))
    return yield* Effect.gen(function*() {
      const listener = yield* NatsTransport.makeListener({ subject: "specimen" })
      yield* Effect.forkScoped(Effect.provideService(Server.runWith({}), Listener, listener))
      return yield* NatsTransport.makeTransport({ subject: "specimen" })
    }).pipe(Effect.provideContext(context), Effect.provideService(References.MinimumLogLevel, "None"))
  })
  check(Laws.ofServer({ name: "Server over conversations", connect }, { runs: 3 }))
})
