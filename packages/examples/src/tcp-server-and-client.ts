/** A server on a TCP port and a client of it. Swap the two `NodeTcp` for `NodeUnix`, and it is a Unix socket. */
import { NodeTcp } from "@parley/node"
import { ErrorResponse, Handler, Peer, Router, Server } from "@parley/peer"
import { Listener } from "@parley/transport"
import { Effect, Schema } from "effect"

// Handlers are Effects. This one has its params decoded by a Schema; what does not fit is answered with -32602.
const divide = Handler.withParams(
  Schema.Struct({ dividend: Schema.Finite, divisor: Schema.Finite }),
  ({ dividend, divisor }) =>
    divisor === 0
      ? Effect.fail(ErrorResponse.make(1001, "Division by zero", { dividend }))
      : Effect.succeed(dividend / divisor)
)

const server = Effect.gen(function*() {
  const listener = yield* NodeTcp.makeListener({ port: 0 })
  yield* Server.run.pipe(
    Effect.provideService(Listener.Listener, listener),
    Effect.provide(Router.layer({ divide })),
    Effect.forkScoped
  )
  return Number(new URL(listener.address).port)
})

const client = (port: number) =>
  Effect.gen(function*() {
    const peer = yield* Peer.make(yield* NodeTcp.makeTransport({ port }))
    console.log("12 / 4 =", yield* peer.request("divide", { dividend: 12, divisor: 4 }))

    // The error channel says whose fault it was: `RemoteError` is the server's answer.
    yield* peer.request("divide", { dividend: 1, divisor: 0 }).pipe(
      Effect.catchTag("RemoteError", ({ code, data, text }) =>
        Effect.sync(() => console.log(code, text, JSON.stringify(data))))
    )
    yield* peer.request("divide", ["one"]).pipe(
      Effect.catchTag("RemoteError", ({ code, text }) =>
        Effect.sync(() => console.log(code, text)))
    )
  })

await Effect.runPromise(Effect.scoped(Effect.flatMap(server, client)))
