/** A bad frame that is a response fails its call at once and says what came, and is never answered. */
import { describe, it } from "@effect/vitest"
import { HttpExchange } from "@parley/http/shared/client"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { NodeExchange } from "@parley/node/shared"
import { Peer } from "@parley/peer"
import type { Exchange } from "@parley/peer/shared"
import { Dialect, Framing } from "@parley/protocol"
import { MessagePortTransport, type Transport } from "@parley/transport"
import { Deferred, Effect, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import * as servers from "../support/httpServers.ts"
import * as rawWebSocket from "../support/rawWebSocket.ts"
import { dialects, framed, isPlain, isText, reading } from "./messages.ts"
import { answerAll, callerOf, holds, limits, type Wire } from "./responses.ts"

type Opened = Effect.Effect<Transport.Transport, Transport.TransportError, Scope.Scope>

const calling = (opened: Opened, dialect: Dialect.Dialect = Dialect.jsonRpc) =>
  Effect.flatMap(opened, (side) => Peer.make(side, { dialect, limits, timeout: "1 minute" }))

const tcp = (dialect: Dialect.Dialect): Wire => ({
  name: `over TCP, ${dialect.framing}, in the dialect ${dialect.name}`,
  carries: (spoil) => dialect.framing === "contentLength" || isPlain(spoil),
  open: (answering) => {
    const framing = Framing.byName(dialect.framing)
    return Effect.flatMap(
      servers.raw((socket) => {
        const read = reading(framing)
        socket.on(
          "data",
          (bytes) => answerAll(answering, read(bytes), (...text) => void socket.write(framed(framing, ...text)))
        )
      }),
      (url) => calling(NodeTcp.makeTransport({ port: Number(new URL(url).port), framing, limits }), dialect)
    )
  }
})

const webSocket = (kind: "text" | "binary"): Wire => ({
  name: `over WebSocket, ${kind}`,
  carries: isPlain,
  ends: {
    "too large": 1009,
    ...(kind === "text" && { "no UTF-8": 1007, "no UTF-8 but a surrogate": 1007 })
  },
  open: (answering) =>
    Effect.flatMap(
      rawWebSocket.server((socket) => {
        socket.on("message", (data) =>
          answerAll(
            answering,
            [JSON.parse(String(data))],
            (text) => socket.send(text, { binary: kind === "binary" })
          ))
        socket.on("close", (code) => Deferred.doneUnsafe(answering.closed, Effect.succeed(code)))
      }),
      (url) => calling(NodeWebSocket.makeTransport({ url, limits }))
    )
})

const messagePort: Wire = {
  name: "over message port",
  carries: (spoil) => isPlain(spoil) && isText(spoil),
  open: (answering) =>
    calling(Effect.suspend(() => {
      const { port1, port2 } = new MessageChannel()
      port2.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return
        answerAll(answering, [JSON.parse(data)], (text) => port2.postMessage(new TextDecoder().decode(text)))
      })
      port2.start()
      return MessagePortTransport.make(port1, { limits })
    }))
}

/** The process answers later calls with what else it got, if that is anything. */
const child: Wire = {
  name: "over stdio of a child process",
  carries: isPlain,
  open: ({ answer }) => {
    const [bad = new Uint8Array(0)] = answer({ id: 1, method: "m" }) ?? []
    return calling(NodeChildProcess.makeTransport({
      command: process.execPath,
      args: [
        "-e",
        `const others = []
        require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
          const { id, method } = JSON.parse(line)
          if (method === undefined) return others.push(line)
          const result = others.length === 0 ? "good" : others
          const good = JSON.stringify({ jsonrpc: "2.0", id, result })
          process.stdout.write(id === 1 ? Buffer.from("${Buffer.from(bad).toString("base64")}", "base64") : good)
          process.stdout.write("\\n")
        })`
      ],
      limits
    }))
  }
}

const http = (
  name: string,
  exchangeAt: (url: string) => Effect.Effect<Exchange.Exchange, unknown, Scope.Scope>
): Wire => ({
  name: `over HTTP, by ${name}`,
  carries: isPlain,
  isExchange: true,
  open: (answering) =>
    servers.answering(servers.withBody((body, response) => {
      response.setHeader("content-type", "application/json")
      // It has no length, so that it is read.
      response.flushHeaders()
      answerAll(answering, [JSON.parse(body)], (text) => response.end(text))
    })).pipe(
      Effect.flatMap(exchangeAt),
      Effect.flatMap((exchange) => callerOf(exchange, answering))
    )
})

const wires = [
  ...dialects.map(tcp),
  webSocket("text"),
  webSocket("binary"),
  messagePort,
  child,
  http("NodeHttp", (url) => NodeExchange.make({ url, limits })),
  http("fetch", (url) => Effect.provide(HttpExchange.make({ url, limits }), FetchHttpClient.layer))
]

describe("a bad frame that is a response", () => {
  for (const wire of wires) {
    it.live(`promise 7: a call ends exactly once, at once: ${wire.name}`, () => holds(wire))
  }
})
