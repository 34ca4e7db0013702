import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { sample } from "../http-server/support/sample.ts"
import * as web from "../http-server/support/web.ts"
import { settled } from "../support/settled.ts"
import { at, cluster } from "./support/cluster.ts"

const ping = web.request("ping")

describe("a node that ends, while its calls take their time to end", () => {
  it.effect("has requests of its sessions wait for who takes them up, and does not say that they are gone", () =>
    Effect.gen(function*() {
      const { nodes: [owner, other] } = yield* cluster()
      const here = yield* web.visit(owner.client)
      yield* Effect.forkChild(here.post(web.call("wait", { name: "slow to end" })))
      yield* Queue.take(owner.waiting)
      const closing = yield* Effect.forkChild(owner.close)
      yield* Queue.take(owner.interrupted)
      const pending = yield* Effect.forkChild(at(here, other).post(ping))
      yield* settled
      for (let times = 0; times < 8; times++) {
        yield* TestClock.adjust("250 millis")
        yield* settled
      }
      yield* Fiber.join(closing)
      assert.strictEqual((yield* Fiber.join(pending)).status, 200)
    }))
})

describe("sessions that begin at once, while the engine takes its time", () => {
  it.effect("are no more than there may be", () =>
    Effect.gen(function*() {
      const { nodes: [{ client }] } = yield* cluster({ sessions: { max: 1 } }, (engine) => ({
        ...engine,
        claim: (...claim) => Effect.delay(engine.claim(...claim), "10 millis")
      }))
      const begin = Effect.map(client.post(web.handshake("2025-11-25")), ({ status }) => status)
      const beginning = yield* Effect.forkChild(Effect.all([begin, begin, begin], { concurrency: "unbounded" }))
      yield* settled
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual((yield* Fiber.join(beginning)).toSorted(), [200, 503, 503])
    }))

  it.effect("leave no claim behind where their server ends meanwhile", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryNodes.makeEngine
      const claiming = yield* Deferred.make<string>()
      const goOn = yield* Deferred.make<void>()
      const mesh = yield* MeshNode.make({
        ...engine,
        claim: (key, node) =>
          Effect.tap(
            engine.claim(key, node),
            () => Effect.andThen(Deferred.succeed(claiming, key), Deferred.await(goOn))
          )
      })
      const { server } = yield* sample
      const scope = yield* Scope.make()
      const handle = yield* Scope.provide(McpHttp.makeWebHandler(server, { mesh }), scope)
      const client = web.over("http://localhost/mcp", handle)
      const beginning = yield* Effect.forkChild(client.post(web.handshake("2025-11-25")))
      const key = yield* Deferred.await(claiming)
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.succeed(goOn, undefined)
      assert.strictEqual((yield* Fiber.join(beginning)).status, 503)
      assert.strictEqual(yield* mesh.owner(key), undefined)
    }))
})

describe("a session that no node holds", () => {
  it.effect("is not taken up for anybody but who began it", () =>
    Effect.gen(function*() {
      const { nodes: [owner, other] } = yield* cluster({ authorize: web.byAuthorization })
      const here = yield* web.visit(owner.client, "2025-11-25", {}, { authorization: "ann" })
      yield* owner.close
      const there = at(here, other)
      assert.strictEqual((yield* there.post(ping, { authorization: "bob" })).status, 404)
      assert.strictEqual(yield* other.mesh.owner(`mcp/sample/session/${here.id}`), undefined)
      const both = [there.post(ping, { authorization: "bob" }), there.post(ping), there.post(ping)]
      const answers = yield* Effect.all(both, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status), [404, 200, 200])
      assert.strictEqual(yield* other.mesh.owner(`mcp/sample/session/${here.id}`), other.mesh.node)
    }))
})
