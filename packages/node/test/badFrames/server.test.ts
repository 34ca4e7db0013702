/** What a served side answers to a bad frame, over real wires: reason by kind by wire by dialect. */
import { describe } from "@effect/vitest"
import * as NodeTcp from "@parley/node/NodeTcp"
import { Peer } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { MessagePortTransport, type Transport } from "@parley/transport"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as net from "node:net"
import { WebSocket } from "ws"
import { type Host, hosts } from "../support/httpHosts.ts"
import { fixture, portOf } from "../support/pairs.ts"
import * as posting from "../support/posting.ts"
import { listening } from "../support/webSocketListener.ts"
import { dialects, frame, framed, isPlain, isText, last, reading, typeOf } from "./messages.ts"
import { heard, routerOf, row, type Wire } from "./row.ts"

const limits = { frame, drain: 0 }

const serve = (dialect: Dialect.Dialect) => (side: Transport.Transport) =>
  Effect.scoped(
    Effect.flatMap(routerOf(dialect, limits), (router) =>
      Effect.flatMap(Peer.make(side, { router, dialect, limits }), (peer) => peer.closed))
  )

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const tcp = (dialect: Dialect.Dialect): Wire => ({
  name: `over TCP, ${dialect.framing}`,
  dialect,
  carries: (spoil) => dialect.framing === "contentLength" || isPlain(spoil),
  open: Effect.gen(function*() {
    const framing = Framing.byName(dialect.framing)
    const listener = yield* NodeTcp.makeListener({ port: 0, framing, limits })
    yield* Effect.forkScoped(listener.run(serve(dialect)))
    return (text, spoil) =>
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.sync(() => net.connect(portOf(listener.address), "127.0.0.1")),
          (socket) => Effect.sync(() => socket.destroy())
        ),
        (socket) =>
          heard((hear) => {
            const read = reading(framing)
            socket.on("data", (bytes: Uint8Array) => hear(read(bytes)))
            // The first byte alone: a frame may come in pieces.
            socket.write(framed(framing, text, spoil).subarray(0, 1))
            socket.write(framed(framing, text, spoil).subarray(1))
            socket.write(framed(framing, encode(last)))
          })
      )
  })
})

const webSocket = (kind: "text" | "binary"): Wire => ({
  name: `over WebSocket, ${kind}`,
  dialect: Dialect.jsonRpc,
  carries: isPlain,
  refusals: {
    "too large": 1009,
    ...(kind === "text" && { "no UTF-8": 1007, "no UTF-8 but a surrogate": 1007 })
  },
  open: Effect.map(listening({ limits }, serve(Dialect.jsonRpc)), (url) => (text) =>
    Effect.flatMap(
      Effect.acquireRelease(
        Effect.sync(() => new WebSocket(url)),
        (socket) => Effect.sync(() => socket.terminate())
      ),
      (socket) =>
        heard((hear, end) => {
          socket.on("message", (data) => hear([JSON.parse(String(data))]))
          socket.on("close", end)
          socket.on("open", () => {
            socket.send(text, { binary: kind === "binary" })
            socket.send(last)
          })
        })
    ))
})

const messagePort: Wire = {
  name: "over message port",
  dialect: Dialect.jsonRpc,
  carries: (spoil) => isPlain(spoil) && isText(spoil),
  open: Effect.succeed((text) =>
    Effect.gen(function*() {
      const { port1, port2 } = new MessageChannel()
      const side = yield* MessagePortTransport.make(port1, { limits })
      yield* Effect.forkScoped(serve(Dialect.jsonRpc)(side))
      return yield* heard((hear) => {
        port2.addEventListener("message", ({ data }) => hear(typeof data === "string" ? [JSON.parse(data)] : []))
        port2.start()
        port2.postMessage(decode(text))
        port2.postMessage(last)
      })
    })
  )
}

const stdio: Wire = {
  name: "over stdio of a process",
  dialect: Dialect.jsonRpc,
  carries: isPlain,
  open: Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [fixture("echo.ts"), String(frame)])),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => (text) =>
      heard((hear) => {
        const read = reading(Framing.line)
        child.stdout.removeAllListeners("data")
        child.stdout.on("data", (bytes: Uint8Array) => hear(read(bytes)))
        child.stdin.write(framed(Framing.line, text))
        child.stdin.write(framed(Framing.line, encode(last)))
      })
  )
}

const http = (host: Host, dialect: Dialect.Dialect): Wire => ({
  name: `over HTTP, ${host.name}`,
  dialect,
  carries: () => true,
  refusals: { "too large": 413, "another charset": 415 },
  open: Effect.map(
    Effect.flatMap(routerOf(dialect, limits), (router) => host.serve(router, { limits })),
    (url) => (body, spoil) =>
      Effect.map(
        posting.post(url, { body, headers: { "content-type": typeOf(spoil, "application/json") } }),
        ({ status, text }) => status === 204 && text === "" ? [] : status === 200 ? [JSON.parse(text)] : status
      )
  )
})

const wires = [
  ...dialects.map(tcp),
  webSocket("binary"),
  webSocket("text"),
  messagePort,
  stdio,
  ...hosts.map((host) => http(host, Dialect.jsonRpc)),
  ...dialects.slice(1).map((dialect) => http(hosts[0]!, dialect))
]

describe("a bad frame is answered by its reason and its kind", () => {
  for (const wire of wires) row(wire)
})
