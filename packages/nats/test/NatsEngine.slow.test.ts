/** The special cases of the NATS engine: names and sizes of texts, records that are kept, and permissions. */
import { assert, it } from "@effect/vitest"
import { type Mesh, MeshNode } from "@parley/mesh"
import { NatsClient, NatsNodes } from "@parley/nats"
import { Deferred, Effect, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as NatsServer from "./support/NatsServer.ts"

const connect = (server: NatsServer.NatsServer, user?: string) =>
  NatsClient.make({
    servers: server.address,
    timeout: "2 seconds",
    credentials: user === undefined ? undefined : { user, password: Redacted.make("secret") }
  })

/** A node with a connection of its own. */
const nodeOf = (server: NatsServer.NatsServer, options?: MeshNode.LocalMeshNodeOptions) =>
  Effect.flatMap(
    connect(server),
    (client) =>
      Effect.flatMap(NatsNodes.makeEngine(client), (engine) => MeshNode.make(engine, { ...options, keys: "unsigned" }))
  )

const echo = (node: Mesh.Mesh) => node.serve("echo", ({ text }, answer) => Effect.as(answer(`<${text}`), `${text}>`))

NatsServer.suites("the engine of NATS", () => {
  it.live("has texts answered at the owner of a key, whatever its name, and however large they are", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      // Both are in this process, which takes its time for texts of such a size.
      const [a, b] = [yield* nodeOf(server, { lease: "1 minute" }), yield* nodeOf(server, { lease: "1 minute" })]
      yield* echo(b)
      for (const key of ["echo/1", "echo/ ä.*>\n", `echo/${"x".repeat(500)}`]) {
        yield* b.claim(key)
        assert.deepStrictEqual([...yield* Stream.runCollect(a.call({ key }, "hello"))], ["<hello", "hello>"])
      }
      const large = "ä".repeat(8 * 1_048_576)
      const answers = yield* Stream.runCollect(a.call({ key: "echo/1" }, large))
      assert.isTrue(answers[0] === `<${large}` && answers[1] === `${large}>`)
    })))

  it.effect("writes its records again before they go, and not those that others have written since", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      // The connection has a time of its own.
      const client = yield* TestClock.withLive(connect(server))
      const [one, other] = [yield* NatsNodes.makeEngine(client), yield* NatsNodes.makeEngine(client)]
      /** The sequence of the record of a key. */
      const seqOf = (key: string) =>
        Effect.map(
          client.request(
            "$JS.API.STREAM.MSG.GET.parley_mesh",
            JSON.stringify({ last_by_subj: `parley.mesh.key.${key}` })
          ),
          (message) => message.json<{ message?: { seq: number } }>().message?.seq
        )
      yield* one.beat("a", 60_000)
      const [kept, freed] = [yield* one.claim("kept", "a"), yield* one.claim("freed", "a")]
      yield* one.release("freed", freed)
      const before = [yield* seqOf("kept"), yield* seqOf("freed")]
      for (let minutes = 0; minutes < 30; minutes++) {
        yield* TestClock.adjust("1 minute")
        yield* one.beat("a", 120_000)
      }
      const after = [yield* seqOf("kept"), yield* seqOf("freed")]
      assert.notStrictEqual(after[0], before[0])
      assert.strictEqual(after[1], before[1])
      assert.deepStrictEqual(yield* other.claim("kept", "b"), kept)
    })))

  it.live("is overloaded where the server forbids a subject", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make(`
        jetstream {}
        authorization {
          users: [
            { user: all, password: secret }
            { user: few, password: secret, permissions: {
              publish: ["$JS.API.>", "few.mesh.>", "_INBOX.>"], subscribe: ["_INBOX.>", "few.mesh.>"]
            } }
          ]
        }`)
      const client = yield* connect(server, "few")
      const error = yield* Effect.flip(NatsNodes.makeEngine(client))
      assert.strictEqual(error.reason._tag, "Forbidden")
      const engine = yield* NatsNodes.makeEngine(client, { prefix: "few" })
      yield* engine.beat("a", 60_000)
      yield* engine.claim("k", "a")
      const refused = yield* Effect.flip(Effect.scoped(engine.subscribe("a", () => {})))
      assert.include(refused.message, "forbids")
    })))

  it.live("stays away while the server refuses the password, and is back when it does not", () =>
    Effect.scoped(Effect.gen(function*() {
      const config = (password: string) => `jetstream {}\nauthorization { user: all, password: ${password} }`
      const server = yield* NatsServer.make(config("secret"))
      const client = yield* connect(server, "all")
      const engine = yield* NatsNodes.makeEngine(client)
      yield* engine.beat("a", 60_000)
      const mine = yield* engine.claim("k", "a")
      const back = yield* Deferred.make<void>()
      yield* client.watch((state) => {
        if (state === "connected") Deferred.doneUnsafe(back, Effect.void)
      })
      yield* server.stop
      yield* server.start({ config: config("another") })
      yield* Effect.sleep("1500 millis")
      assert.strictEqual((yield* Effect.flip(engine.keep("k", mine)))._tag, "Overloaded")
      yield* server.stop
      yield* server.start({ config: config("secret") })
      yield* Deferred.await(back)
      assert.isTrue(yield* engine.keep("k", mine))
    })))

  it.live("fails in time where it is closed meanwhile", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      const layer = Layer.provide(NatsNodes.layerEngine(), NatsClient.layer({ servers: server.address }))
      const error = yield* Effect.scoped(Effect.andThen(Layer.build(layer), connect(server))).pipe(
        Effect.flatMap(NatsNodes.makeEngine),
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "Closed")
    })))
})
