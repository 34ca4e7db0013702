import { NodeWS } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Effect, Logger, References } from "effect"
import * as http from "node:http"
import { networkInterfaces } from "node:os"
import { portOf } from "./support/pairs.ts"
import * as raw from "./support/raw.ts"
import * as rawWebSocket from "./support/rawWebSocket.ts"
import { reasonOf } from "./support/reasonOf.ts"
import { listening, upgrade } from "./support/webSocketListener.ts"

/** The status that a request is answered with. */
const statusOf = (url: string, headers: http.OutgoingHttpHeaders) =>
  Effect.callback<number | undefined>((resume) => {
    const request = http.request(url.replace(/^ws/, "http"), { headers, agent: false })
    const answer = (response: http.IncomingMessage) => {
      response.destroy()
      resume(Effect.succeed(response.statusCode))
    }
    request.on("response", answer)
    request.on("upgrade", (response, socket) => {
      socket.destroy()
      answer(response)
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end()
  })

describe("NodeWebSocket refuses", () => {
  it.live("the client's first subprotocol that is known is chosen", () =>
    Effect.gen(function*() {
      const url = yield* listening({ protocols: ["parley.2", "parley.1"] })
      const bare = yield* Effect.acquireRelease(
        Effect.sync(() => new NodeWS.WebSocket(url, ["parley.3", "parley.1", "parley.2"])),
        (bare) => Effect.sync(() => bare.terminate())
      )
      yield* rawWebSocket.event(bare, "open")
      assert.strictEqual(bare.protocol, "parley.1")
      const side = yield* NodeWebSocket.makeTransport({ url, protocols: ["parley.2"] })
      yield* side.send(["1"])
      assert.deepStrictEqual([...(yield* side.receive)], ["1"])
      const unknown = yield* reasonOf(NodeWebSocket.makeTransport({ url, protocols: ["other"] }))
      assert.match(unknown._tag === "Open" ? String(unknown.cause) : unknown._tag, /400/)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, "sec-websocket-protocol": "a, b" }), 400)
      assert.strictEqual(yield* statusOf(yield* listening(), { ...upgrade, "sec-websocket-protocol": "a" }), 400)
    }))

  it.live("a Host or an Origin that is not allowed is refused before there is a connection", () =>
    Effect.gen(function*() {
      let connections = 0
      const count = () => Effect.sync(() => connections++)
      const url = yield* listening({}, count)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, origin: "https://evil.example" }), 403)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, origin: url.replace("ws", "http") }), 403)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, host: "rebound.example" }), 403)
      assert.strictEqual(connections, 0)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, host: "localhost:1" }), 101)
      const app = yield* listening({ access: { origins: ["https://app.example"], hosts: ["rpc.example"] } }, count)
      const allowed = { host: "rpc.example", origin: "https://app.example" }
      assert.strictEqual(yield* statusOf(app, { ...upgrade, ...allowed }), 101)
      assert.strictEqual(yield* statusOf(app, { ...upgrade, ...allowed, origin: "https://evil.example" }), 403)
    }))

  it.live("what is no upgrade to this path is refused with its status", () =>
    Effect.gen(function*() {
      const url = yield* listening({ path: "/rpc" })
      assert.strictEqual(yield* statusOf(url, {}), 426)
      assert.strictEqual(yield* statusOf(url.replace("/rpc", "/other"), {}), 404)
      assert.strictEqual(yield* statusOf(url.replace("/rpc", "/other"), upgrade), 404)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, upgrade: "h2c" }), 400)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, "sec-websocket-key": "short" }), 400)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, "sec-websocket-version": "7" }), 400)
      assert.strictEqual(yield* statusOf(url, upgrade), 101)
    }))

  it.live("what is refused is in the log, with the option that would take it", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        lines.push(`${logLevel} ${String(message)}`)
      })
      const url = yield* listening({ path: "/rpc" }).pipe(
        Effect.provideService(References.CurrentLoggers, new Set([logger]))
      )
      yield* statusOf(url, { ...upgrade, origin: "https://evil.example" })
      yield* statusOf(url, { ...upgrade, host: "rebound.example:1" })
      yield* statusOf(url, { ...upgrade, "sec-websocket-protocol": "a, b" })
      yield* statusOf(url.replace("/rpc", "/other?token=secret"), upgrade)
      assert.deepStrictEqual(lines, [
        "Warn Refused a WebSocket from 127.0.0.1 to \"/rpc\" with 403: pages of \"https://evil.example\" may not call; " +
        "`access.origins: [\"https://evil.example\"]` would let them",
        "Warn Refused a WebSocket from 127.0.0.1 to \"/rpc\" with 403: it does not answer to the host " +
        "\"rebound.example\"; `access.hosts: [\"rebound.example\"]` would let it",
        "Warn Refused a WebSocket from 127.0.0.1 to \"/rpc\" with 400: it offers no known subprotocol; " +
        "`protocols: [\"a\", \"b\"]` would take what it offers",
        "Warn Refused a WebSocket from 127.0.0.1 to \"/other\" with 404: WebSockets are served at the `path` \"/rpc\""
      ])
    }))

  it.live("a page of this machine is refused by a listener on all addresses, too", () =>
    Effect.gen(function*() {
      const url = (yield* listening({ host: "0.0.0.0" })).replace("0.0.0.0", "127.0.0.1")
      assert.strictEqual(yield* statusOf(url, { ...upgrade, origin: "https://evil.example" }), 403)
      assert.strictEqual(yield* statusOf(url, { ...upgrade, host: "rebound.example" }), 403)
      assert.strictEqual(yield* statusOf(url, upgrade), 101)
    }))

  it.live("a page that is not listed is refused at every address: a container sees its own machine at another one", () =>
    Effect.gen(function*() {
      const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
        .filter(({ family }) => family === "IPv4").map(({ address }) => address)
      const url = yield* listening({ host: "0.0.0.0" })
      const listed = yield* listening({ host: "0.0.0.0", access: { origins: ["https://app.example"] } })
      for (const address of addresses) {
        const at = (url: string, origin: string) => statusOf(url.replace("0.0.0.0", address), { ...upgrade, origin })
        assert.strictEqual(yield* at(url, "https://evil.example"), 403)
        assert.strictEqual(yield* at(url, `http://${address}`), 403)
        assert.strictEqual(yield* at(listed, "https://app.example"), 101)
      }
    }))

  it.live("connections beyond the limit are refused, and there is room again when one has closed", () =>
    Effect.gen(function*() {
      const url = yield* listening({ limits: { connections: 2 } })
      yield* NodeWebSocket.makeTransport({ url })
      const second = yield* NodeWebSocket.makeTransport({ url })
      const third = yield* reasonOf(NodeWebSocket.makeTransport({ url }))
      assert.match(third._tag === "Open" ? String(third.cause) : third._tag, /503/)
      yield* second.close
      const side = yield* Effect.eventually(NodeWebSocket.makeTransport({ url }))
      yield* side.send(["1"])
      assert.deepStrictEqual([...(yield* side.receive)], ["1"])
    }))

  it.live("garbage is answered and closed, half a request is closed in time, and others are served meanwhile", () =>
    Effect.gen(function*() {
      const url = yield* listening({ limits: { handshake: 100 } })
      const address = `tcp://127.0.0.1:${portOf(url)}`
      const garbage = yield* raw.connect(address)
      yield* garbage.write(Uint8Array.from([0x16, 3, 1, 0, 0xff, 0xff, 0, 1]))
      assert.match(Buffer.from(yield* garbage.received).toString(), /^HTTP\/1\.1 400 /)
      const silent = yield* raw.connect(address)
      const half = yield* raw.connect(address)
      yield* half.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n")
      const side = yield* NodeWebSocket.makeTransport({ url })
      assert.match(Buffer.from(yield* half.received).toString(), /^HTTP\/1\.1 408 /)
      yield* silent.received
      yield* side.send(["1"])
      assert.deepStrictEqual([...(yield* side.receive)], ["1"])
    }))
})
