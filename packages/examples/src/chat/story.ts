/**
 * A chat with rooms, presence and direct messages, whose server is restarted meanwhile: a page over a WebSocket, with a
 * token at its handshake, and a terminal over TCP, which logs in by a method.
 */
import { NodeTcp } from "@parley/node"
import { Reconnecting, Router } from "@parley/peer"
import { Effect, Exit, Layer, Logger, Queue, Scope } from "effect"
import { createServer } from "node:net"
import { Chat, Door, Events } from "./contract.ts"
import { chat } from "./page.ts"
import { server } from "./server.ts"

/** A port that is free for the next second. */
const freePort = Effect.promise(() =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
)

/** Bob, over TCP. Each of his connections logs in and joins. */
const terminal = (port: number, show: (line: string) => void) =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    const events = Events.toLayer({
      said: () => Effect.void,
      told: ({ from, text }) => Effect.sync(() => show(`${from} tells bob: ${text}`)),
      presence: () => Effect.void
    })
    yield* Effect.provideService(Layer.build(events), Router.Router, router)
    return yield* Reconnecting.make({
      router,
      open: NodeTcp.makeTransport({ port }),
      onConnect: (peer) => Effect.andThen(Door.client(peer).login({ token: "t-bob" }), Chat.client(peer).join())
    })
  })

const program = Effect.gen(function*() {
  const [tcp, ws] = yield* Effect.all([freePort, freePort])
  const lines = yield* Queue.unbounded<string>()
  /** Prints the next line that is no presence, which comes when it comes. */
  const print: Effect.Effect<void> = Effect.flatMap(
    Queue.take(lines),
    (line) => line.includes(": ") ? Effect.sync(() => console.log(line)) : print
  )
  const served = Effect.map(
    Effect.tap(Scope.make(), (scope) => Layer.buildWithScope(server({ tcp, ws }, "https://chat.example.org"), scope)),
    (scope) => Scope.close(scope, Exit.void)
  )

  const stop = yield* served
  const bob = yield* terminal(tcp, (line) => Queue.offerUnsafe(lines, line))
  yield* bob.connected
  yield* Effect.gen(function*() {
    const { say, tell } = yield* Chat.Client
    yield* say({ room: "tea", text: "Milk?" })
    yield* print
    yield* tell({ to: "bob", text: "Two sugars" })
    yield* print
    console.log((yield* Effect.flip(tell({ to: "eve", text: "Hello?" })))._tag)

    // The next process listens, and both have come back: nobody lost a call.
    yield* stop
    const stopNext = yield* served
    yield* say({ room: "tea", text: "Still here?" })
    yield* print
    yield* Chat.client(bob).tell({ to: "bob", text: "Yes" })
    yield* print
    yield* stopNext
  }).pipe(Effect.provide(chat(`ws://127.0.0.1:${ws}`, "t-ada", "tea", (line) => Queue.offerUnsafe(lines, line))))
})

await program.pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise)
