import { assert, describe, it } from "@effect/vitest"
import * as NodeTcp from "@parley/node/NodeTcp"
import type { Tls } from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import type * as Transport from "@parley/transport/Transport"
import { Deferred, Effect, Redacted, type Scope } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as net from "node:net"
import * as certificates from "./support/certificates.ts"
import { portOf } from "./support/pairs.ts"
import * as raw from "./support/raw.ts"
import { reasonOf } from "./support/reasonOf.ts"

type Side = Transport.Transport
type Connect = Effect.Effect<Side, Transport.TransportError, Scope.Scope>

const echo = (side: Side) =>
  side.receive.pipe(
    // These tests send texts only.
    Effect.flatMap((texts) => side.send(texts as NonEmptyReadonlyArray<string>)),
    Effect.forever({ disableYield: true })
  )

/** A listener of either kind with these certificates, and how to connect to it. */
const wires = {
  "NodeTcp": (tls: Tls, limits = {}) =>
    Effect.gen(function*() {
      const listener = yield* NodeTcp.makeListener({ port: 0, tls, limits })
      yield* Effect.forkScoped(listener.run(echo))
      const port = portOf(listener.address)
      const connect = (tls?: Tls): Connect => NodeTcp.makeTransport({ port, tls })
      return { connect, address: listener.address }
    }),
  "NodeWebSocket": (tls: Tls, limits = {}) =>
    Effect.gen(function*() {
      const listener = yield* NodeWebSocket.makeListener({ port: 0, tls, limits })
      yield* Effect.forkScoped(listener.run(echo))
      const connect = (tls?: Tls): Connect => NodeWebSocket.makeTransport({ url: listener.address, tls })
      return { connect, address: listener.address }
    })
}

const echoes = (connect: Connect) =>
  Effect.scoped(Effect.gen(function*() {
    const side = yield* connect
    yield* side.send(["[\"añ\"]"])
    assert.deepStrictEqual([...(yield* side.receive)], ["[\"añ\"]"])
  }))

/** The code or message of the failure that opening ends with. */
const refusal = (connect: Connect) =>
  Effect.map(reasonOf(Effect.scoped(connect)), (reason) => reason._tag === "Open" ? String(reason.cause) : reason._tag)

for (const [name, listening] of Object.entries(wires)) {
  describe(`${name} with TLS`, () => {
    it.live("its address says so, and texts come back", () =>
      Effect.gen(function*() {
        const { address, connect } = yield* listening(certificates.server)
        assert.match(address, name === "NodeTcp" ? /^tls:\/\/127\.0\.0\.1:\d+$/ : /^wss:\/\/127\.0\.0\.1:\d+$/)
        yield* echoes(connect(certificates.trusting))
        yield* echoes(connect({ ...certificates.trusting, servername: "localhost" }))
        yield* echoes(connect({ rejectUnauthorized: false }))
      }))

    it.live("a certificate that is not to be trusted is Open, and the server goes on", () =>
      Effect.gen(function*() {
        const { connect } = yield* listening(certificates.server)
        assert.match(yield* refusal(connect({})), /unable to (verify|get)/)
        assert.match(yield* refusal(connect({ ...certificates.trusting, servername: "other" })), /altnames/)
        const expired = yield* listening(certificates.expired)
        assert.match(yield* refusal(expired.connect(certificates.trusting)), /expired/)
        const stranger = yield* listening(certificates.stranger)
        assert.match(yield* refusal(stranger.connect(certificates.trusting)), /unable to (verify|get)/)
        yield* echoes(connect(certificates.trusting))
      }))

    it.live("a server may ask for the certificate of its client", () =>
      Effect.gen(function*() {
        const { connect } = yield* listening({ ...certificates.server, ca: certificates.ca, requestCert: true })
        yield* echoes(connect(certificates.known))
        // TLS 1.3 lets the client speak before the server has looked at its certificate, and Node.js just closes then.
        for (const tls of [certificates.trusting, { ...certificates.stranger, ca: certificates.ca }]) {
          const reason = yield* reasonOf(Effect.scoped(Effect.flatMap(connect(tls), (side) => side.receive)))
          assert.include(name === "NodeTcp" ? ["EndOfInput", "Lost"] : ["Open"], reason._tag)
        }
        yield* echoes(connect(certificates.known))
      }))

    it.live("a key that a phrase opens, and certificates as bytes and in lists", () =>
      Effect.gen(function*() {
        const { connect } = yield* listening(certificates.locked)
        yield* echoes(connect({ ca: [Buffer.from(certificates.ca)] }))
        const wrong = { ...certificates.locked, passphrase: Redacted.make("wrong") }
        assert.strictEqual((yield* reasonOf(listening(wrong)))._tag, "Open")
      }))

    it.live("certificates that are missing or cannot be read are Open", () =>
      Effect.gen(function*() {
        const missing = yield* reasonOf(listening({ cert: certificates.server.cert }))
        assert.match(missing._tag === "Open" ? String(missing.cause) : missing._tag, /needs a key and a certificate/)
        const torn = { ...certificates.server, cert: "-----BEGIN CERTIFICATE-----\nno" }
        assert.strictEqual((yield* reasonOf(listening(torn)))._tag, "Open")
        const { connect } = yield* listening(certificates.server)
        assert.match(yield* refusal(connect({ ca: certificates.ca, cert: "no", key: Redacted.make("no") })), /PEM/)
      }))

    it.live("who does not speak TLS is closed, who says nothing is closed in time, and others are served", () =>
      Effect.gen(function*() {
        const { address, connect } = yield* listening(certificates.server, { handshake: 1_000 })
        const place = `tcp://127.0.0.1:${portOf(address)}`
        const plain = yield* raw.connect(place)
        yield* plain.write("GET / HTTP/1.1\r\n\r\n")
        yield* plain.received
        const silent = yield* raw.connect(place)
        yield* silent.received
        yield* echoes(connect(certificates.trusting))
      }))
  })
}

describe("a client with TLS", () => {
  it.live("whose server never shakes hands: Open, in time", () =>
    Effect.gen(function*() {
      const met = yield* Deferred.make<void>()
      const server = yield* Effect.acquireRelease(
        Effect.callback<net.Server>((resume) => {
          const server = net.createServer((socket) => {
            socket.on("error", () => {})
            Deferred.doneUnsafe(met, Effect.void)
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const place = server.address()
      const port = typeof place === "object" && place !== null ? place.port : 0
      const limits = { handshake: 50 }
      const tls = certificates.trusting
      assert.match(yield* refusal(NodeTcp.makeTransport({ port, tls, limits })), /within 50 ms/)
      assert.match(yield* refusal(NodeWebSocket.makeTransport({ port, tls, limits })), /within 50 ms/)
      yield* Deferred.await(met)
    }))

  it.live("whose server speaks plainly: Open", () =>
    Effect.gen(function*() {
      const listener = yield* NodeTcp.makeListener({ port: 0 })
      yield* Effect.forkScoped(listener.run(echo))
      const port = portOf(listener.address)
      const reason = yield* reasonOf(NodeTcp.makeTransport({ port, tls: certificates.trusting }))
      assert.strictEqual(reason._tag, "Open")
    }))

  it.live("a client that leaves during the handshake is not waited for until its time is over", () =>
    Effect.gen(function*() {
      const { address } = yield* wires.NodeTcp(certificates.server, { handshake: 600_000 })
      const left = new Promise((resolve) => {
        const socket = net.connect(portOf(address), "127.0.0.1", () => socket.end())
        socket.resume().on("close", resolve)
      })
      yield* Effect.promise(() => left)
      assert.include(address, "tls://")
    }))

  it.live("a plain client of a TLS server is told apart: it is closed, and no handler runs", () =>
    Effect.gen(function*() {
      let handled = 0
      const listener = yield* NodeTcp.makeListener({ port: 0, tls: certificates.server })
      yield* Effect.forkScoped(listener.run(() => Effect.sync(() => handled++)))
      const side = yield* NodeTcp.makeTransport({ port: portOf(listener.address) })
      yield* side.send(["{\"jsonrpc\":\"2.0\",\"method\":\"crash\"}"])
      yield* Effect.flip(Effect.forever(side.receive))
      assert.strictEqual(handled, 0)
    }))
})
