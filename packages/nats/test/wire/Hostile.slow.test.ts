/** Peers that mean harm, and mistakes that look like it. */
import { assert, it } from "@effect/vitest"
import * as NatsClient from "@parley/nats/NatsClient"
import * as NatsNodes from "@parley/nats/NatsNodes"
import * as NatsRpc from "@parley/nats/NatsRpc"
import * as NatsTransport from "@parley/nats/NatsTransport"
import * as Router from "@parley/peer/Router"
import { Deferred, Duration, Effect, Layer, Redacted, References, Result } from "effect"
import { served } from "../support/nats.ts"
import * as NatsServer from "../support/NatsServer.ts"

NatsServer.suites("over NATS", () => {
  it.live("a caller does not reach the API of the server by its reply", () =>
    Effect.gen(function*() {
      const nats = yield* served("jetstream {}")
      const journal = yield* NatsNodes.makeJournal(yield* nats.client)
      yield* journal.append("key", "text", 1)
      const noted = yield* Deferred.make<void>()
      const context = yield* Layer.build(Router.layer({
        none: () => Effect.void,
        note: () => Effect.asVoid(Deferred.succeed(noted, undefined))
      }))
      const service = yield* nats.client
      yield* Effect.provideContext(NatsRpc.serve({ subject: "bank" }), context).pipe(
        Effect.provideService(NatsClient.NatsClient, service)
      )
      const { connection } = yield* nats.client
      // A text without a due response gets an empty reply, which these expect.
      for (const name of ["STREAM.DELETE", "STREAM.PURGE"]) {
        const reply = `$JS.API.${name}.parley_journal`
        connection.publish("bank", `{"jsonrpc":"2.0","method":"none"}`, { reply })
      }
      connection.publish("bank", `{"jsonrpc":"2.0","method":"note"}`)
      yield* Deferred.await(noted)
      yield* service.flushed
      assert.deepInclude(yield* journal.last("key"), { position: 1, text: "text" })
    }))

  it.live("what is no subject is refused, and the connection goes on", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const client = yield* nats.client
      const context = yield* Layer.build(Router.layer({}))
      for (const subject of ["", " ", "a b", "a\tb", "a..b", ".a", "a.", "a.>.b", ">.a"]) {
        const service = Effect.provideContext(NatsRpc.serve({ subject }), context)
        for (const made of [service, NatsTransport.makeListener({ subject })]) {
          const error = yield* Effect.flip(Effect.provideService(made, NatsClient.NatsClient, client))
          assert.strictEqual(error.reason._tag, "Open")
          assert.include(error.message, "this is no subject")
        }
      }
      for (const subject of ["a.*.b", "a.>", ">", "ä", "a-b_c.d$"]) {
        assert.isTrue(Result.isSuccess(yield* Effect.result(client.subscribe(subject, () => {}))), subject)
      }
      yield* client.flushed
    }))

  it.live("errors do not tell the password that is written in the address of a server", () =>
    Effect.gen(function*() {
      for (const servers of ["nats://user:secret@127.0.0.1:1", "user:secret@127.0.0.1:1", ["a:secret@x@127.0.0.1:1"]]) {
        const error = yield* Effect.flip(NatsClient.make({ servers }))
        assert.notInclude(`${error.message} ${JSON.stringify(error)}`, "secret")
        assert.include(error.subject, "127.0.0.1:1")
      }
    }))

  it.live("a message that others publish on the subject of a key does not end its journal", () =>
    Effect.gen(function*() {
      const nats = yield* served("jetstream {}")
      const client = yield* nats.client
      const journal = yield* NatsNodes.makeJournal(client)
      for (const other of [journal, yield* NatsNodes.makeJournal(client)]) {
        yield* journal.append("key", "text", 1)
        for (let each = 0; each < 3; each++) yield* client.request("parley.journal.key", `{"result":1}`)
        yield* other.append("key", "text", 1)
      }
      yield* client.request("parley.journal.key", "")
      const items = yield* journal.read("key", 0)
      assert.deepStrictEqual(
        items,
        [1, 2, 3, 4].map((position) => ({ _tag: "Entry" as const, position, text: "text" }))
      )
      assert.deepInclude(yield* journal.last("key"), { position: 4 })
    }))

  it.live("a conversation whose other side would never have to beat is refused", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const listener = yield* nats.connected(NatsTransport.makeListener({ subject: "bank" }))
      yield* Effect.forkScoped(listener.run(() => Effect.never))
      const { connection } = yield* nats.client
      const hello = (beat: number) => `h 0 0\n${JSON.stringify({ version: 1, window: 1, beat })}`
      const ask = (beat: number) =>
        Effect.promise(() => connection.request("bank.conversation", hello(beat), { timeout: 5_000 }))
      assert.match((yield* ask(3_600_000)).string(), /^h 0 0\n/)
      assert.strictEqual((yield* ask(3_600_001)).string(), "x 0 0\nthe hello is not one of version 1")
      const forever = { interval: Duration.infinity }
      yield* nats.connected(NatsTransport.makeTransport({ subject: "bank", keepAlive: forever }))
    }))

  it.live("a conversation with a subject that the server forbids ends at once", () =>
    Effect.gen(function*() {
      const nats = yield* served(`
        authorization {
          users: [
            { user: service, password: secret, permissions: { publish: "_INBOX.>", subscribe: ">" } },
            { user: other, password: secret }
          ]
        }
        no_auth_user: service`)
      const listener = yield* nats.connected(NatsTransport.makeListener({ subject: "bank" }))
      const ended = yield* Deferred.make<string>()
      yield* Effect.forkScoped(listener.run((side) =>
        Effect.flatMap(Effect.flip(side.receive), ({ message }) => Deferred.succeed(ended, message))
      ))
      const { connection } = yield* NatsClient.make({
        servers: nats.server.address,
        credentials: { user: "other", password: Redacted.make("secret") }
      })
      const hello = `h 0 0\n{"version":1,"window":1,"beat":3600000}`
      connection.publish("bank.conversation", hello, { reply: "elsewhere" })
      assert.include(yield* Deferred.await(ended), "NATS at elsewhere: the server forbids it to this user")
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
})
