/**
 * Prints our files of which one inbound typed call over TCP runs some code, as JSON. It runs in a process of its own,
 * because Vitest adds functions of its own to each module, for what it exports.
 */
import { Effect, Exit, Layer, Schema, Scope } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { start } from "./Looks.ts"

const counting = await start()
const Contract = await import("@parley/contract/Contract")
const Method = await import("@parley/contract/Method")
const NodeTcp = await import("@parley/node/NodeTcp")
const Router = await import("@parley/peer/Router")
const Server = await import("@parley/peer/Server")
const Listener = await import("@parley/transport/Listener")

/** A typed echo over TCP. */
const Echo = Contract.make("Echo", { echo: Method.make({ params: { text: Schema.String }, result: Schema.String }) })
const scope = Scope.makeUnsafe()
const open = Effect.gen(function*() {
  const router = yield* Router.make()
  yield* Effect.provideService(
    Layer.build(Echo.toLayer({ echo: ({ text }) => Effect.succeed(text) })),
    Router.Router,
    router
  )
  const listener = yield* NodeTcp.makeListener({ port: 0 })
  yield* Effect.forkScoped(Server.run.pipe(
    Effect.provideService(Listener.Listener, listener),
    Effect.provideService(Router.Router, router)
  ))
  return Number(new URL(listener.address).port)
})
const socket = connect(await Effect.runPromise(Scope.provide(open, scope)), "127.0.0.1").setEncoding("utf8")

let id = 0
const call = async () => {
  const request = { jsonrpc: "2.0", id: ++id, method: "echo", params: { text: "hello" } }
  socket.write(JSON.stringify(request) + "\n")
  const [reply] = await once(socket, "data")
  if (reply !== `{"jsonrpc":"2.0","id":${id},"result":"hello"}\n`) throw new Error(`the reply is ${reply}`)
}

for (let warmUp = 0; warmUp < 50; warmUp++) await call()
const { files } = await counting.count(call)
await counting.stop()
socket.destroy()
await Effect.runPromise(Scope.close(scope, Exit.void))
console.log(JSON.stringify(files))
