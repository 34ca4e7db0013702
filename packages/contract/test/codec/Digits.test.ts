/** Numbers keep their digits where a contract asks for them: in both directions, at any depth, by every way of calling. */
import { assert, describe, it } from "@effect/vitest"
import { Contract, Digits, Method, Notification, Subscription } from "@parley/contract"
import { Caller, Router, Session } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { ExactNumber } from "@parley/protocol/shared"
import { BigDecimal, Deferred, Effect, Fiber, Layer, Option, Result, Schema, type SchemaAST, Stream } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Places from "../../src/internal/codec/places.ts"
import { calling, pair, serving, started } from "../wire.ts"

const dialect = Dialect.lsp

/** Digits within whatever may be around them, and numbers that are doubles beside. */
const Deep = Schema.Struct({
  id: Digits.UInt64,
  price: Schema.optionalKey(Digits.Decimal),
  plain: Schema.Finite,
  list: Schema.Array(Schema.Union([Digits.BigInteger, Schema.String])),
  by: Schema.Record(Schema.String, Digits.Int64),
  either: Schema.Union([
    Schema.Struct({ kind: Schema.Literal("exact"), value: Digits.Text }),
    Schema.Struct({ kind: Schema.Literal("rounded"), value: Schema.Finite })
  ]),
  json: Schema.Json
})

class Short extends Schema.TaggedError<Short>()("Short", { missing: Digits.BigInteger }) {}

const Ledger = Contract.make("Ledger", {
  echo: Method.make({ params: { deep: Deep, more: Schema.optionalKey(Digits.Int64) }, result: Deep }),
  whole: Method.make({
    params: Schema.Array(Digits.BigInteger),
    result: Digits.BigInteger,
    paramStructure: "by-position"
  }),
  pay: Method.make({ params: { amount: Digits.BigInteger }, errors: { 1: Short } }),
  plain: Method.make({ params: { amount: Schema.Finite }, result: Schema.Finite }),
  tell: Notification.make({ params: { amount: Digits.BigInteger } }),
  told: Method.make({ result: Digits.BigInteger }),
  sum: Method.make({ params: { upTo: Schema.Int }, result: Digits.BigInteger, partial: Digits.BigInteger }),
  blocks: Subscription.make({ params: { from: Digits.UInt64 }, item: Digits.UInt64 }),
  heads: Subscription.make({
    params: { from: Digits.UInt64 },
    item: Digits.UInt64,
    carrier: Subscription.notifications({ notification: "head", close: "closeHeads" })
  })
})

const three = ({ from }: { readonly from: bigint }) => Stream.fromIterable([from, from + 1n, from + 2n])

const live = Layer.unwrap(Effect.gen(function*() {
  const told = yield* Deferred.make<bigint>()
  return Ledger.toLayer({
    echo: ({ deep }) => Effect.succeed(deep),
    whole: (amounts) => Effect.succeed(amounts.reduce((sum, amount) => sum + amount, 0n)),
    pay: ({ amount }) => Effect.fail(new Short({ missing: amount })),
    plain: ({ amount }) => Effect.succeed(amount),
    tell: ({ amount }) => Deferred.succeed(told, amount),
    told: () => Deferred.await(told),
    sum: ({ upTo }, { partialResult }) =>
      Effect.gen(function*() {
        for (let index = 0; index < upTo; index++) {
          yield* Effect.orDie(partialResult?.(big + BigInt(index)) ?? Effect.void)
        }
        return big
      }),
    blocks: three,
    heads: three
  })
}))

const big = 12_345_678_901_234_567_890n

const ledger = Effect.map(pair(live, { dialect }), ({ peer }) => Ledger.client(peer))

const deep = (id: bigint): typeof Deep.Type => ({
  id,
  plain: 0.5,
  list: [],
  by: {},
  either: { kind: "rounded", value: 1 },
  json: null
})

/** Decimals are equal digit for digit, and JSON has one zero. */
const textOf = ({ by, either, id, json, list, plain, price }: typeof Deep.Type) =>
  JSON.stringify(
    [id, price === undefined ? [] : [price.value, price.scale], plain, list, by, either, json],
    (_, value) => typeof value === "bigint" ? `${value}n` : value
  )

describe("digits", () => {
  it.effect.prop(
    "of any number come back from a peer, at any depth",
    { deep: Arbitrary.schema(Deep) },
    ({ deep }) =>
      Effect.gen(function*() {
        const client = yield* ledger
        assert.strictEqual(textOf(yield* client.echo({ deep })), textOf(deep))
      }),
    { arbitrary: { runs: 200 } }
  )

  it.effect.prop(
    "of a text are written as they were read",
    {
      sign: Schema.Literals(["", "-"]),
      digits: Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,60}$/)),
      zeros: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
    },
    ({ digits, sign, zeros }) =>
      Effect.gen(function*() {
        const client = yield* ledger
        const texts = [
          `${sign}${digits}`,
          `${sign}0.${digits}${"0".repeat(zeros)}`,
          `${sign}${digits}e${zeros}`,
          "-0",
          "1.0"
        ]
        for (const value of texts) {
          const { either } = yield* client.echo({ deep: { ...deep(0n), either: { kind: "exact", value } } })
          assert.deepStrictEqual(either, { kind: "exact", value })
        }
      }),
    { arbitrary: { runs: 30 } }
  )

  it.effect("of a decimal include the zeros at its end, and an exponent beyond doubles", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      yield* started(Effect.exit(
        Contract.make("Price", {
          set: Method.make({ params: { price: Digits.Decimal } })
        }).client(peer).set({ price: BigDecimal.make(1_500n, 3) })
      ))
      assert.include(JSON.stringify(yield* wire.take(1)), `"price":1.5`)
      const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Digits.Decimal))
      for (const text of ["0.10", "1.500", "100", "-0.001", "123456789.123456789012345678901234567890", "1e400"]) {
        const decimal = decode(ExactNumber.fromTextUnsafe(text))
        const written = JSON.stringify(Schema.encodeSync(Schema.toCodecJson(Digits.Decimal))(decimal))
        assert.strictEqual(written, text)
      }
    }))

  it.effect("of params by position, of a result by itself, and of an error", () =>
    Effect.gen(function*() {
      const client = yield* ledger
      assert.strictEqual(yield* client.whole([big, big]), 2n * big)
      assert.deepStrictEqual(yield* Effect.flip(client.pay({ amount: big })), new Short({ missing: big }))
    }))

  it.effect("of notifications", () =>
    Effect.gen(function*() {
      const client = yield* ledger
      yield* client.tell({ amount: big })
      assert.strictEqual(yield* client.told(), big)
    }))

  it.effect("of partial results and of items, however they travel", () =>
    Effect.gen(function*() {
      const client = yield* ledger
      const parts: Array<bigint> = []
      assert.strictEqual(yield* client.sum({ upTo: 2 }, { onPartialResult: (part) => parts.push(part) }), big)
      assert.deepStrictEqual(parts, [big, big + 1n])
      assert.deepStrictEqual(yield* Stream.runCollect(client.blocks({ from: big })), [big, big + 1n, big + 2n])
      assert.deepStrictEqual(yield* Stream.runCollect(client.heads({ from: big })), [big, big + 1n, big + 2n])
    }))

  it.effect("of each member of a batch that asks for them", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(live)
      const client = Ledger.client(peer)
      const [echo, plain, pay] = yield* Ledger.batch(client, (calls) => [
        calls.echo({ deep: deep(big % 2n ** 64n) }),
        calls.plain({ amount: 0.1 }),
        calls.pay({ amount: big })
      ])
      assert.deepStrictEqual(Result.map(echo, ({ id }) => id), Result.succeed(big))
      assert.deepStrictEqual(plain, Result.succeed(0.1))
      assert.deepStrictEqual(pay, Result.fail(new Short({ missing: big })))
    }))

  it.effect("are asked of a text that is answered by itself, and of a session", () =>
    Effect.gen(function*() {
      const text = `{"jsonrpc":"2.0","id":1,"method":"whole","params":[${big},1.0]}`
      const answer = `{"jsonrpc":"2.0","id":1,"result":${big + 1n}}`
      const router = yield* Router.Router
      assert.deepStrictEqual(yield* router.answer(text), Option.some(answer))
      const session = yield* Session.make({ router })
      assert.deepStrictEqual(yield* session.answer(text), Option.some(answer))
    }).pipe(Effect.provide(Router.layer(live))))
})

/** Of two members of a union that no literal tells apart, each may have the next. */
type Tree = { readonly left?: bigint; readonly next?: Tree } | { readonly right?: bigint; readonly next?: Tree }
const Tree: Schema.Codec<Tree, unknown> = Schema.Union([
  Schema.Struct({ left: Schema.optionalKey(Digits.UInt64), next: Schema.optionalKey(Schema.suspend(() => Tree)) }),
  Schema.Struct({ right: Schema.optionalKey(Digits.UInt64), next: Schema.optionalKey(Schema.suspend(() => Tree)) })
])

describe("a recursive union", () => {
  it("has as many Schemas at each level", () => {
    let places: ReadonlyArray<SchemaAST.AST> = [Places.jsonOf(Tree)]
    for (let level = 0; level < 10; level++) {
      const here = Places.matching(places, { next: {} })
      assert.lengthOf(here, 2)
      places = Places.inside(here, "next")
    }
  })
})

describe("other numbers", () => {
  it.effect("of a method with digits are doubles", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(live)
      yield* wire.send(
        `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"deep":{"id":1.0,"plain":0.10,"list":[1e2,"a"],"by":{"a":-0},"either":{"kind":"rounded","value":1.50},"json":[1.10,{"a":9007199254740993}]}}}`
      )
      assert.deepStrictEqual(yield* wire.take(1), [{
        jsonrpc: "2.0",
        id: 1,
        result: {
          ...{ id: 1, plain: 0.1, list: [100, "a"], by: { a: 0 }, either: { kind: "rounded", value: 1.5 } },
          json: [1.1, { a: 9_007_199_254_740_992 }]
        }
      }])
    }))

  it.effect("of a method without digits are never seen by their text", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(live)
      yield* wire.send(`{"jsonrpc":"2.0","id":1,"method":"plain","params":{"amount":1.50}}`)
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, result: 1.5 }])
    }))

  it.effect("that are no such integers are refused with their path", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(live)
      const wrong = ["1.5", "-1", "18446744073709551616", "1e5000", "1e-1", "\"1\"", `1${"0".repeat(Digits.longest)}`]
      for (const [index, from] of wrong.entries()) {
        yield* wire.send(`{"jsonrpc":"2.0","id":1,"method":"heads","params":{"from":${from}}}`)
        const answer = Object((yield* wire.take(index + 1))[index])
        assert.deepInclude(answer.error, { code: -32602 })
        assert.deepStrictEqual(answer.error.data[0].path, ["from"])
      }
    }))

  it.effect("are no integers where these would be longer than what can be written back", () =>
    Effect.sync(() => {
      const decode = Schema.decodeUnknownOption(Digits.BigInteger)
      const digits = (text: string) => decode(ExactNumber.fromTextUnsafe(text))
      const begun = "1".repeat(Digits.longest - Digits.largestExponent)
      assert.isTrue(Option.isSome(digits(`${begun}e${Digits.largestExponent}`)))
      for (const text of [`${begun}1e${Digits.largestExponent}`, `-1${begun}e${Digits.largestExponent}`]) {
        assert.deepStrictEqual(digits(text), Option.none())
      }
    }))

  it.effect("are refused where an exponent stands for more digits than it may, at once and with a reason", () =>
    Effect.sync(() => {
      for (const schema of [Digits.BigInteger, Digits.Int64, Digits.UInt64, Digits.Decimal]) {
        const decode = Schema.decodeUnknownResult<Schema.Decoder<unknown>>(schema)
        for (const exponent of ["513", "4000", "+999999999", "-513", "9".repeat(400)]) {
          for (const sign of ["", "-"]) {
            const outcome = decode(ExactNumber.fromTextUnsafe(`${sign}1e${exponent}`))
            assert.include(String(Result.getOrThrow(Result.flip(outcome))), `exponent`)
          }
        }
      }
      const integer = Schema.decodeUnknownSync(Digits.BigInteger)
      assert.strictEqual(integer(ExactNumber.fromTextUnsafe("-1.5E512")), -15n * 10n ** 511n)
    }))
})

describe("a decimal", () => {
  const codec = Schema.toCodecJson(Digits.Decimal)
  const decode = Schema.decodeUnknownOption(codec)

  it.effect.prop(
    "that can be read can be written, and is the same again",
    {
      whole: Schema.String.check(Schema.isPattern(/^-?(0|[1-9][0-9]{0,9})$/)),
      zeros: Schema.Literals([0, 1, 17, 400, 511, 512, 600, 3_600, 4_080]),
      fraction: Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/)),
      exponent: Schema.Literals(["", "e0", "e1", "e-1", "E17", "e-17", "e+400", "e-400", "e512", "e-512"])
    },
    ({ exponent, fraction, whole, zeros }) =>
      Effect.sync(() => {
        const text = `${whole}.${"0".repeat(zeros)}${fraction}${exponent}`
        const decimal = decode(ExactNumber.fromTextUnsafe(text))
        if (text.length <= Digits.longest - Digits.largestExponent) assert.isTrue(Option.isSome(decimal), text)
        if (Option.isNone(decimal)) return
        const { scale, value } = decimal.value
        const again = Option.getOrThrow(decode(Schema.encodeSync(codec)(decimal.value)))
        assert.deepStrictEqual([again.value, again.scale], [value, scale])
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect("is not written where its exponent could not be read", () =>
    Effect.gen(function*() {
      const { peer } = yield* calling()
      const Price = Contract.make("Price", { set: Method.make({ params: { price: Digits.Decimal } }) })
      const error = yield* Effect.flip(Price.client(peer).set({ price: BigDecimal.make(1n, -513) }))
      assert.strictEqual(error._tag, "InvalidArguments")
      assert.include(error.message, "exponent")
    }))
})

describe("a call", () => {
  it.effect("asks for digits where its contract does, and no other does", () =>
    Effect.gen(function*() {
      const asked: Array<boolean | undefined> = []
      const caller = Caller.make({
        request: (_, __, options) => Effect.sync(() => (asked.push(options?.exact), 1)),
        notify: () => Effect.void,
        batch: (members) =>
          Effect.sync(() => (asked.push(...members.map(({ exact }) => exact)), members.map(() => Result.succeed(1)))),
        listen: () => Effect.void,
        pause: () => () => {}
      })
      const client = Ledger.client(caller)
      yield* client.whole([])
      yield* client.plain({ amount: 1 })
      yield* Ledger.batch(client, (calls) => [calls.whole([]), calls.plain({ amount: 1 })])
      assert.deepStrictEqual(asked, [true, undefined, true, false])
    }))

  it.effect("that asks for digits by itself is given them", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const ask = yield* started(peer.request("a", undefined, { exact: true }))
      const leave = yield* started(peer.request("b"))
      yield* wire.take(2)
      yield* wire.send(
        `[{"jsonrpc":"2.0","id":2,"result":[1.10]},{"id":1,"jsonrpc":"2.0","result":{"__proto__":[9007199254740993,"\\u0061\\"",true,false,null,{ }, [ ]]}}]`
      )
      const result = yield* Fiber.join(ask)
      assert.strictEqual(JSON.stringify(result), `{"__proto__":[9007199254740993,"a\\"",true,false,null,{},[]]}`)
      assert.deepStrictEqual(yield* Fiber.join(leave), [1.1])
    }))
})
