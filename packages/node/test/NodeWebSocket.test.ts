import { NodeWS } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Peer, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import * as Listener from "@parley/transport/Listener"
import { Budget } from "@parley/transport/shared"
import * as Transport from "@parley/transport/Transport"
import * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Socket } from "effect/socket"
import * as http from "node:http"
import { until } from "./support/held.ts"
import { portOf } from "./support/pairs.ts"
import * as raw from "./support/raw.ts"
import * as rawWebSocket from "./support/rawWebSocket.ts"
import { reasonOf } from "./support/reasonOf.ts"
import { echo, listening, upgrade } from "./support/webSocketListener.ts"

type Side = Transport.Transport

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** A plain socket that has upgraded by hand. */
const upgraded = (address: string) =>
  Effect.gen(function*() {
    const client = yield* raw.connect(`tcp://127.0.0.1:${portOf(address)}`)
    const lines = Object.entries({ host: "127.0.0.1", ...upgrade }).map(([name, value]) => `${name}: ${value}\r\n`)
    yield* Effect.callback<void>((resume) => {
      client.socket.once("data", () => resume(Effect.void))
      client.socket.write(`GET / HTTP/1.1\r\n${lines.join("")}\r\n`)
    })
    return client
  })

describe("NodeWebSocket", () => {
  it.live("calls go both ways, and an interrupted call is cancelled on the other side", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const router = yield* Router.make()
      yield* router.add("double", ({ params }) => Effect.succeed([params ?? null, params ?? null]))
      yield* router.add("wait", ({ peer }) =>
        peer.notify("begun").pipe(
          Effect.orDie,
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        ))
      const url = yield* listening({}, (side) =>
        Effect.scoped(
          Effect.flatMap(Peer.make(side, { router, dialect: Dialect.lsp }), (peer) => peer.closed)
        ))
      const begun = yield* Deferred.make<void>()
      const own = yield* Router.make()
      yield* own.add("begun", () => Effect.as(Deferred.succeed(begun, undefined), null))
      const peer = yield* Peer.make(yield* NodeWebSocket.makeTransport({ url }), { router: own, dialect: Dialect.lsp })
      assert.deepStrictEqual(yield* peer.request("double", ["añ𝄞"]), [["añ𝄞"], ["añ𝄞"]])
      const waiting = yield* started(peer.request("wait"))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(waiting)
      yield* Deferred.await(interrupted)
      assert.strictEqual(yield* peer.state, "open")
    }))

  it.live("its address is one that a client can use", () =>
    Effect.gen(function*() {
      assert.match(yield* listening(), /^ws:\/\/127\.0\.0\.1:\d+$/)
      const url = yield* listening({ path: "/rpc" })
      assert.match(url, /^ws:\/\/127\.0\.0\.1:\d+\/rpc$/)
      const port = Number(new URL(url).port)
      const side = yield* NodeWebSocket.makeTransport({ port, path: "/rpc?token=1" })
      yield* side.send(["1"])
      assert.deepStrictEqual([...(yield* side.receive)], ["1"])
    }))

  it.live("each side is a Layer, a new one per call", () =>
    Effect.gen(function*() {
      const listener = yield* Listener.Listener
      yield* Effect.forkScoped(listener.run(echo))
      const url = listener.address
      const side = Transport.Transport.pipe(Effect.provide(NodeWebSocket.layerTransport({ url })))
      const pair = yield* Effect.all([side, side])
      assert.notStrictEqual(pair[0], pair[1])
    }).pipe(Effect.provide(Layer.fresh(NodeWebSocket.layerListener({ port: 0 })))))

  it.live("connections wait for `run`, and what they send is not lost", () =>
    Effect.gen(function*() {
      const listener = yield* NodeWebSocket.makeListener({ port: 0 })
      const side = yield* NodeWebSocket.makeTransport({ url: listener.address })
      for (const text of ["1", "2", "3"]) yield* side.send([text])
      const bytes = yield* upgraded(listener.address)
      yield* bytes.end
      yield* Effect.forkScoped(listener.run(echo))
      let got = 0
      while (got < 3) got += (yield* side.receive).length
      assert.strictEqual(got, 3)
    }))

  it.live("messages are text or binary as the format says, and both are read", () =>
    Effect.gen(function*() {
      for (const format of ["text", "binary"] as const) {
        const [side, bare] = yield* rawWebSocket.client({ format })
        const message = yield* started(rawWebSocket.event(bare, "message"))
        yield* side.send(["añ"])
        const [data, isBinary] = yield* Fiber.join(message)
        assert.strictEqual(String(data), "añ")
        assert.strictEqual(isBinary, format === "binary")
        bare.send(Buffer.from("[\"ñ\"]"))
        assert.deepStrictEqual([...(yield* side.receive)], ["[\"ñ\"]"])
        bare.send("[1]")
        assert.deepStrictEqual([...(yield* side.receive)], ["[1]"])
      }
    }))

  it.live("bytes that are no UTF-8 are a bad frame in a binary message, and the end in a text", () =>
    Effect.gen(function*() {
      const [side, bare] = yield* rawWebSocket.client()
      bare.send(Buffer.from([0x22, 0xff, 0x22]))
      bare.send("[1]")
      const got = [...(yield* side.receive)]
      if (got.length === 1) got.push(...(yield* side.receive))
      assert.deepStrictEqual(got, [{ _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "\"\\xff\"" }, "[1]"])
      const closed = yield* started(rawWebSocket.event(bare, "close"))
      bare.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false })
      const reason = yield* reasonOf(side.receive)
      assert.strictEqual(reason._tag, "Lost")
      yield* side.close
      assert.strictEqual((yield* Fiber.join(closed))[0], 1007)
    }))

  it.live("promise 5: a frame beyond its limit is never buffered", () =>
    Effect.gen(function*() {
      const [side, bare] = yield* rawWebSocket.client({ limits: { frame: 1_000 } })
      const closed = yield* started(rawWebSocket.event(bare, "close"))
      bare.send("x".repeat(1_000))
      assert.strictEqual((yield* side.receive)[0], "x".repeat(1_000))
      bare.send("x".repeat(1_001))
      const reason = yield* reasonOf(side.receive)
      assert.deepStrictEqual(reason, { _tag: "TooLarge", frame: 1_000 })
      yield* side.close
      assert.strictEqual((yield* Fiber.join(closed))[0], 1009)
    }))

  it.live("a client that sends too much learns it by the close code", () =>
    Effect.gen(function*() {
      const side = yield* NodeWebSocket.makeTransport({ url: yield* listening({ limits: { frame: 1_000 } }) })
      yield* side.send(["x".repeat(1_001)])
      const reason = yield* reasonOf(side.receive)
      assert.deepStrictEqual(reason, { _tag: "CloseCode", code: 1009, text: "" })
      assert.deepStrictEqual(yield* reasonOf(side.send(["1"])), reason)
    }))

  it.live("the codes 1000, 1001 and none end the input, after what was sent", () =>
    Effect.gen(function*() {
      for (const code of [1000, 1001, undefined]) {
        const url = yield* rawWebSocket.server((bare) => {
          bare.send("1")
          bare.send("2")
          bare.close(code)
        })
        const side = yield* NodeWebSocket.makeTransport({ url })
        const got = [...(yield* side.receive)]
        if (got.length === 1) got.push(...(yield* side.receive))
        assert.deepStrictEqual(got, ["1", "2"])
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "EndOfInput")
        assert.strictEqual((yield* reasonOf(side.send(["3"])))._tag, "Lost")
      }
    }))

  it.live("other codes are a CloseCode with its text, and no code at all is Lost", () =>
    Effect.gen(function*() {
      for (const [code, text] of [[1011, ""], [1013, "later"], [4001, "token expired"]] as const) {
        const [side, bare] = yield* rawWebSocket.client()
        bare.close(code, text)
        assert.deepStrictEqual(yield* reasonOf(side.receive), { _tag: "CloseCode", code, text })
        assert.deepStrictEqual(yield* reasonOf(side.send(["1"])), { _tag: "CloseCode", code, text })
      }
      const [side, bare] = yield* rawWebSocket.client()
      bare.terminate()
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "Lost")
    }))

  it.live("a connection that is lost within a message gives nothing of it", () =>
    Effect.gen(function*() {
      const accepted = yield* Deferred.make<Side>()
      const url = yield* listening({}, (side) => Effect.andThen(Deferred.succeed(accepted, side), Effect.never))
      const client = yield* upgraded(url)
      // The header of a masked text of 100 bytes, its mask, and three of them.
      yield* client.write(Uint8Array.from([0x81, 0x80 | 100, 0, 0, 0, 0, 0x31, 0x32, 0x33]))
      const side = yield* Deferred.await(accepted)
      const reading = yield* started(reasonOf(side.receive))
      yield* client.end
      assert.strictEqual((yield* Fiber.join(reading))._tag, "Lost")
    }))

  it.live("messages that are never finished hold no more than the budget, whatever comes in between", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000_000)
      const ended = yield* Deferred.make<unknown>()
      const url = yield* Effect.provideService(
        listening({}, (side) => Effect.flatMap(reasonOf(side.receive), (reason) => Deferred.succeed(ended, reason))),
        Budget.Budget,
        budget
      )
      // The header of a masked fragment of 100,000 bytes that is not the last one, a continuation of it, and a ping.
      const client = yield* upgraded(url)
      const fragment = (opcode: number) =>
        Buffer.concat([
          Uint8Array.from([opcode, 0xff, 0, 0, 0, 0, 0, 1, 0x86, 0xa0, 0, 0, 0, 0]),
          Buffer.alloc(100_000)
        ])
      yield* client.write(fragment(1))
      for (let index = 0; index < 10; index++) {
        yield* client.write(fragment(0))
        yield* client.write(Uint8Array.from([0x89, 0x80, 0, 0, 0, 0]))
      }
      assert.deepStrictEqual(yield* Deferred.await(ended), { _tag: "BudgetSpent" })
      yield* client.received
      yield* until(() => budget.taken() === 0)
      assert.strictEqual(budget.taken(), 0)
    }))

  it.live("a server that never finishes its message ends in time, whatever comes in between", () =>
    Effect.gen(function*() {
      const url = yield* rawWebSocket.server((_, tcp) => {
        // A text of two bytes that is not the last fragment, and then one byte after the other, each with a ping.
        tcp.write(Uint8Array.from([0x01, 2, 0x5b, 0x31]))
        const timer = setInterval(() => tcp.write(Uint8Array.from([0x00, 1, 0x32, 0x89, 0])), 20)
        tcp.on("close", () => clearInterval(timer))
      })
      const side = yield* NodeWebSocket.makeTransport({ url, limits: { partialFrame: 200 } })
      assert.deepStrictEqual(yield* reasonOf(side.receive), { _tag: "FrameTimeout", milliseconds: 200 })
    }))

  it.live("texts of any length arrive as texts, from either side", () =>
    Effect.gen(function*() {
      const url = yield* rawWebSocket.server((bare) =>
        bare.on("message", (data, isBinary) => bare.send(isBinary ? "binary" : String(data)))
      )
      const side = yield* NodeWebSocket.makeTransport({ url })
      for (const length of [0, 1, 125, 126, 16_384, 16_385, 65_536, 100_000]) {
        for (const unit of ["x", "ñ", "\u{1f600}"]) {
          yield* side.send([unit.repeat(length)])
          assert.deepStrictEqual(yield* side.receive, [unit.repeat(length)])
        }
      }
    }))

  it.live("closing says 1000, after what was sent, and a side that never answers delays it by a second at most", () =>
    Effect.gen(function*() {
      const [side, bare] = yield* rawWebSocket.client()
      const block = "x".repeat(1_000_000)
      let got = 0
      bare.on("message", (data) => got += String(data).length)
      const closed = yield* started(rawWebSocket.event(bare, "close"))
      const sending = yield* started(side.send([block, block, block]))
      yield* side.close
      yield* Fiber.await(sending)
      const [code] = yield* Fiber.join(closed)
      assert.strictEqual(code, 1000)
      assert.strictEqual(got, 3_000_000)

      const [stalled, deaf] = yield* rawWebSocket.client()
      deaf.pause()
      yield* stalled.close
      assert.strictEqual((yield* reasonOf(stalled.receive))._tag, "Closed")
    }))

  it.live("who never answers a ping ends with KeepAlive, on both sides", () =>
    Effect.gen(function*() {
      const keepAlive = { interval: 20, timeout: 30 }
      const [side] = yield* rawWebSocket.client({ keepAlive }, { autoPong: false })
      assert.deepStrictEqual(yield* reasonOf(side.receive), { _tag: "KeepAlive", milliseconds: 30 })
      const url = yield* rawWebSocket.server(() => {}, { autoPong: false })
      const client = yield* NodeWebSocket.makeTransport({ url, keepAlive })
      assert.deepStrictEqual(yield* reasonOf(client.receive), { _tag: "KeepAlive", milliseconds: 30 })
      assert.deepStrictEqual(yield* reasonOf(client.send(["1"])), { _tag: "KeepAlive", milliseconds: 30 })
    }))

  it.live("who answers pings stays, however long it is silent", () =>
    Effect.gen(function*() {
      const [side, bare] = yield* rawWebSocket.client({ keepAlive: { interval: 5, timeout: "1 minute" } })
      for (let pings = 0; pings < 3; pings++) yield* rawWebSocket.event(bare, "ping")
      bare.send("[1]")
      assert.deepStrictEqual([...(yield* side.receive)], ["[1]"])
    }))

  it.live("a sender that waits for room learns that the connection is lost", () =>
    Effect.gen(function*() {
      const [side, bare] = yield* rawWebSocket.client()
      bare.pause()
      const block = "x".repeat(1_000_000)
      const sender = yield* started(Effect.flip(Effect.forever(side.send([block]))))
      yield* Effect.sync(() => bare.terminate())
      assert.strictEqual((yield* Fiber.join(sender)).reason._tag, "Lost")
    }))

  it.live("nobody listens, the port is taken, the URL is none: Open", () =>
    Effect.gen(function*() {
      const { address } = yield* Effect.scoped(NodeWebSocket.makeListener({ port: 0 }))
      assert.strictEqual((yield* reasonOf(NodeWebSocket.makeTransport({ url: address })))._tag, "Open")
      const port = portOf(yield* listening())
      assert.strictEqual((yield* reasonOf(NodeWebSocket.makeListener({ port })))._tag, "Open")
      assert.strictEqual((yield* reasonOf(NodeWebSocket.makeListener({ port: 70_000 })))._tag, "Open")
      assert.strictEqual((yield* reasonOf(NodeWebSocket.makeTransport({ url: "mailto:me" })))._tag, "Open")
      assert.strictEqual((yield* reasonOf(NodeWebSocket.makeTransport({ port, protocols: ["a b"] })))._tag, "Open")
    }))

  it.live("a server that never answers the upgrade: Open, in time", () =>
    Effect.gen(function*() {
      const silent = yield* Effect.acquireRelease(
        Effect.callback<http.Server>((resume) => {
          const server = http.createServer().on("upgrade", () => {})
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const place = silent.address()
      const port = typeof place === "object" && place !== null ? place.port : 0
      const reason = yield* reasonOf(NodeWebSocket.makeTransport({ port, limits: { handshake: 50 } }))
      assert.match(reason._tag === "Open" ? String(reason.cause) : reason._tag, /not open within 50 ms/)
    }))

  it.live("headers go with the upgrade, and the layer of `ws` does what the client here does", () =>
    Effect.gen(function*() {
      const seen: Array<string | undefined> = []
      const server = yield* Effect.acquireRelease(
        Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
          const server = new NodeWS.WebSocketServer({ host: "127.0.0.1", port: 0 })
          server.on("connection", (_, request) => seen.push(request.headers.authorization))
          server.on("listening", () => {
            const place = server.address()
            const port = typeof place === "object" && place !== null ? place.port : 0
            resume(Effect.succeed({ url: `ws://127.0.0.1:${port}`, close: () => server.close() }))
          })
        }),
        ({ close }) => Effect.sync(close)
      )
      const headers = { authorization: "Bearer 1" }
      yield* NodeWebSocket.makeTransport({ url: server.url, headers })
      yield* Effect.provide(
        WebSocketTransport.make({ url: server.url, headers: { authorization: "Bearer 2" } }),
        NodeWS.layerWebSocketConstructor
      )
      assert.deepStrictEqual(seen, ["Bearer 1", "Bearer 2"])
      const refused = yield* reasonOf(Effect.provide(
        WebSocketTransport.make({ url: server.url, headers }),
        Socket.layerWebSocketConstructorGlobal
      ))
      assert.strictEqual(refused._tag, "Open")
    }))

  it.live("a handshake that is refused tells by whom, with which status and why", () =>
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => http.createServer()),
        (server) => Effect.sync(() => server.close())
      )
      server.on("upgrade", (_, socket) => {
        socket.end(
          "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 9\r\nConnection: close\r\n\r\nPOST only"
        )
      })
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      const url = `ws://ann:secret@127.0.0.1:${port}/rpc?key=secret`
      const { message, reason } = yield* Effect.flip(NodeWebSocket.makeTransport({ url }))
      assert.include(message, `HTTP status 405 from ws://127.0.0.1:${port}/rpc: POST only`)
      assert.notInclude(message, "secret")
      assert.deepInclude(reason, { _tag: "Open" })
    }))
})
