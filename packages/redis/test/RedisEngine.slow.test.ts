import { assert, it } from "@effect/vitest"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as RedisNodes from "@parley/redis/RedisNodes"
import { Effect, Layer, Logger, Schedule, Stream } from "effect"
import * as RedisServer from "./support/RedisServer.ts"

const nodeOf = (server: RedisServer.RedisServer) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(Layer.fresh(server.layer))
    return yield* MeshNode.make(yield* Effect.provide(RedisNodes.makeEngine(), context), { keys: "unsigned" })
  })

const quiet = Effect.provide(Logger.layer([]))

RedisServer.stories("nodes over Redis", () => {
  it.live(
    "get texts to owners, and go on by themselves when a Redis that was away comes back empty",
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        yield* RedisServer.settled
        const [a, b] = [yield* nodeOf(server), yield* nodeOf(server)]
        yield* b.serve("name", ({ text }, answer) => Effect.as(answer(text), "end"))
        const lease = yield* b.claim("name/1")
        const call = Stream.runCollect(a.call({ key: "name/1" }, "hé\u{1f600}"))
        assert.deepInclude(yield* Effect.flip(Effect.scoped(a.claim("name/1"))), { _tag: "Claimed", owner: b.node })
        assert.deepStrictEqual(yield* call, ["hé\u{1f600}", "end"])

        yield* server.stop("nothing")
        assert.deepInclude(yield* Effect.flip(a.owner("name/1")), { _tag: "Overloaded", key: "name/1" })
        yield* Effect.sleep("2 seconds")
        yield* server.start
        // Until its owner had the time to say so, nobody else gets the key.
        yield* Effect.sleep("100 millis")
        assert.include(["Claimed", "Overloaded"], (yield* Effect.flip(Effect.scoped(a.claim("name/1"))))._tag)
        yield* RedisServer.settled
        assert.strictEqual(yield* a.owner("name/1"), b.node)
        assert.isTrue(yield* lease.isNewest)
        assert.deepStrictEqual(yield* call, ["hé\u{1f600}", "end"])
        assert.isAbove((yield* a.claim("name/2")).epoch, lease.epoch)
      }).pipe(quiet),
    60_000
  )

  it.live("are members of their names again where Redis has evicted these", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      yield* RedisServer.settled
      const [a, b] = [yield* nodeOf(server), yield* nodeOf(server)]
      const texts: Array<string> = []
      const take = ({ text }: { readonly text: string }) => Effect.sync(() => void texts.push(text))
      yield* b.serve("name", take)
      yield* Effect.scoped(b.serve("other", take))
      yield* server.command("DEL", "{parley}:name/name")
      yield* Effect.retry(a.send({ name: "name" }, "text"), { times: 50, schedule: Schedule.spaced("200 millis") })
      assert.deepStrictEqual(texts, ["text"])
      assert.strictEqual((yield* Effect.flip(a.send({ name: "other" }, "text")))._tag, "NoOwner")
    }).pipe(quiet))
})
