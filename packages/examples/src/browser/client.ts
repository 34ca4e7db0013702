/** The smallest client for a browser: one contract over a WebSocket. Its size is kept in docs/reference/bundle-size.md. */
import * as Contract from "@parley/contract/Contract"
import * as Method from "@parley/contract/Method"
import * as Peer from "@parley/peer/Peer"
import * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"

const Bank = Contract.make("Bank", {
  deposit: Method.make({ params: { amount: Schema.Finite }, result: Schema.Finite })
})

const BankClient = Bank.layerClient().pipe(
  Layer.provide(Peer.layer()),
  Layer.provide(WebSocketTransport.layer({ url: "wss://bank.example" })),
  Layer.provide(Socket.layerWebSocketConstructorGlobal)
)

const program = Effect.gen(function*() {
  const bank = yield* Bank.Client
  return yield* bank.deposit({ amount: 10 })
})

Effect.runPromise(Effect.provide(program, BankClient)).then((balance) => console.log(balance))
