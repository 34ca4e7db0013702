/** What the types of a contract infer. The compiler checks this file; running it only shows that it was there. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { Caller, ErrorResponse, Handler, Router } from "@parley/peer"
import { Context, Effect, type Layer, type Result, Schema, type Scope, Stream } from "effect"
import { Contract, Method, Notification, Subscription } from "../../src/index.ts"
import type { Services } from "../../src/internal/handlers.ts"
import type { Params } from "../../src/shared/index.ts"

class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {}

class Frozen extends Schema.TaggedError<Frozen>()("Frozen", {}) {}

class Person extends Schema.Class<Person>("Person")({ name: Schema.String }) {}

const carrier = Subscription.notifications({ notification: "ticked", close: "untick" })

class Bank extends Contract.make("Bank", {
  withdraw: Method.make({
    params: { amount: Schema.Finite, at: Schema.optionalKey(Schema.Date) },
    result: Schema.Finite,
    errors: { 1001: Insufficient, [-1]: Method.error(Frozen, "It is frozen") }
  }),
  subtract: Method.make({ params: [Schema.Finite, Schema.optionalKey(Schema.Finite)], result: Schema.Date }),
  greet: Method.make({ params: Person, result: Person }),
  ping: Method.make(),
  empty: Method.make({ params: {}, result: Schema.Json }),
  note: Notification.make({ params: [Schema.String] }),
  bye: Notification.make(),
  ticks: Subscription.make({ params: { every: Schema.Finite }, item: Schema.Date, errors: { 7: Frozen }, carrier }),
  lines: Subscription.make({ item: Schema.String })
}) {}

type Members = typeof Bank.members
type Client = Contract.Client<Members>
type ClientError = Caller.CallError | Contract.InvalidResult

class Accounts extends Context.Service<Accounts, {
  readonly take: (amount: number) => Effect.Effect<number, Insufficient>
}>()("Accounts") {}

class Clock extends Context.Service<Clock, { readonly ticks: Stream.Stream<Date> }>()("Clock") {}

class Log extends Context.Service<Log, { readonly log: (text: string) => Effect.Effect<void> }>()("Log") {}

/** Handlers that need nothing. */
const rest = Bank.of({
  withdraw: () => Effect.succeed(1),
  subtract: () => Effect.succeed(new Date(0)),
  greet: (person) => Effect.succeed(person),
  ping: () => Effect.void,
  empty: () => Effect.succeed(null),
  note: () => Effect.void,
  bye: () => Effect.void,
  ticks: () => Stream.empty,
  lines: () => Stream.make("a")
})

type Requirements<L> = L extends Layer.Layer<infer _A, infer _E, infer R> ? R : never

describe("a client", () => {
  it("takes params as they are declared", () => {
    expectTypeOf<Parameters<Client["withdraw"]>[0]>().toEqualTypeOf<{ readonly amount: number; readonly at?: Date }>()
    expectTypeOf<Parameters<Client["subtract"]>[0]>().toEqualTypeOf<readonly [number, number?]>()
    expectTypeOf<Parameters<Client["greet"]>[0]>().toEqualTypeOf<Person>()
    expectTypeOf<Client["ping"]>().toEqualTypeOf<
      (params: void, options?: Contract.CallOptions) => Effect.Effect<void, ClientError>
    >()
    expectTypeOf<Parameters<Client["note"]>[0]>().toEqualTypeOf<readonly [string]>()
    expectTypeOf<Parameters<Client["ticks"]>[0]>().toEqualTypeOf<{ readonly every: number }>()
    expectTypeOf<Params.Type<undefined>>().toEqualTypeOf<void>()
  })

  it("gives results, and names every way to fail", () => {
    expectTypeOf<ReturnType<Client["withdraw"]>>().toEqualTypeOf<
      Effect.Effect<number, Insufficient | Frozen | ClientError>
    >()
    expectTypeOf<ReturnType<Client["subtract"]>>().toEqualTypeOf<Effect.Effect<Date, ClientError>>()
    expectTypeOf<ReturnType<Client["greet"]>>().toEqualTypeOf<Effect.Effect<Person, ClientError>>()
    expectTypeOf<ReturnType<Client["ping"]>>().toEqualTypeOf<Effect.Effect<void, ClientError>>()
    expectTypeOf<ReturnType<Client["empty"]>>().toEqualTypeOf<Effect.Effect<Schema.Json, ClientError>>()
    expectTypeOf<ReturnType<Client["note"]>>().toEqualTypeOf<Effect.Effect<void, Caller.NotifyError>>()
    expectTypeOf<ReturnType<Client["ticks"]>>().toEqualTypeOf<
      Stream.Stream<Date, Frozen | ClientError | Contract.Lagged>
    >()
    expectTypeOf<ReturnType<Client["lines"]>>().toEqualTypeOf<
      Stream.Stream<string, ClientError | Contract.Lagged>
    >()
  })

  it("takes options, but not for notifications", () => {
    expectTypeOf<Parameters<Client["withdraw"]>[1]>().toEqualTypeOf<Contract.CallOptions | undefined>()
    expectTypeOf<Parameters<Client["ticks"]>[1]>().toEqualTypeOf<Contract.StreamOptions | undefined>()
    expectTypeOf<Parameters<Client["note"]>["length"]>().toEqualTypeOf<1>()
  })

  it("lets what is caught be caught", () => {
    const program = Effect.gen(function*() {
      const bank = yield* Bank.Client
      yield* bank.ping()
      return yield* bank.withdraw({ amount: 10 })
    }).pipe(Effect.catchTag("Insufficient", ({ balance }) => Effect.succeed(balance)))
    expectTypeOf(program).toEqualTypeOf<Effect.Effect<number, Frozen | ClientError, Contract.ClientId<"Bank">>>()
    expectTypeOf(Bank.layerClient()).toEqualTypeOf<Layer.Layer<Contract.ClientId<"Bank">, never, Caller.Caller>>()
    expectTypeOf(Bank.client).parameters.toEqualTypeOf<[Caller.Caller]>()
  })

  it("refuses what does not fit", () => {
    const bank = {} as Client
    const calls = () => [
      // @ts-expect-error an object where a tuple is declared
      bank.subtract({ a: 1, b: 2 }),
      // @ts-expect-error too few
      bank.subtract([]),
      // @ts-expect-error too many
      bank.subtract([1, 2, 3]),
      // @ts-expect-error a tuple where fields are declared
      bank.withdraw([1]),
      // @ts-expect-error a field of another type
      bank.withdraw({ amount: "1" }),
      // @ts-expect-error a field that is missing
      bank.withdraw({}),
      // @ts-expect-error a field that is unknown
      bank.withdraw({ amount: 1, of: "me" }),
      // @ts-expect-error params where there are none
      bank.ping({}),
      // @ts-expect-error no params where there are some
      bank.withdraw(),
      // @ts-expect-error no member
      bank.withdrow({ amount: 1 }),
      // @ts-expect-error options of streams are for streams
      bank.ping(undefined, { capacity: 1 })
    ]
    expectTypeOf(calls).toBeFunction()
  })
})

describe("handlers", () => {
  it("take params and the call", () => {
    Bank.of({
      ...rest,
      withdraw: (params, call) => {
        expectTypeOf(params).toEqualTypeOf<{ readonly amount: number; readonly at?: Date }>()
        expectTypeOf(call).toEqualTypeOf<Handler.Call>()
        return Effect.succeed(1)
      },
      subtract: ([a, b]) => {
        expectTypeOf([a, b] as const).toEqualTypeOf<readonly [number, number | undefined]>()
        return Effect.succeed(new Date(0))
      },
      ping: (params) => {
        expectTypeOf(params).toEqualTypeOf<void>()
        return Effect.void
      },
      ticks: ({ every }, call) => {
        expectTypeOf(every).toEqualTypeOf<number>()
        expectTypeOf(call).toEqualTypeOf<Handler.Call>()
        return Stream.empty
      }
    })
  })

  it("may fail as the contract says, or with an error object", () => {
    Bank.of({ ...rest, withdraw: () => Effect.fail(new Insufficient({ balance: 1 })) })
    Bank.of({ ...rest, withdraw: () => Effect.fail({} as Frozen | ErrorResponse.ErrorResponse) })
    Bank.of({ ...rest, ticks: () => Effect.fail(new Frozen()) })
    Bank.of({ ...rest, ticks: () => Stream.fail(new Frozen()) })
    // @ts-expect-error an error that the method does not have
    Bank.of({ ...rest, withdraw: () => Effect.fail(new Error("no")) })
    // @ts-expect-error an error of another method
    Bank.of({ ...rest, subtract: () => Effect.fail(new Frozen()) })
    // @ts-expect-error an error that the subscription does not have
    Bank.of({ ...rest, ticks: () => Stream.fail(new Insufficient({ balance: 1 })) })
    // @ts-expect-error the same before its stream
    Bank.of({ ...rest, ticks: () => Effect.fail(new Insufficient({ balance: 1 })) })
    // @ts-expect-error a notification is told nothing but error objects, for the log
    Bank.of({ ...rest, note: () => Effect.fail(new Frozen()) })
  })

  it("give what the contract says", () => {
    // @ts-expect-error another result
    Bank.of({ ...rest, withdraw: () => Effect.succeed("1") })
    // @ts-expect-error no Effect
    Bank.of({ ...rest, withdraw: () => 1 })
    // @ts-expect-error another item
    Bank.of({ ...rest, ticks: () => Stream.make(1) })
    // @ts-expect-error an Effect of an item
    Bank.of({ ...rest, ticks: () => Effect.succeed(new Date(0)) })
    // @ts-expect-error a stream of what is one result
    Bank.of({ ...rest, withdraw: () => Stream.make(1) })
    // @ts-expect-error other params
    Bank.of({ ...rest, withdraw: ({ amount }: { readonly amount: string }) => Effect.succeed(amount.length) })
  })

  it("are all there, and no others", () => {
    const { withdraw: _, ...some } = rest
    // @ts-expect-error a handler is missing
    Bank.toLayer(some)
    // @ts-expect-error a handler is missing, in an Effect too
    Bank.toLayer(Effect.succeed(some))
    // @ts-expect-error a handler is misspelt
    Bank.toLayer({ ...rest, withdrow: () => Effect.succeed(1) })
    // @ts-expect-error a handler is misspelt, in an Effect too
    Bank.toLayer(Effect.succeed({ ...rest, withdrow: () => Effect.succeed(1) }))
    // @ts-expect-error a handler is misspelt, where they are typed
    Bank.of({ ...rest, withdrow: () => Effect.succeed(1) })
  })

  it("may be made elsewhere, and keep their types", () => {
    expectTypeOf(rest.withdraw).returns.toEqualTypeOf<Effect.Effect<number>>()
    expectTypeOf(rest.lines).returns.toEqualTypeOf<Stream.Stream<"a">>()
  })
})

describe("the layer of handlers", () => {
  it("requires the router, and what the handlers require", () => {
    expectTypeOf(Bank.toLayer(rest)).toEqualTypeOf<Layer.Layer<never, Router.MethodTaken, Router.Router>>()
    const live = Bank.toLayer({
      ...rest,
      withdraw: ({ amount }) => Accounts.use((accounts) => accounts.take(amount)),
      note: ([text]) => Log.use((log) => log.log(text))
    })
    expectTypeOf<Requirements<typeof live>>().toEqualTypeOf<Router.Router | Accounts | Log>()
  })

  it("requires what streams require, and the Effects that make them", () => {
    const streams = Bank.toLayer({ ...rest, ticks: () => Stream.unwrap(Clock.useSync(({ ticks }) => ticks)) })
    expectTypeOf<Requirements<typeof streams>>().toEqualTypeOf<Router.Router | Clock>()
    const both = Bank.toLayer({
      ...rest,
      ticks: () => Effect.as(Log.use((log) => log.log("")), Stream.unwrap(Clock.useSync(({ ticks }) => ticks)))
    })
    expectTypeOf<Requirements<typeof both>>().toEqualTypeOf<Router.Router | Clock | Log>()
  })

  it("requires no Scope: each call has its own", () => {
    const scoped = Bank.toLayer({
      ...rest,
      ping: () => Effect.addFinalizer(() => Effect.void),
      lines: () => Effect.as(Effect.addFinalizer(() => Effect.void), Stream.make("a"))
    })
    expectTypeOf<Requirements<typeof scoped>>().toEqualTypeOf<Router.Router>()
  })

  it("may be made by an Effect, with its failures and requirements", () => {
    const made = Bank.toLayer(Effect.gen(function*() {
      const accounts = yield* Accounts
      yield* Effect.addFinalizer(() => Effect.void)
      if (accounts === undefined) return yield* Effect.fail("none" as const)
      return Bank.of({
        ...rest,
        withdraw: ({ amount }) => accounts.take(amount),
        note: ([text]) => Log.use((log) => log.log(text))
      })
    }))
    expectTypeOf(made).toEqualTypeOf<
      Layer.Layer<never, "none" | Router.MethodTaken, Router.Router | Accounts | Log>
    >()
  })
})

describe("derived contracts", () => {
  const Other = Contract.make("Other", { one: Method.make({ result: Schema.Int }), two: Notification.make() })

  it("have the members that their names say", () => {
    const Both = Contract.merge("Both", Bank, Other)
    expectTypeOf<keyof typeof Both.members>().toEqualTypeOf<keyof Members | "one" | "two">()
    expectTypeOf<Contract.Client<typeof Both.members>["withdraw"]>().toEqualTypeOf<Client["withdraw"]>()
    expectTypeOf(Both.identifier).toEqualTypeOf<"Both">()
    const Prefixed = Contract.prefix("Prefixed", Other, "eth_")
    expectTypeOf<keyof typeof Prefixed.members>().toEqualTypeOf<"eth_one" | "eth_two">()
    expectTypeOf<Contract.Client<typeof Prefixed.members>["eth_one"]>().returns.toEqualTypeOf<
      Effect.Effect<number, ClientError>
    >()
    const Picked = Contract.pick("Picked", Bank, ["withdraw", "ticks"])
    expectTypeOf<keyof typeof Picked.members>().toEqualTypeOf<"withdraw" | "ticks">()
    expectTypeOf<Contract.Client<typeof Picked.members>["ticks"]>().toEqualTypeOf<Client["ticks"]>()
    const Omitted = Contract.omit("Omitted", Other, ["two"])
    expectTypeOf<keyof typeof Omitted.members>().toEqualTypeOf<"one">()
    expectTypeOf(Omitted.layerClient()).toEqualTypeOf<
      Layer.Layer<Contract.ClientId<"Omitted">, never, Caller.Caller>
    >()
    // @ts-expect-error no member of it
    Contract.pick("Picked", Other, ["three"])
    // @ts-expect-error no member of it
    Contract.omit("Omitted", Other, ["three"])
    // @ts-expect-error a prefixed contract has no member without it
    Prefixed.toLayer({ one: () => Effect.succeed(1), two: () => Effect.void })
  })

  it("are told apart by their names", () => {
    expectTypeOf<Contract.ClientId<"A">>().not.toEqualTypeOf<Contract.ClientId<"B">>()
    expectTypeOf<Contract.MembersOf<typeof Other>>().toEqualTypeOf<typeof Other.members>()
    expectTypeOf<Contract.MembersOf<typeof Bank>>().toEqualTypeOf<Members>()
    expectTypeOf<Contract.MembersOf<string>>().toEqualTypeOf<never>()
  })
})

describe("a batch", () => {
  it("has the result of each call where it stood", () => {
    const batch = Bank.batch({} as Client, (calls) => [
      calls.withdraw({ amount: 1 }),
      calls.note(["a"]),
      calls.subtract([1])
    ])
    expectTypeOf(batch).toEqualTypeOf<
      Effect.Effect<
        readonly [
          Result.Result<number, Insufficient | Frozen | ClientError>,
          Result.Result<void, ClientError>,
          Result.Result<Date, ClientError>
        ],
        Caller.NotifyError
      >
    >()
    expectTypeOf<Contract.Plans<Members>["ticks"]>().toEqualTypeOf<never>()
    const refused = (calls: Contract.Plans<Members>) => [
      // @ts-expect-error params that do not fit
      calls.withdraw({}),
      // @ts-expect-error a subscription has no place in a batch
      calls.ticks({ every: 1 })
    ]
    expectTypeOf(refused).toBeFunction()
  })
})

describe("a definition", () => {
  it("keeps its own types", () => {
    const { withdraw } = Bank.members
    expectTypeOf(withdraw.errors).toEqualTypeOf<
      { readonly 1001: typeof Insufficient; readonly [-1]: Method.ErrorSpec<typeof Frozen> }
    >()
    expectTypeOf<Method.ErrorOf<typeof withdraw.errors>>().toEqualTypeOf<Insufficient | Frozen>()
    expectTypeOf<Method.ErrorOf<{}>>().toEqualTypeOf<never>()
    expectTypeOf(Bank.members.ping).toEqualTypeOf<Method.Method<undefined, undefined, {}>>()
    expectTypeOf(Bank.members.bye).toEqualTypeOf<Notification.Notification<undefined>>()
  })

  it("has examples of its types", () => {
    Method.make({
      params: { amount: Schema.Finite },
      result: Schema.Date,
      examples: [{ name: "one", params: { amount: 1 }, result: new Date(0) }]
    })
    Method.make({
      params: { amount: Schema.Finite },
      result: Schema.Date,
      // @ts-expect-error a result of another type
      examples: [{ name: "one", params: { amount: 1 }, result: 1 }]
    })
    Method.make({
      params: { amount: Schema.Finite },
      // @ts-expect-error params of another type
      examples: [{ name: "one", params: { amount: "1" }, result: undefined }]
    })
  })

  it("takes codecs without services only, and what it knows", () => {
    const needing = Schema.String.pipe(Schema.decodeTo(Schema.String, {
      decode: {} as never,
      encode: {} as never
    })) as unknown as Schema.Codec<string, string, Log, never>
    // @ts-expect-error a codec that requires a service
    Method.make({ result: needing })
    // @ts-expect-error an order that there is not
    Method.make({ order: "first" })
    // @ts-expect-error a structure that there is not
    Method.make({ params: { a: Schema.String }, paramStructure: "by-chance" })
    // @ts-expect-error a subscription has items
    Subscription.make({ params: [Schema.String] })
  })
})

describe("nothing", () => {
  it("becomes any, unknown or never", () => {
    type Bad<A> = 0 extends 1 & A ? "any" : [A] extends [never] ? "never" : unknown extends A ? "unknown" : "fine"
    type Of<F> = F extends (...args: infer P) => infer A ? [
        Bad<P[0]>,
        A extends Effect.Effect<infer B, infer E, infer R> ? [Bad<B>, Bad<E>, Bad<R>]
          : A extends Stream.Stream<infer B, infer E, infer R> ? [Bad<B>, Bad<E>, Bad<R>]
          : "no effect"
      ]
      : "no function"
    type All = { readonly [K in keyof Client]: Of<Client[K]> }
    // Nothing is required of who calls.
    type Fine = ["fine", ["fine", "fine", "never"]]
    expectTypeOf<All[keyof All]>().toEqualTypeOf<Fine>()
    type Handled = {
      readonly [K in keyof Members]: Contract.Handlers<Members>[K] extends (params: infer P, call: infer C) => infer _A
        ? [Bad<P>, Bad<C>] :
        "no function"
    }
    expectTypeOf<Handled[keyof Handled]>().toEqualTypeOf<["fine", "fine"]>()
    expectTypeOf<Bad<Services<typeof rest>>>().toEqualTypeOf<"never">()
    expectTypeOf<Bad<Requirements<ReturnType<typeof Bank.toLayer<typeof rest>>>>>().toEqualTypeOf<"fine">()
    expectTypeOf<Scope.Scope>().not.toEqualTypeOf<never>()
  })
})
