/** A contract, its server and its client over TCP. For another wire change `NodeTcp` in two places. */
import { Contract, Method } from "@parley/contract"
import { NodeTcp } from "@parley/node"
import { Router } from "@parley/peer"
import { Listener } from "@parley/transport"
import { Effect, Layer, References, Schema } from "effect"

class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {}
class Bank extends Contract.make("Bank", {
  withdraw: Method.make({ params: { amount: Schema.Finite }, result: Schema.Finite, errors: { 1001: Insufficient } })
}) {}

// The server.
const BankLive = Bank.toLayer({
  withdraw: ({ amount }) => amount > 9 ? Effect.fail(new Insufficient({ balance: 9 })) : Effect.succeed(9 - amount)
})
const server = NodeTcp.layerServer({ port: 0 }).pipe(Layer.provide(Router.layer(BankLive)))

// The client.
const program = Effect.gen(function*() {
  const bank = yield* Bank.Client
  console.log("left:", yield* bank.withdraw({ amount: 2 }))
  yield* bank.withdraw({ amount: 50 })
}).pipe(Effect.catchTag("Insufficient", ({ balance }) => Effect.sync(() => console.log("only", balance))))
const client = (port: number) => Bank.layerClient().pipe(Layer.provide(NodeTcp.layerClient({ port })))

// Both in one process. The system picked the port, and the listener knows it.
const both = Effect.flatMap(Listener.Listener, ({ port = 0 }) => Effect.provide(program, client(port)))
await Effect.runPromise(both.pipe(Effect.provide(server), Effect.provideService(References.MinimumLogLevel, "Warn")))
