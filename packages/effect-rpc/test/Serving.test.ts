/** Handlers and middleware of a group, as they are, behind a router. */
import { assert, describe, it } from "@effect/vitest"
import { Subscription } from "@parley/contract"
import { Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, PrimaryKey, Schema, Scope, Stream } from "effect"
import { Rpc, RpcGroup, RpcMiddleware } from "effect/rpc"
import { EffectRpc } from "../src/index.ts"
import { answers, pair, routerOf } from "./sides.ts"

const request = (id: number | string | null, method: string, rest: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, ...rest })

const result = (id: number | string | null, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result })

describe("a handler", () => {
  class Names extends RpcGroup.make(
    Rpc.make("who", { success: Schema.Unknown }),
    Rpc.make("whoStreams", { success: Schema.Unknown, stream: true })
  ) {}

  const about = (
    options: { readonly client: Rpc.ServerClient; readonly requestId: unknown; readonly headers: object }
  ) => [
    options.client.id,
    options.requestId,
    { ...options.headers }
  ]

  const named = Names.toLayer({
    who: (_, options) => Effect.sync(() => about(options)),
    whoStreams: (_, options) => Stream.sync(() => about(options))
  })

  it.effect("is told which connection calls, and the id of the request", () =>
    Effect.gen(function*() {
      const router = yield* routerOf(Layer.provide(EffectRpc.layerHandlers(Names), named))
      const connect = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        yield* Peer.make(far, { router, limits: { drain: 0 } })
        return (text: string) => Effect.andThen(near.send([text]), near.receive)
      })
      const [first, second] = [yield* connect, yield* connect]
      assert.deepStrictEqual(yield* first(request(7, "who")), [result(7, [1, 7, {}])])
      assert.deepStrictEqual(yield* second(request("a", "who")), [result("a", [2, "a", {}])])
      assert.deepStrictEqual(yield* first(request(8, "whoStreams")), [result(8, [[1, 8, {}]])])
      const large = "9007199254740993"
      assert.deepStrictEqual(yield* second(`{"jsonrpc":"2.0","id":${large},"method":"who"}`), [
        `{"jsonrpc":"2.0","id":${large},"result":[2,"${large}",{}]}`
      ])
      // Where a call stands alone, it has a client of its own.
      const alone = yield* router.answer(request(1, "who"))
      assert.deepStrictEqual(alone, yield* Effect.succeedSome(result(1, [3, 1, {}])))
    }))

  it.effect("is told the headers that the options find in the call", () =>
    Effect.gen(function*() {
      const headers = ({ extra }: { readonly extra: Schema.JsonObject | undefined }) => ({
        Token: String(extra?.["token"])
      })
      const served = Layer.provide(EffectRpc.layerHandlers(Names, { headers }), named)
      assert.deepStrictEqual(yield* answers(served, [request(1, "who", { token: "t" })], 1), [
        result(1, [1, 1, { token: "t" }])
      ])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: nor does any other, whether it gives one value or many", () =>
    Effect.gen(function*() {
      class Scoped extends RpcGroup.make(
        Rpc.make("one", { success: Schema.Int }),
        Rpc.make("many", { success: Schema.Int, stream: true })
      ) {}
      let open = 0
      const opened = Effect.acquireRelease(Effect.sync(() => ++open), () => Effect.sync(() => void open--))
      const served = Layer.provide(
        EffectRpc.layerHandlers(Scoped),
        Scoped.toLayer({
          one: () => opened,
          many: () => Stream.fromEffect(opened)
        })
      )
      const scoped = EffectRpc.contract("Scoped", Scoped).client(yield* pair(served))
      assert.strictEqual(yield* scoped.one(), 1)
      assert.strictEqual(yield* scoped.one(), 1)
      assert.deepStrictEqual(yield* Stream.runCollect(scoped.many()), [1])
      assert.strictEqual(open, 0)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: what comes later finds its Scope closed", () =>
    Effect.gen(function*() {
      class Later extends RpcGroup.make(Rpc.make("later", { success: Schema.String, error: Schema.Never })) {}
      const result = yield* Deferred.make<string>()
      const closed = yield* Deferred.make<void>()
      const served = Layer.provide(
        EffectRpc.layerHandlers(Later),
        Later.toLayer({
          later: () => Effect.as(Effect.addFinalizer(() => Deferred.succeed(closed, undefined)), result)
        })
      )
      const call = EffectRpc.contract("Later", Later).client(yield* pair(served)).later()
      const fiber = yield* Effect.forkChild(call, { startImmediately: true })
      yield* Deferred.await(closed)
      yield* Deferred.succeed(result, "at last")
      assert.strictEqual(yield* Fiber.join(fiber), "at last")
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: its handler and its stream are interrupted, unless they must not be", () =>
    Effect.gen(function*() {
      class Slow extends RpcGroup.make(
        Rpc.make("one"),
        Rpc.make("many", { success: Schema.Int, stream: true }),
        Rpc.make("endless", { success: Schema.Int, stream: true }),
        Rpc.make("sure")
      ) {}
      const started = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const gone: Array<string> = []
      const left = (name: string) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => gone.push(name)))
      const served = Layer.provide(
        EffectRpc.layerHandlers(Slow),
        Slow.toLayer({
          one: () => Effect.andThen(Deferred.succeed(started, undefined), left("one")),
          many: () => Stream.concat(Stream.make(1), Stream.fromEffect(left("many"))),
          endless: () => Rpc.uninterruptible(Stream.forever(Stream.make(1))),
          sure: () =>
            Rpc.uninterruptible(Effect.andThen(Deferred.await(released), Effect.sync(() => void gone.push("done"))))
        })
      )
      const slow = EffectRpc.contract("Slow", Slow).client(yield* pair(served))
      const call = yield* Effect.forkChild(slow.one(), { startImmediately: true })
      yield* Deferred.await(started)
      yield* Fiber.interrupt(call)
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(slow.many(), 1)), [1])
      assert.deepStrictEqual(
        yield* Stream.runCollect(Stream.take(slow.endless(), 20)),
        Array.from({ length: 20 }, () => 1)
      )
      const sure = yield* Effect.forkChild(slow.sure(), { startImmediately: true })
      yield* Effect.forEach([1, 2, 3], () => Effect.yieldNow)
      yield* Fiber.interrupt(sure)
      yield* Effect.forEach([1, 2, 3], () => Effect.yieldNow)
      assert.deepStrictEqual(gone, ["one", "many"])
      yield* Deferred.succeed(released, undefined)
      yield* Effect.forEach([1, 2, 3], () => Effect.yieldNow)
      assert.deepStrictEqual(gone, ["one", "many", "done"])
    }))

  it.effect("of a stream waits for who takes its items", () =>
    Effect.gen(function*() {
      class Endless extends RpcGroup.make(Rpc.make("count", { success: Schema.Int, stream: true })) {}
      let made = 0
      const served = Layer.provide(
        EffectRpc.layerHandlers(Endless),
        Endless.toLayer({ count: () => Stream.rechunk(Stream.fromEffectRepeat(Effect.sync(() => ++made)), 1) })
      )
      const [near, far] = yield* MemoryTransport.makePair({ capacity: 1000 })
      yield* Peer.make(far, { router: yield* routerOf(served), limits: { drain: 0, outbox: 10 } })
      yield* near.send([request(1, "count", { params: { partialResultToken: 1 } })])
      yield* Effect.forEach(Array.from({ length: 1000 }), () => Effect.yieldNow, { discard: true })
      assert.isBelow(made, 200)
      yield* near.close
    }))

  it.effect("is given the payload with its primary key", () =>
    Effect.gen(function*() {
      class Keyed extends RpcGroup.make(
        Rpc.make("key", {
          payload: { name: Schema.String },
          success: Schema.String,
          primaryKey: ({ name }) => `key of ${name}`
        })
      ) {}
      const served = Layer.provide(
        EffectRpc.layerHandlers(Keyed),
        Keyed.toLayer({
          key: (payload) => Effect.succeed(PrimaryKey.isPrimaryKey(payload) ? PrimaryKey.value(payload) : "none")
        })
      )
      const caller = yield* pair(served)
      assert.strictEqual(yield* EffectRpc.contract("Keyed", Keyed).client(caller).key({ name: "a" }), "key of a")
    }))

  it.effect("of every Rpc must be there", () =>
    Effect.gen(function*() {
      class Two extends RpcGroup.make(Rpc.make("one"), Rpc.make("two")) {}
      // As when a part of a program has been written in JavaScript.
      const one = Two.toLayerHandler("one", () => Effect.void) as unknown as Layer.Layer<Rpc.Handler<"one" | "two">>
      const exit = yield* Effect.exit(
        Layer.build(EffectRpc.layerHandlers(Two)).pipe(Effect.provide(one), Effect.provide(Router.layer({})))
      )
      assert.match(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), /the group has an Rpc two/)
    }))
})

describe("middleware", () => {
  class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}, EffectRpc.code(401)) {}

  class User extends Context.Service<User, string>()("User") {}

  class Auth extends RpcMiddleware.Service<Auth, { provides: User }>()("Auth", { error: Unauthorized }) {}

  class Trace extends RpcMiddleware.Service<Trace, { requires: User }>()("Trace") {}

  class Private extends RpcGroup.make(
    Rpc.make("name", { success: Schema.String }),
    Rpc.make("names", { success: Schema.String, stream: true })
  ).middleware(Trace).middleware(Auth) {}

  const served = (seen: Array<string>, group: RpcGroup.RpcGroup<RpcGroup.Rpcs<typeof Private>> = Private) =>
    EffectRpc.layerHandlers(group, { headers: ({ extra }) => ({ user: String(extra?.["user"] ?? "") }) }).pipe(
      Layer.provide(Private.toLayer({
        name: () => User,
        names: () => Stream.concat(Stream.fromEffect(User), Stream.make("nobody"))
      })),
      Layer.provide(
        Layer.succeed(Auth)(Auth.of((effect, { headers }) =>
          headers["user"] === ""
            ? Effect.fail(new Unauthorized())
            : Effect.provideService(effect, User, String(headers["user"]))
        ))
      ),
      Layer.provide(
        Layer.succeed(Trace)(Trace.of((effect, { payload, rpc }) =>
          Effect.flatMap(User, (user) => {
            seen.push(`${user} calls ${rpc._tag}(${payload})`)
            return Effect.onExit(effect, ({ _tag }) => Effect.sync(() => seen.push(_tag)))
          })
        ))
      )
    )

  it.effect("runs around a handler, gives it services, and refuses with its own errors", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const texts = [request(1, "name", { user: "ada" }), request(2, "name")]
      assert.deepStrictEqual(yield* answers(served(seen), texts, 2), [
        result(1, "ada"),
        `{"jsonrpc":"2.0","id":2,"error":{"code":401,"message":"Unauthorized"}}`
      ])
      assert.deepStrictEqual(seen, ["ada calls name(undefined)", "Success"])
    }))

  it.effect("runs around the whole of a stream", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const texts = [request(1, "names", { user: "ada" }), request(2, "names")]
      assert.sameMembers([...(yield* answers(served(seen), texts, 2))], [
        result(1, ["ada", "nobody"]),
        `{"jsonrpc":"2.0","id":2,"error":{"code":401,"message":"Unauthorized"}}`
      ])
      assert.deepStrictEqual(seen, ["ada calls names(undefined)", "Success"])
    }))

  it.effect("refuses a subscription in its response", () =>
    Effect.gen(function*() {
      const carrier = Subscription.notifications({ notification: "named", close: "forget" })
      const group = Private.annotateRpcs(EffectRpc.Carrier, carrier)
      const text = `{"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"Unauthorized"}}`
      assert.deepStrictEqual(yield* answers(served([], group), [request(1, "names")], 1), [text])
    }))

  it.effect("'s errors are errors of its Rpcs", () =>
    Effect.gen(function*() {
      const { client } = EffectRpc.contract("Private", Private, { withoutMiddleware: true })
      const caller = yield* pair(served([]))
      assert.deepStrictEqual(yield* Effect.flip(client(caller).name()), new Unauthorized())
      assert.deepStrictEqual(yield* Effect.flip(Stream.runDrain(client(caller).names())), new Unauthorized())
      assert.strictEqual(yield* client(caller).name(undefined, { extra: { user: "bob" } }), "bob")
    }))
})

describe("a group", () => {
  it.effect("is served as long as its layer lasts", () =>
    Effect.gen(function*() {
      class Echo extends RpcGroup.make(Rpc.make("echo", { payload: Schema.String, success: Schema.String })) {}
      const router = yield* Router.make()
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(EffectRpc.layerHandlers(Echo), scope).pipe(
        Effect.provide(Echo.toLayer({ echo: Effect.succeed })),
        Effect.provideService(Router.Router, router)
      )
      assert.isDefined(router.handlerOf("echo"))
      yield* Scope.close(scope, Exit.void)
      assert.isUndefined(router.handlerOf("echo"))
    }))
})
