/** A server of `effect/rpc` with its JSON-RPC: over HTTP, or with `--tcp` a message in each line. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Schema from "effect/Schema"
import * as SocketServer from "effect/socket/SocketServer"
import { createServer } from "node:http"

const group = RpcGroup.make(
  Rpc.make("add", { payload: { a: Schema.Finite, b: Schema.Finite }, success: Schema.Finite })
)
const handlers = group.toLayer({ add: ({ a, b }) => Effect.succeed(a + b) })

const told = (port: number, scheme: string, path = "") => console.log(`${scheme}://127.0.0.1:${port}${path}`)

const tcp = Layer.unwrap(Effect.map(SocketServer.SocketServer, ({ address }) => {
  if (address._tag === "InetAddressV4") told(address.port, "tcp")
  return Layer.provide(RpcServer.layer(group), RpcServer.layerProtocolSocketServer)
})).pipe(
  Layer.provide(RpcSerialization.layerNdJsonRpc()),
  Layer.provide(NodeSocketServer.layer({ port: 0, host: "127.0.0.1" }))
)

const http = () => {
  const node = createServer()
  node.on("listening", () => {
    const address = node.address()
    if (typeof address === "object" && address !== null) told(address.port, "http", "/rpc")
  })
  return HttpRouter.serve(RpcServer.layerHttp({ group, path: "/rpc", protocol: "http" }), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(RpcSerialization.layerJsonRpc()),
    Layer.provide(NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1" }))
  )
}

const served: Layer.Layer<never, unknown, Layer.Success<typeof handlers>> = process.argv.includes("--tcp")
  ? tcp
  : http()
await Effect.runPromise(Layer.launch(served.pipe(Layer.provide(handlers), Layer.provide(Logger.layer([])))))
