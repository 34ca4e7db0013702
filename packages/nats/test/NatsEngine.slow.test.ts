/** Nodes over a real server: leases, texts of any size, and what happens when the server or a node goes away. */
import { assert, it } from "@effect/vitest"
import type { Mesh } from "@parley/mesh"
import { MeshNode } from "@parley/mesh"
import { NatsClient, NatsEngine } from "@parley/nats"
import { Effect, Stream } from "effect"
import * as NatsServer from "./support/NatsServer.ts"

const engineOf = (server: NatsServer.NatsServer, options?: NatsEngine.Options) =>
  Effect.flatMap(
    NatsClient.make({ servers: server.address, timeout: "2 seconds" }),
    (client) => NatsEngine.make(client, options)
  )

/** Two nodes, each with a connection of its own. */
const pair = (server: NatsServer.NatsServer) =>
  Effect.all([
    Effect.flatMap(engineOf(server), (engine) => MeshNode.make(engine, { name: "a" })),
    Effect.flatMap(engineOf(server), (engine) => MeshNode.make(engine, { name: "b" }))
  ])

const echo = (node: Mesh.Mesh) => node.serve("echo", ({ text }, answer) => Effect.as(answer(`<${text}`), `${text}>`))

NatsServer.suites("the engine of NATS", () => {
  it.live("has texts answered at the owner of a key, whatever its name, and however large they are", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* NatsServer.make()
      const [a, b] = yield* pair(server)
      yield* echo(b)
      for (const key of ["echo/1", "echo/ ä.*>\n", `echo/${"x".repeat(500)}`]) {
        const lease = yield* b.claim(key)
        assert.strictEqual(yield* a.owner(key), b.node)
        assert.isAbove(lease.epoch, 0)
        const answers = yield* Stream.runCollect(a.call({ key }, "hello"))
        assert.deepStrictEqual([...answers], ["<hello", "hello>"])
        assert.strictEqual((yield* Effect.flip(Effect.scoped(a.claim(key))))._tag, "Claimed")
      }
      const large = "ä".repeat(8 * 1_048_576)
      const answers = yield* Stream.runCollect(a.call({ key: "echo/1" }, large))
      assert.isTrue(answers[0] === `<${large}` && answers[1] === `${large}>`)
    })))
})
