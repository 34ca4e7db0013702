/** The behaviour of nodes and journals during faults of Redis, and after them. */
import { assert, it } from "@effect/vitest"
import type * as Mesh from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as RedisNodes from "@parley/redis/RedisNodes"
import { Effect, Exit, Fiber, Layer, Logger, Result, Schedule, Scope, Stream } from "effect"
import * as RedisServer from "./support/RedisServer.ts"

const quiet = Effect.provide(Logger.layer([]))

const client = (server: RedisServer.RedisServer) => Layer.build(Layer.fresh(server.layer))

const engineOf = (server: RedisServer.RedisServer, options?: RedisNodes.RedisEngineOptions) =>
  Effect.flatMap(client(server), (context) => Effect.provide(RedisNodes.makeEngine(options), context))

const journalOf = (server: RedisServer.RedisServer, options?: RedisNodes.RedisJournalOptions) =>
  Effect.flatMap(client(server), (context) => Effect.provide(RedisNodes.makeJournal(options), context))

/** Two nodes; the second answers calls to what it owns. */
const nodesOf = Effect.fnUntraced(function*(server: RedisServer.RedisServer) {
  yield* RedisServer.settled
  const node = Effect.flatMap(engineOf(server), (engine) => MeshNode.make(engine, { keys: "unsigned" }))
  const [a, b] = [yield* node, yield* node]
  yield* b.serve("name", ({ text }) => Effect.succeed(text))
  const lease = yield* b.claim("name/1")
  return { a, b, lease }
})

const echo = (mesh: Mesh.Mesh, text = "x") => Stream.runCollect(mesh.call({ key: "name/1" }, text))

/** Milliseconds in which a machine that is busy does what takes a second. */
const soon = 15_000

/** Milliseconds that something takes, and how it ends. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const before = performance.now()
    return Effect.map(Effect.result(effect), (result) => ({ took: performance.now() - before, result }))
  })

/** Something succeeds at last. */
const atLast = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, { schedule: Schedule.spaced("100 millis"), times: 100 })

/** Everything is refused, with a reason that says why, and soon. */
const refused = Effect.fnUntraced(function*(a: Mesh.Mesh, reason: string) {
  const asks: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>> = [
    a.owner("name/1"),
    Effect.scoped(a.claim("name/2")),
    echo(a)
  ]
  for (const ask of asks) {
    const { result, took } = yield* timed(ask)
    assert.isBelow(took, soon)
    const error = Result.isFailure(result) ? result.failure : assert.fail("it was not refused")
    assert.strictEqual(error._tag, "Overloaded")
    assert.include(error.message, reason)
  }
})

RedisServer.stories("a Redis that", () => {
  it.live(
    "is not there when a program starts is an error of its client, and of nodes whose client had reached it",
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const [first, second] = [yield* engineOf(server), yield* journalOf(server)]
        yield* server.stop("nothing")
        assert.strictEqual((yield* Effect.flip(client(server)))._tag, "RedisError")
        assert.strictEqual((yield* Effect.flip(MeshNode.make(first, { keys: "unsigned" })))._tag, "Overloaded")
        assert.strictEqual((yield* Effect.flip(second.append("k", "x", 0)))._tag, "Overloaded")
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(second.follow("k", 0))))._tag, "Overloaded")
        yield* server.start
        yield* atLast(MeshNode.make(first, { keys: "unsigned" }))
        assert.strictEqual(yield* atLast(second.append("k", "x", 0)), 1)
      }).pipe(quiet),
    60_000
  )

  it.live("is killed and comes back with its data keeps its owners, and epochs grow", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const { a, b, lease } = yield* nodesOf(server)
      yield* server.stop("data")
      yield* refused(a, "cannot be reached")
      yield* Effect.sleep("4 seconds")
      yield* server.start
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.scoped(a.claim("name/1")))))
      yield* RedisServer.settled
      assert.strictEqual(yield* atLast(a.owner("name/1")), b.node)
      assert.deepStrictEqual(yield* echo(a), ["x"])
      assert.isTrue(yield* lease.isNewest)
      assert.isAbove((yield* atLast(a.claim("name/2"))).epoch, lease.epoch)
    }).pipe(quiet), 60_000)

  it.live("is emptied while it runs is told what owners know", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const { a, b, lease } = yield* nodesOf(server)
      yield* Effect.scoped(a.claim("name/2"))
      yield* server.command("FLUSHALL")
      // A reader that knew an epoch sees that it is gone.
      assert.strictEqual((yield* Effect.flip(Effect.scoped(a.claim("name/1"))))._tag, "Overloaded")
      yield* RedisServer.settled
      assert.strictEqual(yield* atLast(a.owner("name/1")), b.node)
      assert.isTrue(yield* lease.isNewest)
      assert.isAbove((yield* atLast(a.claim("name/2"))).epoch, lease.epoch)
    }).pipe(quiet), 60_000)

  it.live("stands still is told within the time of a command, and goes on by itself", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const { a, b } = yield* nodesOf(server)
      for (const seconds of [2, 10]) {
        yield* server.pause
        yield* refused(a, "has not answered")
        yield* Effect.sleep(`${seconds} seconds`)
        yield* server.resume
        assert.deepStrictEqual(yield* atLast(echo(a)), ["x"])
        yield* RedisServer.settled
        assert.strictEqual(yield* atLast(a.owner("name/1")), b.node)
      }
    }).pipe(quiet), 60_000)

  it.live("is slow is told within the time of a command", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const { a } = yield* nodesOf(server)
      // The one who says so has to wait, too.
      yield* Effect.forkChild(server.command("CLIENT", "PAUSE", "4000", "ALL"))
      yield* Effect.sleep("100 millis")
      yield* refused(a, "has not answered")
      assert.deepStrictEqual(yield* atLast(echo(a)), ["x"])
    }).pipe(quiet), 60_000)

  it.live("is full keeps owners, carries texts, and refuses what takes room", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const { a, b } = yield* nodesOf(server)
      const journal = yield* journalOf(server)
      yield* journal.append("k", "x", 1)
      yield* server.command("CONFIG", "SET", "maxmemory", "1")
      assert.include((yield* Effect.flip(Effect.scoped(a.claim("name/2")))).message, "OOM")
      const appended = yield* Effect.flip(journal.append("k", "y", 1))
      assert.include(appended.message, "OOM")
      yield* Effect.sleep("5 seconds")
      assert.strictEqual(yield* atLast(a.owner("name/1")), b.node)
      assert.deepStrictEqual(yield* echo(a), ["x"])
      yield* server.command("CONFIG", "SET", "maxmemory", "0")
      assert.strictEqual(yield* journal.append("k", "y", 1), 2)
      yield* a.claim("name/2")
    }).pipe(quiet), 60_000)

  it.live(
    "takes no connection without a password is cited, and reached again when it does",
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const { a } = yield* nodesOf(server)
        yield* server.command("CONFIG", "SET", "requirepass", "secret")
        assert.strictEqual((yield* Effect.flip(client(server)))._tag, "RedisError")
        yield* server.commands(["AUTH", "secret"], ["CLIENT", "KILL", "TYPE", "normal"])
        yield* Effect.sleep("200 millis")
        yield* refused(a, "NOAUTH")
        yield* server.commands(["AUTH", "secret"], ["CONFIG", "SET", "requirepass", ""])
        assert.deepStrictEqual(yield* atLast(echo(a)), ["x"])
      }).pipe(quiet),
    60_000
  )

  it.live("closes subscriptions has them again, and whoever waits is told", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const { a, b } = yield* nodesOf(server)
      yield* b.serve("slow", () => Effect.as(Effect.sleep("5 seconds"), "late"))
      const waiting = yield* Effect.forkChild(
        Effect.exit(Stream.runCollect(a.call({ name: "slow", node: b.node }, "x")))
      )
      yield* Effect.sleep("500 millis")
      yield* server.command("CLIENT", "KILL", "TYPE", "pubsub")
      assert.deepStrictEqual(yield* atLast(echo(a)), ["x"])
      // It ends, one way or the other.
      yield* Effect.timeout(Fiber.join(waiting), "25 seconds")
    }).pipe(quiet), 60_000)

  it.live("stands still and goes on has each text published once, in order", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const [from, to] = [yield* engineOf(server, { timeout: "200 millis" }), yield* engineOf(server)]
      const seen: Array<number> = []
      yield* to.subscribe("b", (text) => void seen.push(Number(text.split(" ", 1)[0])))
      let sent = 0
      const publishing = yield* Effect.forkChild(Effect.forever(
        Effect.andThen(
          Effect.suspend(() => Effect.exit(from.publish("a", "b", `${++sent} ${"x".repeat(20_000)}`))),
          Effect.sleep("2 millis")
        )
      ))
      for (const still of [100, 500, 1_500, 1_500]) {
        yield* Effect.sleep("500 millis")
        yield* server.pause
        yield* Effect.sleep(still)
        yield* server.resume
      }
      yield* Effect.sleep("2 seconds")
      yield* Fiber.interrupt(publishing)
      const last = yield* atLast(Effect.suspend(() => from.publish("a", "b", `${++sent}`)))
      assert.isTrue(last)
      yield* Effect.sleep("500 millis")
      assert.deepStrictEqual(seen, [...new Set(seen)].toSorted((a, b) => a - b))
      assert.strictEqual(seen.at(-1), sent)
    }).pipe(quiet), 60_000)

  it.live(
    "stands still holds up no node that ends for longer than the time of a command",
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const { a } = yield* nodesOf(server)
        const scope = yield* Scope.make()
        const client = yield* Effect.provideService(Layer.build(Layer.fresh(server.layer)), Scope.Scope, scope)
        const inner = yield* Scope.make()
        const engine = yield* Effect.provide(RedisNodes.makeEngine(), client).pipe(Scope.provide(inner))
        yield* MeshNode.make(engine, { keys: "unsigned" }).pipe(Scope.provide(inner))
        yield* server.pause
        const ended = yield* timed(Scope.close(inner, Exit.void))
        yield* server.resume
        assert.isBelow(ended.took, soon)
        yield* atLast(a.owner("name/1"))
        yield* Scope.close(scope, Exit.void)
      }).pipe(quiet),
    60_000
  )
})
