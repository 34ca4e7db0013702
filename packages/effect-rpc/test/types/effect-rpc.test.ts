/** What the types infer. The compiler checks this file; running it only shows that it was there. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { Contract, Method, Subscription } from "@parley/contract"
import type { Caller, Router } from "@parley/peer"
import { Context, Effect, type Layer, Schema, SchemaGetter, Stream } from "effect"
import { Rpc, RpcGroup, RpcMiddleware } from "effect/rpc"
import { EffectRpc } from "../../src/index.ts"
import { Bank, type Entry, type Frozen, type Insufficient, NotFound } from "../Bank.ts"

const bank = EffectRpc.contract("Bank", Bank)

type Members = typeof bank.members
type Client = ReturnType<typeof bank.client>
type Same = Effect.Success<ReturnType<typeof EffectRpc.makeClient<RpcGroup.Rpcs<typeof Bank>>>>

type CallError = Caller.CallError | Contract.InvalidResult

class Denied extends Schema.TaggedError<Denied>()("Denied", {}, EffectRpc.code(9)) {}
class User extends Context.Service<User, string>()("User") {}
class Auth extends RpcMiddleware.Service<Auth, { provides: User }>()("Auth", { error: Denied }) {}
class Private extends RpcGroup.make(
  Rpc.make("name", { success: Schema.String, error: NotFound }).annotate(EffectRpc.ErrorCodes, { NotFound: 1 }),
  Rpc.make("names", { success: Schema.String, stream: true })
).middleware(Auth) {}

describe("the types", () => {
  it("of members are those of the Rpcs' Schemas", () => {
    expectTypeOf<keyof Members>().toEqualTypeOf<
      | "withdraw"
      | "ping"
      | "find"
      | "length"
      | "subtract"
      | "later"
      | "breaks"
      | "entries"
      | "queued"
      | "watch"
    >()
    expectTypeOf<Members["ping"]>().toEqualTypeOf<Method.Method<undefined, undefined, {}>>()
    expectTypeOf<Members["find"]>().toEqualTypeOf<
      Method.Method<Schema.Struct<{ name: Schema.String }>, Schema.Date, {
        readonly [code: number]: typeof NotFound
      }>
    >()
    expectTypeOf<Members["length"]>().toEqualTypeOf<Method.Method<Schema.String, Schema.Int, {}>>()
    expectTypeOf<Members["queued"]>().toEqualTypeOf<Subscription.Subscription<undefined, Schema.Int, {}>>()
    expectTypeOf<Members["entries"]>().toEqualTypeOf<
      Subscription.Subscription<Schema.Struct<{ count: Schema.Int }>, typeof Entry, {
        readonly [code: number]: typeof Insufficient
      }>
    >()
  })

  it("of a contract's client are those of the Rpcs", () => {
    expectTypeOf<Client["withdraw"]>().toEqualTypeOf<
      (
        params: { readonly amount: number; readonly at?: Date },
        options?: Contract.CallOptions
      ) => Effect.Effect<number, Insufficient | Frozen | CallError>
    >()
    expectTypeOf<Client["ping"]>().toEqualTypeOf<
      (params: void, options?: Contract.CallOptions) => Effect.Effect<void, CallError>
    >()
    expectTypeOf<Client["find"]>().returns.toEqualTypeOf<Effect.Effect<Date, NotFound | CallError>>()
    expectTypeOf<Client["subtract"]>().parameter(0).toEqualTypeOf<readonly [number, number]>()
    expectTypeOf<Client["entries"]>().toEqualTypeOf<
      (
        params: { readonly count: number },
        options?: Contract.StreamOptions
      ) => Stream.Stream<typeof Entry.Type, Insufficient | CallError | Contract.Lagged>
    >()
  })

  it("of makeClient's client are those of the Rpcs, with what `make` completes", () => {
    expectTypeOf<Same["withdraw"]>().toEqualTypeOf<
      (
        input: { readonly amount: number; readonly at?: Date },
        options?: Contract.CallOptions
      ) => Effect.Effect<number, Insufficient | Frozen | CallError>
    >()
    expectTypeOf<Same["ping"]>().toEqualTypeOf<
      (input: void, options?: Contract.CallOptions) => Effect.Effect<void, CallError>
    >()
    expectTypeOf<Same["watch"]>().returns.toEqualTypeOf<
      Stream.Stream<number, Frozen | CallError | Contract.Lagged>
    >()
    class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite }) {}
    class Points extends RpcGroup.make(Rpc.make("move", { payload: Point, success: Point })) {}
    const points = EffectRpc.makeClient(Points)
    expectTypeOf(points).toEqualTypeOf<
      Effect.Effect<EffectRpc.Client<RpcGroup.Rpcs<typeof Points>>, never, Caller.Caller>
    >()
    expectTypeOf<Effect.Success<typeof points>["move"]>().parameter(0).toEqualTypeOf<{ readonly x: number }>()
    type OfContract = ReturnType<
      ReturnType<typeof EffectRpc.contract<"Points", RpcGroup.Rpcs<typeof Points>>>["client"]
    >
    expectTypeOf<OfContract["move"]>().parameter(0).toEqualTypeOf<Point>()
  })

  it("of Rpcs that are classes are the same", () => {
    class Find extends Rpc.make("find", { payload: { name: Schema.String }, success: Schema.Date }) {}
    class Watch extends Rpc.make("watch", { success: Schema.Finite, error: Denied, stream: true }) {}
    const contract = EffectRpc.contract("Classes", RpcGroup.make(Find, Watch))
    type Client = ReturnType<typeof contract.client>
    expectTypeOf<Client["find"]>().returns.toEqualTypeOf<Effect.Effect<Date, CallError>>()
    expectTypeOf<Client["watch"]>().returns.toEqualTypeOf<
      Stream.Stream<number, Denied | CallError | Contract.Lagged>
    >()
  })

  it("of new handlers fit the Rpcs", () => {
    const group = RpcGroup.make(
      Rpc.make("find", { payload: { name: Schema.String }, success: Schema.Date, error: Denied }),
      Rpc.make("count", { success: Schema.Finite, error: Denied, stream: true })
    )
    const contract = EffectRpc.contract("Some", group)
    const layer = contract.toLayer({
      find: ({ name }) => {
        expectTypeOf(name).toEqualTypeOf<string>()
        return User.use((user) => user === name ? Effect.succeed(new Date(0)) : Effect.fail(new Denied()))
      },
      count: () => Stream.make(1)
    })
    expectTypeOf(layer).toEqualTypeOf<Layer.Layer<never, Router.MethodTaken, Router.Router | User>>()
    const count = () => Stream.make(1)
    // @ts-expect-error the Rpc does not fail so
    contract.toLayer({ find: () => Effect.fail(new NotFound()), count })
    // @ts-expect-error the Rpc gives a date
    contract.toLayer({ find: () => Effect.succeed("1970"), count })
    // @ts-expect-error one is missing
    contract.toLayer({ count })
  })

  it("of what serves a group require its handlers and its middleware", () => {
    expectTypeOf(EffectRpc.layerHandlers(Private)).toEqualTypeOf<
      Layer.Layer<never, Router.MethodTaken, Router.Router | Rpc.Handler<"name"> | Rpc.Handler<"names"> | Auth>
    >()
  })

  it("of a group with middleware say that it does not run on a contract", () => {
    // @ts-expect-error what does not run must be named
    EffectRpc.contract("Private", Private)
    const contract = EffectRpc.contract("Private", Private, { withoutMiddleware: true })
    expectTypeOf<ReturnType<typeof contract.client>["name"]>().returns.toEqualTypeOf<
      Effect.Effect<string, NotFound | Denied | CallError>
    >()
    expectTypeOf<ReturnType<typeof contract.client>["names"]>().returns.toEqualTypeOf<
      Stream.Stream<string, Denied | CallError | Contract.Lagged>
    >()
    // @ts-expect-error there is none here
    EffectRpc.contract("Bank", Bank, { withoutMiddleware: true })
  })

  it("refuse what cannot be mapped", () => {
    class Token extends RpcMiddleware.Service<Token>()("Token", { requiredForClient: true }) {}
    const tokens = RpcGroup.make(Rpc.make("a")).middleware(Token)
    // @ts-expect-error the client would need a middleware that does not run
    EffectRpc.makeClient(tokens)
    EffectRpc.layerHandlers(tokens)

    const needy = Schema.String.pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transformEffect((text: string) => User.use((user) => Effect.succeed(user + text))),
        encode: SchemaGetter.passthrough()
      })
    )
    const group = RpcGroup.make(Rpc.make("a", { payload: { needy } }))
    // @ts-expect-error its Schemas need a service
    EffectRpc.contract("Needy", group)
    // @ts-expect-error its Schemas need a service
    EffectRpc.layerHandlers(group)
    // @ts-expect-error its Schemas need a service
    EffectRpc.makeClient(group)
  })
})
