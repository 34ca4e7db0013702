/**
 * How many of our files one call passes: a newcomer who follows it has to read all of them.
 */
import { Effect, Exit, Layer, Schema, Scope } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { type Counting, start } from "../support/Looks.ts"

/** Our files of which one inbound typed call over TCP runs some code. */
const most = 32

let counting: Counting

beforeAll(async () => {
  counting = await start()
  // Other tests have imported the sources before.
  vi.resetModules()
})

afterAll(async () => {
  await counting.stop()
  // What was compiled while it counted would go on counting in other tests.
  vi.resetModules()
})

/** A typed echo over TCP, and its port. */
const serve = async () => {
  const Contract = await import("@parley/contract/Contract")
  const Method = await import("@parley/contract/Method")
  const NodeTcp = await import("@parley/node/NodeTcp")
  const Router = await import("@parley/peer/Router")
  const Server = await import("@parley/peer/Server")
  const Listener = await import("@parley/transport/Listener")
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
  return { port: await Effect.runPromise(Scope.provide(open, scope)), close: Scope.close(scope, Exit.void) }
}

it(`one typed call over TCP runs code of at most ${most} files`, async () => {
  const { close, port } = await serve()
  const socket = connect(port, "127.0.0.1").setEncoding("utf8")
  let id = 0
  const call = async () => {
    const request = { jsonrpc: "2.0", id: ++id, method: "echo", params: { text: "hello" } }
    socket.write(JSON.stringify(request) + "\n")
    const [reply] = await once(socket, "data")
    expect(JSON.parse(reply)).toEqual({ jsonrpc: "2.0", id, result: "hello" })
  }
  for (let warmUp = 0; warmUp < 50; warmUp++) await call()
  const { files } = await counting.count(call)
  socket.destroy()
  await Effect.runPromise(close)
  console.log(`${files.length} files:\n${files.join("\n")}`)
  expect(files.length).toBeGreaterThan(10)
  expect(files.length).toBeLessThanOrEqual(most)
})
