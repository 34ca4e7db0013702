import { assert, describe, it } from "@effect/vitest"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type * as Mesh from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, Exit, Logger, Queue, Scope } from "effect"
import { spoken } from "../server/support/line.ts"
import { settled } from "../support/settled.ts"

const resource = (name: string) => McpResource.make(`test://${name}`, { name }, () => Effect.succeed(name))

const made = McpServer.make({ name: "s", version: "1", features: [resource("a"), resource("b")] })

/** Servers of the nodes of one mesh, each with a client that listens to one resource. */
const nodes = Effect.fnUntraced(function*(count: number) {
  const engine = yield* MemoryNodes.makeEngine
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function*() {
      const mesh = yield* MeshNode.make(engine)
      const server = yield* made
      yield* server.share(mesh)
      const { line } = yield* spoken(server, "2025-11-25")
      yield* line.result("resources/subscribe", { uri: "test://a" })
      return { mesh, server, line }
    }))
})

describe("changes of a server that nodes share", () => {
  it.effect("reach the clients of all nodes, once each, and what they listen to alone", () =>
    Effect.gen(function*() {
      const all = yield* nodes(3)
      const [first] = all
      yield* first!.server.resourceUpdated("test://a")
      yield* first!.server.resourceUpdated("test://b")
      yield* first!.server.listChanged("tools")
      yield* settled
      for (const { line } of all) {
        assert.deepInclude(yield* line.next, { method: "notifications/resources/updated", params: { uri: "test://a" } })
        assert.strictEqual((yield* line.next).method, "notifications/tools/list_changed")
        yield* line.result("ping")
        assert.deepStrictEqual(line.aside, [])
      }
    }))

  it.effect("are those that it is told of: what a node adds is its own", () =>
    Effect.gen(function*() {
      const [one, other] = yield* nodes(2)
      yield* one!.server.add([resource("c")])
      yield* settled
      assert.strictEqual((yield* one!.line.next).method, "notifications/resources/list_changed")
      yield* other!.line.result("ping")
      assert.deepStrictEqual(other!.line.aside, [])
    }))

  it.effect("are shared once, however often that is asked for, and until the last has left", () =>
    Effect.gen(function*() {
      const [one, other] = yield* nodes(2)
      const scope = yield* Scope.make()
      yield* Scope.provide(one!.server.share(one!.mesh), scope)
      yield* Scope.close(scope, Exit.void)
      yield* one!.server.listChanged("tools")
      yield* settled
      assert.strictEqual((yield* other!.line.next).method, "notifications/tools/list_changed")
      yield* other!.line.result("ping")
      assert.deepStrictEqual(other!.line.aside, [])
    }))

  it.effect("of a node that is alone go nowhere, without a word", () =>
    Effect.gen(function*() {
      const warnings: Array<unknown> = []
      const logger = Logger.make(({ message }) => void warnings.push(message))
      yield* Effect.gen(function*() {
        const [alone] = yield* nodes(1)
        yield* alone!.server.listChanged("tools")
        yield* settled
        assert.strictEqual((yield* alone!.line.next).method, "notifications/tools/list_changed")
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(warnings, [])
    }))

  it.effect("are sent together while another node takes its time", () =>
    Effect.gen(function*() {
      const sent = yield* Queue.unbounded<string>()
      const goOn = yield* Queue.unbounded<void>()
      const slow: Mesh.Mesh = {
        ...yield* MeshNode.make(yield* MemoryNodes.makeEngine),
        serve: () => Effect.void,
        send: (_, text) => Effect.andThen(Queue.offer(sent, text), Queue.take(goOn))
      }
      const server = yield* made
      yield* server.share(slow)
      for (let n = 0; n < 3_000; n++) yield* server.resourceUpdated(`test://${n}`)
      yield* server.resourceUpdated("test://2999")
      yield* settled
      assert.deepStrictEqual(JSON.parse(yield* Queue.take(sent)), [{ uri: "test://0" }])
      yield* Queue.offer(goOn, undefined)
      const together: ReadonlyArray<{ readonly uri: string }> = JSON.parse(yield* Queue.take(sent))
      // The oldest go where too many wait.
      assert.deepStrictEqual([together.length, together.at(-1)], [1_024, { uri: "test://2999" }])
    }))

  it.effect("that are none are dropped, and the log says so", () =>
    Effect.gen(function*() {
      const warnings: Array<unknown> = []
      const logger = Logger.make(({ message }) => void warnings.push(message))
      yield* Effect.gen(function*() {
        const [one, other] = yield* nodes(2)
        yield* one!.mesh.send({ name: "mcp/s/changes" }, `[{"list":"secrets"}]`)
        yield* other!.line.result("ping")
        assert.deepStrictEqual(other!.line.aside, [])
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.match(String(warnings), /another node sent changes to mcp\/s\/changes/)
    }))
})
