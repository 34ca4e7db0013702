/** A connection to a real server, which stops, stands still, comes back, and refuses passwords. */
import { assert, it } from "@effect/vitest"
import { nkeys } from "@nats-io/transport-node"
import { NatsClient } from "@parley/nats"
import { Deferred, type Duration, Effect, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as NatsServer from "./support/NatsServer.ts"

/** The certificates of the tests of `@parley/node`. */
const tls = (name: string): string => fileURLToPath(new URL(`../../node/test/fixtures/tls/${name}`, import.meta.url))

const read = (name: string): string => readFileSync(tls(name), "utf8")

/** Ends when the client is in this state. */
const until = (client: NatsClient.NatsClient, state: NatsClient.State) =>
  Effect.scoped(Effect.gen(function*() {
    const seen = yield* Deferred.make<void>()
    yield* client.watch((next) => {
      if (next === state) Deferred.doneUnsafe(seen, Effect.void)
    })
    if (client.state() !== state) yield* Deferred.await(seen)
  }))

NatsServer.suites("a connection to NATS", () => {
  it.live("carries messages in order, and says when the server has them", () =>
    Effect.scoped(Effect.gen(function*() {
      const { address } = yield* NatsServer.make()
      const client = yield* NatsClient.make({ servers: address })
      const heard: Array<string> = []
      yield* client.subscribe("a.b", (message) => void heard.push(message.string()))
      for (let n = 0; n < 1_000; n++) yield* client.publish("a.b", `${n}`)
      yield* client.flushed
      assert.deepStrictEqual(heard, Array.from({ length: 1_000 }, (_, n) => `${n}`))
      assert.strictEqual((yield* Effect.flip(client.request("nobody", ""))).reason._tag, "Nobody")
      const large = yield* Effect.flip(client.publish("a.b", "x".repeat(2_000_000)))
      assert.strictEqual(large.reason._tag, "TooLarge")
    })))

  it.live("fails at once without a server, and with a password that it refuses", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make("authorization { user: a, password: b }")
      const make = (password: string, timeout: Duration.Input = "5 seconds") =>
        NatsClient.make({
          servers: server.address,
          credentials: { user: "a", password: Redacted.make(password) },
          timeout
        })
      yield* make("b")
      assert.strictEqual((yield* Effect.flip(make("c"))).reason._tag, "Unauthorized")
      yield* server.pause
      assert.strictEqual((yield* Effect.flip(make("b", "300 millis"))).reason._tag, "Unreachable")
      yield* server.stop
      assert.strictEqual((yield* Effect.flip(make("b"))).reason._tag, "Unreachable")
    })))

  it.live("shows who it is: by a token, a key, and a certificate", () =>
    Effect.scoped(Effect.gen(function*() {
      const user = nkeys.createUser()
      const seed = new TextDecoder().decode(user.getSeed())
      const cases: ReadonlyArray<readonly [string, NatsClient.NatsOptions, NatsClient.NatsOptions]> = [
        [
          "authorization { token: secret }",
          { credentials: { token: Redacted.make("secret") } },
          { credentials: { token: Redacted.make("other") } }
        ],
        [
          `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
          { credentials: { nkey: Redacted.make(seed) } },
          {}
        ],
        [
          `tls { cert_file: "${tls("server.pem")}", key_file: "${tls("server.key")}", ca_file: "${
            tls("ca.pem")
          }", verify: true }`,
          { tls: { ca: read("ca.pem"), cert: read("client.pem"), key: Redacted.make(read("client.key")) } },
          { tls: { ca: read("ca.pem") } }
        ]
      ]
      for (const [config, right, wrong] of cases) {
        const { address } = yield* NatsServer.make(config)
        const client = yield* NatsClient.make({ servers: address, ...right })
        yield* client.flushed
        const { reason } = yield* Effect.flip(NatsClient.make({ servers: address, ...wrong }))
        assert.include(["Unauthorized", "Unreachable"], reason._tag)
      }
      const unreadable = yield* Effect.flip(NatsClient.make({ credentials: { nkey: Redacted.make("SUBAD") } }))
      assert.strictEqual(unreadable.reason._tag, "Invalid")
    })))

  it.live("buffers nothing while the server is away, and goes on when it is back", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      const client = yield* NatsClient.make({ servers: server.address })
      const heard: Array<string> = []
      yield* client.subscribe("a", (message) => void heard.push(message.string()))
      yield* server.stop
      yield* until(client, "disconnected")
      assert.strictEqual((yield* Effect.flip(client.publish("a", "1"))).reason._tag, "Disconnected")
      assert.strictEqual((yield* Effect.flip(client.request("a", "1"))).reason._tag, "Disconnected")
      yield* server.start()
      yield* until(client, "connected")
      yield* client.publish("a", "2")
      yield* client.flushed
      assert.deepStrictEqual(heard, ["2"])
    })))

  it.live("leaves a server that stands still, and bounds what is under way to it", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      const client = yield* NatsClient.make({ servers: server.address, timeout: "1 second", pending: 20_000_000 })
      yield* server.pause
      const text = "x".repeat(1_000_000)
      const exits = yield* Effect.forEach(
        Array.from({ length: 40 }),
        () => Effect.result(client.publish("a", text))
      )
      const kinds = new Set(exits.flatMap((exit) => exit._tag === "Failure" ? [exit.failure.reason._tag] : []))
      assert.deepStrictEqual([...kinds], ["Full"])
      assert.strictEqual((yield* Effect.flip(client.flushed)).reason._tag, "Disconnected")
      yield* server.resume
      yield* until(client, "connected")
      yield* client.publish("a", text)
      yield* client.flushed
    })))

  it.live("ends in time though the server stands still", () =>
    Effect.gen(function*() {
      yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* NatsServer.make()
        const client = yield* NatsClient.make({ servers: server.address, timeout: "500 millis" })
        yield* server.pause
        yield* client.publish("a", "x".repeat(1_000_000))
      }))
    }))
})
