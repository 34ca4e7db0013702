/** A server over HTTP that shuts down, as its callers see it. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import { type Caller, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, References, Result, Scope, Stream } from "effect"
import { Service } from "./service.ts"

const dialects = [Dialect.jsonRpc, Dialect.make({ ...Dialect.jsonRpc, name: "own", shutDownCode: -31_100 })]

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

describe.for(dialects)("a server over HTTP that shuts down, in the dialect $name", (dialect) => {
  /** A host that has an open subscription and a call, and begins to shut down. */
  const draining = Effect.gen(function*() {
    const outer = yield* Effect.scope
    const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const handlers = Service.toLayer({
      poll: () => Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)), 1),
      feed: () => Stream.concat(Stream.make(1), Stream.never),
      events: () => Stream.never,
      work: () => Effect.never
    })
    const scope = yield* Scope.fork(outer)
    const route = NodeHttp.layerRoute({ dialect, limits: { drain: 60_000 } })
    const server = NodeHttp.layerHost({ port: 0, health: "/health" }, route)
    const built = Layer.buildWithScope(Layer.provide(server, Router.layer(handlers, { dialect })), scope)
    const { address } = Context.get(yield* built, NodeHttp.NodeHost)
    const caller: Caller.Caller = yield* NodeHttp.makeCaller({ url: `${address}/`, dialect })
    const service = Service.client(caller)
    const opened = yield* Deferred.make<void>()
    const feed = yield* started(
      Effect.flip(Stream.runForEach(service.feed(), () => Deferred.succeed(opened, undefined)))
    )
    yield* Deferred.await(opened)
    const poll = yield* started(service.poll())
    yield* Deferred.await(begun)
    const closing = yield* started(Scope.close(scope, Exit.void))
    return { caller, closing, feed, go: Deferred.succeed(go, undefined), poll, service }
  })

  it.live("promise 19: end of input drains: streams end first, and calls that run go on", () =>
    Effect.gen(function*() {
      const { closing, feed, go, poll } = yield* draining
      const ended = { _tag: "RemoteError", code: dialect.shutDownCode, data: { started: true } } as const
      assert.deepInclude(yield* Fiber.join(feed), ended)
      assert.deepStrictEqual([poll.pollUnsafe(), closing.pollUnsafe()], [undefined, undefined])
      yield* go
      assert.strictEqual(yield* Fiber.join(poll), 1)
      yield* Fiber.join(closing)
    }).pipe(quietly))

  it.live("promise 9: closing ends every call with Disconnected: a call is retried only when it was not sent, or the other side said that it did not start it, or its method is idempotent", () =>
    Effect.gen(function*() {
      const { caller, closing, go, poll } = yield* draining
      const refused = { _tag: "Disconnected", sent: false, reason: { _tag: "ShuttingDown" }, method: "poll" } as const
      assert.deepInclude(yield* Effect.flip(caller.request("poll")), refused)
      const batch = yield* caller.batch([{ method: "poll" }, { method: "poll" }])
      for (const outcome of batch) assert.deepInclude(Option.getOrThrow(Result.getFailure(outcome!)), refused)
      yield* go
      assert.strictEqual(yield* Fiber.join(poll), 1)
      yield* Fiber.join(closing)
    }).pipe(quietly))
})
