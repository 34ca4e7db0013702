/**
 * Effect RPC with its JSON-RPC serialization: over sockets, in memory with the same texts passed through microtasks as
 * those of the floor, and once without any serialization.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcGroup from "effect/rpc/RpcGroup"
import type { FromClientEncoded, FromServerEncoded } from "effect/rpc/RpcMessage"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import * as RpcTest from "effect/rpc/RpcTest"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as SocketServer from "effect/socket/SocketServer"
import type { Client, Payload, Subject } from "../Subject.ts"

export const group = RpcGroup.make(Rpc.make("echo", { payload: Schema.Unknown, success: Schema.Unknown }))

export const handlers = group.toLayer({ echo: (payload) => Effect.succeed(payload) })

export const options = { disableTracing: true }

export const clientOf = async (layer: Layer.Layer<RpcClient.Protocol, unknown>): Promise<Client> => {
  const runtime = ManagedRuntime.make(layer)
  const scope = Scope.makeUnsafe()
  const client = await runtime.runPromise(Scope.provide(RpcClient.make(group, options), scope))
  const context = await runtime.context()
  const run = Effect.runPromiseWith(context)
  return {
    call: (params) => run(client.echo(params)),
    callEffect: (params) => Effect.provideContext(client.echo(params), context),
    close: () => runtime.dispose()
  }
}

/** No control messages, and none of Effect's own limits: as it talks to a plain peer. */
const lines = RpcSerialization.layerNdJsonRpc({ controlMessages: false, maxBufferSize: "unbounded" })

type Place = { readonly port: number; readonly host: string } | { readonly path: string }

/** Gives the port, where there is one. */
const serveAt = (place: Place): Promise<number> =>
  new Promise((resolve) => {
    const main = Effect.gen(function*() {
      const { address } = yield* SocketServer.SocketServer
      resolve("port" in address ? address.port : 0)
      return yield* Effect.never
    })
    const server = RpcServer.layer(group, options).pipe(
      Layer.provide(handlers),
      Layer.provide(RpcServer.layerProtocolSocketServer),
      Layer.provide(lines),
      Layer.provideMerge(NodeSocketServer.layer(place))
    )
    Effect.runFork(Effect.provide(main, server))
  })

const connectTo = (place: Place) =>
  clientOf(
    RpcClient.layerProtocolSocket().pipe(Layer.provide(NodeSocket.layerNet(place)), Layer.provide(lines))
  )

const host = "127.0.0.1"

/** Two protocols that hand each other the texts of `RpcSerialization.jsonRpc`. */
const pair = Effect.gen(function*() {
  const { codecFor, makeUnsafe } = RpcSerialization.jsonRpc({ controlMessages: false })
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const ends = { client: makeUnsafe(), server: makeUnsafe() }
  let toServer = (_: FromClientEncoded): Effect.Effect<void> => Effect.void
  let toClient = (_: FromServerEncoded): Effect.Effect<void> => Effect.void

  const deliver = <A>(
    text: unknown,
    end: { readonly decode: (text: string) => unknown },
    to: (a: A) => Effect.Effect<void>
  ) =>
    queueMicrotask(() => {
      // What one end of the pair has encoded, the other decodes.
      for (const message of end.decode(String(text)) as ReadonlyArray<A>) run(to(message))
    })

  const server = yield* RpcServer.Protocol.make((write) =>
    Effect.gen(function*() {
      toServer = (message) => write(0, message)
      return {
        disconnects: yield* Queue.make<number>(),
        send: (_, response) =>
          Effect.sync(() => {
            const text = ends.server.encode(response)
            if (text !== undefined) deliver<FromServerEncoded>(text, ends.client, (message) => toClient(message))
          }),
        end: () => Effect.void,
        clientIds: Effect.succeed(new Set([0])),
        initialMessage: Effect.succeed(Option.none()),
        supportsAck: false,
        supportsTransferables: false,
        supportsSpanPropagation: false,
        supportsNotifications: true,
        codecFor
      }
    })
  )
  const client = yield* RpcClient.Protocol.make((write) =>
    Effect.sync(() => {
      let only = 0
      toClient = (message) => write(only, message)
      return {
        send: (id, request) =>
          Effect.sync(() => {
            only = id
            const text = ends.client.encode(request)
            if (text !== undefined) deliver<FromClientEncoded>(text, ends.server, (message) => toServer(message))
          }),
        supportsAck: false,
        supportsTransferables: false,
        codecFor
      }
    })
  )
  return Context.make(RpcServer.Protocol, server).pipe(Context.add(RpcClient.Protocol, client))
})

const openJson = () =>
  clientOf(
    RpcServer.layer(group, options).pipe(
      Layer.provide(handlers),
      Layer.provideMerge(Layer.effectContext(pair))
    )
  )

const openObjects = async (): Promise<Client> => {
  const client = await Effect.runPromise(
    RpcTest.makeClient(group).pipe(Effect.provide(handlers), Scope.provide(Scope.makeUnsafe()))
  )
  const echo = (params: Payload) => client.echo(params)
  return { call: (params) => Effect.runPromise(echo(params)), callEffect: echo, close: () => {} }
}

export const effectRpc: ReadonlyArray<Subject> = [
  { name: "mem/effect-rpc-objects", wire: "mem", open: openObjects },
  { name: "mem/effect-rpc", wire: "mem", open: openJson },
  {
    name: "tcp/effect-rpc",
    wire: "tcp",
    serve: () => serveAt({ port: 0, host }),
    connect: (port) => connectTo({ port, host })
  },
  {
    name: "unix/effect-rpc",
    wire: "unix",
    serve: (path) => serveAt({ path }),
    connect: (path) => connectTo({ path })
  }
]
