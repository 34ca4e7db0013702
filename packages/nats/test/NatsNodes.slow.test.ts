/** A server that refuses, is full, has no JetStream, or is limited: a typed error, in time. */
import { assert, it } from "@effect/vitest"
import { Journal, Mesh } from "@parley/mesh"
import { NatsClient, NatsNodes } from "@parley/nats"
import { Effect, Exit, Layer, Redacted } from "effect"
import * as NatsServer from "./support/NatsServer.ts"

const key = Redacted.make("the key of all nodes of these tests")

const nodes = ({ address }: NatsServer.NatsServer, options: Omit<NatsNodes.NatsNodesOptions, "keys"> = {}) =>
  Layer.provide(
    NatsNodes.layer({ keys: [key], ...options }),
    NatsClient.layer({ servers: address, timeout: "1 second" })
  )

/** Why a layer cannot be built. */
const refusal = (layer: Layer.Layer<never, NatsClient.NatsError | Mesh.Overloaded>) =>
  Effect.flip(Effect.scoped(Layer.build(layer)))

NatsServer.suites("nodes over NATS", () => {
  it.live("are a mesh and a journal, by one line", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      const program = Effect.gen(function*() {
        const mesh = yield* Mesh.Mesh
        const journal = yield* Journal.Journal
        const { epoch } = yield* mesh.claim("session/1")
        yield* journal.append("session/1", "hello", epoch)
        return yield* journal.last("session/1")
      })
      const last = yield* Effect.provide(Effect.scoped(program), nodes(server))
      assert.deepStrictEqual(last, { _tag: "Entry", position: 1, text: "hello" })
    })))

  it.live("cannot be made where there is no JetStream, nor by a prefix that is no name", () =>
    Effect.scoped(Effect.gen(function*() {
      const without = yield* NatsServer.make("max_payload: 65536")
      assert.include((yield* refusal(nodes(without))).message, "has no JetStream")
      assert.include((yield* refusal(nodes(without, { prefix: "a.b" }))).message, "`prefix`")
      const small = yield* NatsServer.make("jetstream { max_file_store: 1048576 }")
      const error = yield* refusal(nodes(small, { records: 1_000, total: 100_000_000 }))
      assert.include(error.message, "JetStream refuses it")
    })))

  it.live("are overloaded where the records fill the room for them, and go on when there is some", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      const program = Effect.gen(function*() {
        const mesh = yield* Mesh.Mesh
        const claims = Array.from({ length: 100 }, (_, n) => mesh.claim(`session/${n}`))
        const exits = yield* Effect.scoped(Effect.forEach(claims, Effect.exit))
        const refused = exits.filter(Exit.isFailure).length
        assert.isAbove(refused, 0)
        assert.isBelow(refused, 100)
        yield* mesh.claim("session/0")
      })
      yield* Effect.provide(Effect.scoped(program), nodes(server, { records: 16_384, lease: "1 minute" }))
    })))

  it.live("cannot claim a key whose name is too long for a subject", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      const program = Effect.gen(function*() {
        const mesh = yield* Mesh.Mesh
        const error = yield* Effect.flip(Effect.scoped(mesh.claim("x".repeat(10_000))))
        assert.include(error.message, "at most 3500 characters")
        yield* mesh.claim("x".repeat(3_000))
      })
      yield* Effect.provide(Effect.scoped(program), nodes(server))
    })))

  it.live("keep large texts where a message may be small", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make("max_payload: 4096\njetstream {}")
      const client = yield* NatsClient.make({ servers: server.address })
      const journal = yield* NatsNodes.makeJournal(client)
      const texts = ["a", "ä😀".repeat(20_000), "b", "x".repeat(4_096), "c"]
      for (const text of texts) yield* journal.append("k", text, 0)
      assert.deepStrictEqual(
        yield* journal.read("k", 1),
        texts.slice(1).map((text, index) => ({ _tag: "Entry" as const, position: index + 2, text }))
      )
      for (const text of ["y".repeat(10_000), "last"]) {
        yield* journal.append("k", text, 0)
        yield* journal.fence("k", 0)
        assert.strictEqual((yield* journal.last("k"))?.text, text)
      }
    })))
})
