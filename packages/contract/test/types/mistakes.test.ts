/** What does not compile, and what the compiler says of it. Running it only shows that it was there. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { Handler } from "@parley/peer"
import { type BigDecimal, Effect, Schema, Stream } from "effect"
import { Contract, ContractPair, Digits, Method, Notification, Subscription } from "../../src/index.ts"
import type { Complete } from "../../src/internal/handlers.ts"
import type { Params } from "../../src/shared/index.ts"

class Boom extends Schema.TaggedError<Boom>()("Boom", { why: Schema.String, at: Schema.Date }) {}

class Bank extends Contract.make("Bank", {
  deposit: Method.make({ params: { amount: Digits.Int64 }, result: Digits.Decimal, errors: { 1: Boom } }),
  search: Method.make({ params: { text: Schema.String }, result: Schema.Int, partial: Schema.Date }),
  note: Notification.make({ params: [Schema.String] }),
  ticks: Subscription.make({ item: Schema.Date })
}) {}

type Members = typeof Bank.members

describe("a definition", () => {
  it("has errors by their codes only", () => {
    // @ts-expect-error a name where a code is declared
    Method.make({ errors: { Boom } })
    // @ts-expect-error a name beside a code
    Method.make({ errors: { 1: Boom, Boom } })
    // @ts-expect-error a name in a subscription
    Subscription.make({ item: Schema.String, errors: { Boom } })
    Method.make({ errors: { 1: Boom, [-32001]: Boom, "3": Boom } })
    type Named = Method.ValidErrors<{ readonly Boom: typeof Boom }>
    expectTypeOf<Named>().toEqualTypeOf<{ readonly Boom: "the key of an error is its code, which is a number" }>()
  })

  it("has params that are an object or an array", () => {
    // @ts-expect-error a string
    Method.make({ params: Schema.String })
    // @ts-expect-error a number that may be left out
    Method.make({ params: Schema.optionalKey(Schema.Finite) })
    // @ts-expect-error a string or a number
    Notification.make({ params: Schema.Union([Schema.String, Schema.Finite]) })
    // @ts-expect-error literals
    Subscription.make({ params: Schema.Literals(["a", "b"]), item: Schema.String })
    Method.make({ params: Schema.Array(Schema.String) })
    Method.make({ params: Schema.Json })
    Method.make({ params: Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Array(Schema.String)]) })
    expectTypeOf<Params.Valid<typeof Schema.String>>()
      .toEqualTypeOf<"params are fields, a tuple, or a Schema whose JSON is an object or an array">()
  })

  it("names fields of an error that it has", () => {
    // @ts-expect-error no such field
    Method.error(Boom, { messageField: "reason" })
    // @ts-expect-error the JSON of `at` is a string, but its type on the wire is none
    Method.error(Boom, { messageField: "at" })
    // @ts-expect-error the tag is no field of the wire
    Method.error(Boom, { dataField: "_tag" })
    expectTypeOf(Method.error(Boom, { messageField: "why" })).toEqualTypeOf<Method.ErrorSpec<typeof Boom>>()
  })
})

describe("a handler that is missing or misspelt", () => {
  const some = { deposit: () => Effect.die("unused"), search: () => Effect.succeed(1), ticks: () => Stream.empty }

  it("is named in a few words", () => {
    type Missing = Complete<typeof some, Members, "Bank">
    expectTypeOf<Missing["note"]>().toEqualTypeOf<"Bank needs a handler of this name: note">()
    type Misspelt = Complete<typeof some & { readonly note: 1; readonly nota: 1 }, Members, "Bank">
    expectTypeOf<Misspelt["nota"]>().toEqualTypeOf<1 & "Bank has no member nota">()
    // @ts-expect-error a handler is missing
    Bank.toLayer(some)
    // @ts-expect-error a handler is missing, in an Effect too
    Bank.toLayer(Effect.succeed(some))
    // @ts-expect-error a handler is missing, where they are typed
    Bank.of(some)
  })
})

describe("a handler that gives a promise", () => {
  it("is told what makes an Effect of it", () => {
    const rest = Bank.of({
      deposit: () => Effect.die("unused"),
      search: () => Effect.succeed(1),
      note: () => Effect.void,
      ticks: () => Stream.empty
    })
    // @ts-expect-error an async handler
    Bank.toLayer({ ...rest, search: async () => 1 })
    // @ts-expect-error an async handler of a notification
    Bank.of({ ...rest, note: async () => {} })
    // @ts-expect-error an async handler of a subscription
    Bank.of({ ...rest, ticks: async function*() {} })
    // The text is for the compiler alone: no handler may give it.
    expectTypeOf<ReturnType<Contract.Handlers<Members>["search"]>>().toExtend<Effect.Effect<number, unknown, unknown>>()
  })
})

describe("the errors of a contract", () => {
  class Denied extends Schema.TaggedError<Denied>()("Denied", { realm: Schema.String }) {}
  class Vault extends Contract.make("Vault", {
    open: Method.make({ result: Schema.Int, errors: { 1: Boom } }),
    ring: Notification.make(),
    watch: Subscription.make({ item: Schema.Date })
  }, { errors: { 4010: Denied } }) {}
  const handlers = Vault.of({
    open: () => Effect.succeed(1),
    ring: () => Effect.void,
    watch: () => Stream.empty
  })
  const denying = <E, R>(_: Handler.Handler<E, R>): Handler.Handler<E | Denied, R> => () =>
    Effect.fail(new Denied({ realm: "" }))
  const foreign = <E, R>(_: Handler.Handler<E, R>): Handler.Handler<E | Boom, R> => () =>
    Effect.fail(new Boom({ why: "", at: new Date(0) }))

  it("are those of each method and subscription, and of no notification", () => {
    type Typed = Contract.Client<typeof Vault.members>
    expectTypeOf<Typed["open"]>().toEqualTypeOf<Contract.MethodCall<void, number, Boom | Denied>>()
    expectTypeOf<Typed["watch"]>().toEqualTypeOf<Contract.SubscriptionCall<void, Date, Denied>>()
    expectTypeOf<Typed["ring"]>().toEqualTypeOf<Contract.NotificationCall<void>>()
    expectTypeOf(Vault.errors).toEqualTypeOf<{ readonly 4010: typeof Denied }>()
    expectTypeOf(Bank.errors).toEqualTypeOf<{}>()
    // @ts-expect-error a name where a code is declared
    Contract.make("Named", {}, { errors: { Denied } })
  })

  it("are those that a middleware may fail with, and no others", () => {
    Vault.toLayer(handlers, denying)
    // @ts-expect-error an error of one method only
    Vault.toLayer(handlers, foreign)
    // @ts-expect-error the contract declares none
    Contract.make("Plain", { open: Vault.members.open }).toLayer({ open: () => Effect.succeed(1) }, denying)
    const protocol = ContractPair.make({ client: Bank, server: Vault })
    protocol.layerServer(handlers, { middleware: denying })
    protocol.serve(handlers, { middleware: denying })
    // @ts-expect-error an error of one method only
    protocol.layerServer(handlers, { middleware: foreign })
  })

  it("stay where members are picked or named anew, and with the members where contracts are merged", () => {
    expectTypeOf(Contract.pick("Picked", Vault, ["open"]).errors).toEqualTypeOf<{ readonly 4010: typeof Denied }>()
    expectTypeOf(Contract.omit("Omitted", Vault, ["open"]).errors).toEqualTypeOf<{ readonly 4010: typeof Denied }>()
    const Prefixed = Contract.prefix("Prefixed", Vault, "v_")
    expectTypeOf(Prefixed.errors).toEqualTypeOf<{ readonly 4010: typeof Denied }>()
    expectTypeOf(Contract.lenient(Vault).errors).toEqualTypeOf<{ readonly 4010: typeof Denied }>()
    const Both = Contract.merge("Both", Vault, Bank)
    expectTypeOf(Both.errors).toEqualTypeOf<{}>()
    expectTypeOf<Contract.Client<typeof Both.members>["open"]>()
      .toEqualTypeOf<Contract.MethodCall<void, number, Boom | Denied>>()
  })
})

describe("what an editor shows", () => {
  it("has a name for each kind of call", () => {
    type Typed = Contract.Client<Members>
    expectTypeOf<Typed["deposit"]>()
      .toEqualTypeOf<Contract.MethodCall<{ readonly amount: bigint }, BigDecimal.BigDecimal, Boom>>()
    expectTypeOf<Typed["search"]>().toEqualTypeOf<Contract.MethodCall<{ readonly text: string }, number, never, Date>>()
    expectTypeOf<Typed["note"]>().toEqualTypeOf<Contract.NotificationCall<readonly [string]>>()
    expectTypeOf<Typed["ticks"]>().toEqualTypeOf<Contract.SubscriptionCall<void, Date, never>>()
  })
})

describe("partial results", () => {
  it("have the type of the method, on both sides", () => {
    const client = {} as Contract.Client<Members>
    const call = () => client.search({ text: "" }, { onPartialResult: (at) => expectTypeOf(at).toEqualTypeOf<Date>() })
    expectTypeOf(call).returns.toExtend<Effect.Effect<number, unknown>>()
    // @ts-expect-error a method without partial results
    expectTypeOf(() => client.deposit({ amount: 1n }, { onPartialResult: () => {} })).toBeFunction()
    type Handlers = Contract.Handlers<Members>
    expectTypeOf<Parameters<Handlers["search"]>[1]>().toEqualTypeOf<Contract.PartialCall<Date>>()
    expectTypeOf<Parameters<Handlers["deposit"]>[1]>().toEqualTypeOf<Handler.Call>()
  })
})
