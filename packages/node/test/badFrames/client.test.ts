/** A bad frame that is a response fails its call at once and says what came, and is never answered. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Exchange, Peer } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { MessagePortTransport, type Transport, type TransportError } from "@parley/transport"
import { Effect, References, type Scope } from "effect"
import * as http from "node:http"
import * as net from "node:net"
import { WebSocketServer } from "ws"
import { frame, framed, isText, reading, type Spoil, spoils, spoilt } from "./messages.ts"

/** What the other side answers to calls: a bad response to the first, and a good one to any other. */
const bad: Readonly<Record<string, string>> = {
  "a result": `{"jsonrpc":"2.0","id":1,"result":"~"}`,
  "a result with its id behind": `{"jsonrpc":"2.0","result":["~",{"id":2}],"id":1}`,
  "an error": `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"~"}}`
}

const answersOf = (text: string, spoil: Spoil) => (call: unknown): Uint8Array | undefined => {
  const { id, method } = Object(call) as { readonly id?: unknown; readonly method?: unknown }
  if (method === undefined) return undefined
  return id === 1 ? spoilt(text, spoil) : Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: "good" }))
}

/** Answers as it is told, and keeps what it gets that is no call. */
interface Answering {
  readonly answer: ReturnType<typeof answersOf>
  readonly got: Array<unknown>
}

interface Wire {
  readonly name: string
  readonly dialect: Dialect.Dialect
  readonly takes: (spoil: Spoil) => boolean
  readonly open: (
    answering: Answering
  ) => Effect.Effect<Transport.Transport, TransportError.TransportError, Scope.Scope>
}

const limits = { frame, drain: 0 }

const answerAll = ({ answer, got }: Answering, calls: ReadonlyArray<unknown>, send: (text: Uint8Array) => void) => {
  for (const call of calls) {
    const text = answer(call)
    if (text === undefined) got.push(call)
    else send(text)
  }
}

const tcp = (dialect: Dialect.Dialect): Wire => ({
  name: `TCP, ${dialect.framing}`,
  dialect,
  takes: () => true,
  open: (answering) =>
    Effect.gen(function*() {
      const framing = Framing.byName(dialect.framing)
      const server = yield* Effect.acquireRelease(
        Effect.callback<net.Server>((resume) => {
          const server = net.createServer((socket) => {
            const read = reading(framing)
            socket.on("error", () => {})
            socket.on(
              "data",
              (bytes) => answerAll(answering, read(bytes), (text) => void socket.write(framed(framing, text)))
            )
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      return yield* NodeTcp.makeTransport({ port: (server.address() as net.AddressInfo).port, framing, limits })
    })
})

const webSocket: Wire = {
  name: "WebSocket, binary",
  dialect: Dialect.jsonRpc,
  takes: (spoil) => spoil !== "too large",
  open: (answering) =>
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.callback<WebSocketServer>((resume) => {
          const server: WebSocketServer = new WebSocketServer({ port: 0, host: "127.0.0.1" }, () =>
            resume(Effect.succeed(server)))
          server.on("connection", (socket) =>
            socket.on(
              "message",
              (data) =>
                answerAll(answering, [JSON.parse(String(data))], (text) => socket.send(text, { binary: true }))
            ))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = server.address() as net.AddressInfo
      return yield* NodeWebSocket.makeTransport({ url: `ws://127.0.0.1:${port}`, limits })
    })
}

const messagePort: Wire = {
  name: "message port",
  dialect: Dialect.jsonRpc,
  takes: isText,
  open: (answering) =>
    Effect.suspend(() => {
      const { port1, port2 } = new MessageChannel()
      port2.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return
        answerAll(answering, [JSON.parse(data)], (text) => port2.postMessage(new TextDecoder().decode(text)))
      })
      port2.start()
      return MessagePortTransport.make(port1, { limits })
    })
}

const child: Wire = {
  name: "stdio of a child process",
  dialect: Dialect.jsonRpc,
  takes: () => true,
  open: ({ answer }) => {
    const [first = new Uint8Array(0), rest = new Uint8Array(0)] = [1, 2].map((id) => answer({ id, method: "m" }))
    return NodeChildProcess.makeTransport({
      command: process.execPath,
      args: [
        "-e",
        `const answers = ${JSON.stringify([first, rest].map((text) => Buffer.from(text).toString("base64")))}
        process.stdin.on("data", () => process.stdout.write(Buffer.concat([
          Buffer.from(answers.shift() ?? "", "base64"), Buffer.from("\\n")
        ])))`
      ],
      limits
    })
  }
}

const wires = [
  ...[Dialect.jsonRpc, Dialect.jsonRpc1, Dialect.lenient, Dialect.lsp, Dialect.ethereum].map(tcp),
  webSocket,
  messagePort
]

/** Calls twice: the first call fails at once, the second has its result, and nothing else was sent. */
const check = (wire: Wire, text: string, spoil: Spoil) =>
  Effect.gen(function*() {
    const answering: Answering = { answer: answersOf(text, spoil), got: [] }
    const transport = yield* wire.open(answering)
    const peer = yield* Peer.make(transport, { dialect: wire.dialect, limits, timeout: "1 minute" })
    const error = yield* Effect.flip(peer.request("m"))
    assert.strictEqual(error._tag, "InvalidResponse", `${spoil}: ${error.message}`)
    assert.match(error.message, spoil === "too large" ? /limit `frame` of 400/ : /InvalidUtf8|SyntaxError/)
    assert.strictEqual(yield* peer.request("m"), "good")
    assert.deepStrictEqual(answering.got, [])
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))

// The names of reasons are the keys of the object.
const reasons = Object.keys(spoils) as ReadonlyArray<Spoil>

describe("a bad frame that is a response", () => {
  for (const wire of wires) {
    it.live(`promise 7: a call ends exactly once, at once: over ${wire.name}, in the dialect ${wire.dialect.name}`, () =>
      Effect.forEach(
        reasons.filter(wire.takes),
        (spoil) => Effect.forEach(Object.values(bad), (text) => check(wire, text, spoil), { discard: true }),
        { discard: true }
      ))
  }

  it.live(`promise 7: a call ends exactly once, at once: over ${child.name}`, () =>
    // One process for each reason: starting one takes long.
    Effect.forEach(reasons, (spoil) => check(child, `{"jsonrpc":"2.0","id":1,"result":"~"}`, spoil), {
      discard: true
    }))

  it.live("promise 7: a call ends exactly once, at once: over HTTP", () =>
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.callback<http.Server>((resume) => {
          const server = http.createServer((_, response) =>
            response.setHeader("content-type", "application/json").end(`{"jsonrpc":"2.0","id":1,"result":NaN}`)
          )
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`
      const post: Exchange.Exchange["post"] = (text, take) =>
        Effect.as(
          Effect.flatMap(
            Effect.promise(() => fetch(url, { method: "POST", body: text }).then((answer) => answer.text())),
            (text) => take(text) ?? Effect.void
          ),
          "answer"
        )
      const caller = yield* Exchange.makeCaller({ post }, { limits })
      const error = yield* Effect.flip(caller.request("m"))
      assert.strictEqual(error._tag, "InvalidResponse")
      assert.include(error.message, "SyntaxError")
    }))
})
