/** What a served side answers to a bad frame, over real wires: reason by kind by wire by dialect. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeTcp from "@parley/node/NodeTcp"
import { Peer, Router } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { MessagePortTransport, type Transport } from "@parley/transport"
import { Effect, References, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as net from "node:net"
import { hosts } from "../support/httpHosts.ts"
import { fixture, portOf } from "../support/pairs.ts"
import * as posting from "../support/posting.ts"
import { listening } from "../support/webSocketListener.ts"
import {
  frame,
  framed,
  isLast,
  isText,
  last,
  messages,
  reading,
  replyTo,
  type Spoil,
  spoils,
  spoilt
} from "./messages.ts"

/** Sends a text of any bytes and a request, and gives the replies before that of the request, parsed. */
type Ask = (text: Uint8Array) => Effect.Effect<ReadonlyArray<unknown>, unknown, Scope.Scope>

interface Wire {
  readonly name: string
  readonly dialect: Dialect.Dialect
  readonly open: Effect.Effect<Ask, unknown, Scope.Scope>
  /** Whether the wire carries such a text, and leaves the answer to the peer. */
  readonly takes: (spoil: Spoil) => boolean
}

const limits = { frame, drain: 0 }

const routerOf = (dialect: Dialect.Dialect) =>
  Effect.tap(
    Router.make({ dialect, limits }),
    (router) => router.add("echo", ({ params }) => Effect.succeed(params ?? null))
  )

const serve = (dialect: Dialect.Dialect) => (side: Transport.Transport) =>
  Effect.scoped(
    Effect.flatMap(routerOf(dialect), (router) =>
      Effect.flatMap(Peer.make(side, { router, dialect, limits }), (peer) => peer.closed))
  )

/** Sends by `send`, and hears by what it was given, until the last reply has come. */
const heard = (
  send: (hear: (replies: ReadonlyArray<unknown>) => void) => void
): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.callback((resume) => {
    const all: Array<unknown> = []
    send((replies) => {
      all.push(...replies)
      if (all.some(isLast)) resume(Effect.succeed(all.filter((reply) => !isLast(reply))))
    })
  })

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const tcp = (dialect: Dialect.Dialect): Wire => ({
  name: `TCP, ${dialect.framing}`,
  dialect,
  takes: () => true,
  open: Effect.gen(function*() {
    const framing = Framing.byName(dialect.framing)
    const listener = yield* NodeTcp.makeListener({ port: 0, framing, limits })
    yield* Effect.forkScoped(listener.run(serve(dialect)))
    return (text) =>
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
            socket.write(framed(framing, text).subarray(0, 1))
            socket.write(framed(framing, text).subarray(1))
            socket.write(framed(framing, encode(last)))
          })
      )
  })
})

const webSocket = (kind: "text" | "binary"): Wire => ({
  name: `WebSocket, ${kind}`,
  dialect: Dialect.jsonRpc,
  // A text that is no UTF-8 ends the connection with 1007, and one that is too large with 1009.
  takes: (spoil) => spoil !== "too large" && (kind === "binary" || isText(spoil)),
  open: Effect.map(listening({ limits }, serve(Dialect.jsonRpc)), (url) => (text) =>
    Effect.flatMap(
      Effect.acquireRelease(
        Effect.sync(() => new WebSocket(url)),
        (socket) => Effect.sync(() => socket.close())
      ),
      (socket) =>
        heard((hear) => {
          socket.addEventListener("message", ({ data }) => hear([JSON.parse(String(data))]))
          socket.addEventListener("open", () => {
            socket.send(kind === "binary" ? Uint8Array.from(text) : decode(text))
            socket.send(last)
          })
        })
    ))
})

const messagePort: Wire = {
  name: "message port",
  dialect: Dialect.jsonRpc,
  takes: isText,
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
  name: "stdio of a process",
  dialect: Dialect.jsonRpc,
  takes: () => true,
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

const http: ReadonlyArray<Wire> = hosts.map((host) => ({
  name: host.name,
  dialect: Dialect.jsonRpc,
  // The status 413 says that it is.
  takes: (spoil) => spoil !== "too large",
  open: Effect.map(
    Effect.flatMap(routerOf(Dialect.jsonRpc), (router) => host.serve(router)),
    (url) => (text) =>
      Effect.map(posting.post(url, { body: text }), ({ status, text }) => {
        assert.strictEqual(status, text === "" ? 204 : 200)
        return text === "" ? [] : [JSON.parse(text)]
      })
  )
}))

const wires = [
  ...[Dialect.jsonRpc, Dialect.jsonRpc1, Dialect.lenient, Dialect.lsp, Dialect.ethereum].map(tcp),
  webSocket("binary"),
  webSocket("text"),
  messagePort,
  stdio,
  ...http
]

describe("a bad frame is answered by its reason and its kind", () => {
  for (const wire of wires) {
    it.live(`over ${wire.name}, in the dialect ${wire.dialect.name}`, () =>
      Effect.gen(function*() {
        const ask = yield* wire.open
        // The names of reasons are the keys of the object.
        for (const spoil of Object.keys(spoils) as ReadonlyArray<Spoil>) {
          if (!wire.takes(spoil)) continue
          for (const [name, [text, answer]] of Object.entries(messages)) {
            const replies = yield* Effect.scoped(ask(spoilt(text, spoil)))
            assert.deepStrictEqual(replies, replyTo(answer, spoil, wire.dialect), `${name}: ${spoil}`)
          }
        }
      }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")))
  }
})
