/** A lenient contract leaves out what does not fit and may be left out, says so, and reads everything else as ever. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { Contract, Method, Notification, Subscription } from "../../src/index.ts"
import { calling, logging, notification, pair, quietly, serving, settle, started, success } from "../wire.ts"

const Symbol = Schema.Struct({
  name: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  kind: Schema.optional(Schema.Literals([1, 2])),
  range: Schema.Tuple([Schema.Finite, Schema.Finite]),
  line: Schema.optionalKey(Schema.TupleWithRest(Schema.Tuple([Schema.Finite]), [Schema.Finite])),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  by: Schema.Record(Schema.String, Schema.Finite),
  either: Schema.optionalKey(Schema.Union([
    Schema.Struct({ type: Schema.Literal("a"), a: Schema.optionalKey(Schema.Finite) }),
    Schema.Struct({ type: Schema.Literal("b"), b: Schema.Array(Schema.Date) })
  ]))
})

const Strict = Contract.make("Symbols", {
  list: Method.make({ params: { uri: Schema.optionalKey(Schema.String) }, result: Schema.Array(Symbol) }),
  one: Method.make({ result: Symbol }),
  few: Method.make({ result: Schema.Array(Schema.String).check(Schema.isMinLength(1)) }),
  items: Subscription.make({ item: Symbol }),
  told: Notification.make({ params: { uri: Schema.optionalKey(Schema.String), all: Schema.Array(Schema.Finite) } })
})

const Lenient = Contract.lenient(Strict)

const fits: typeof Symbol.Type = { name: "a", range: [1, 2], by: {} }

/** What a contract makes of a result. */
const reading = (contract: typeof Strict, member: "few" | "list" | "one", result: unknown) =>
  Effect.gen(function*() {
    const { peer, wire } = yield* calling()
    const client = contract.client(peer)
    const call: Effect.Effect<unknown, unknown> = member === "list" ? client.list({}) : client[member]()
    const fiber = yield* started(call)
    yield* wire.take(1)
    yield* wire.send(success(1, result))
    return yield* Fiber.await(fiber)
  })

const cases: ReadonlyArray<readonly [string, "few" | "list" | "one", unknown, unknown, string]> = [
  ["an optional member", "one", { ...fits, detail: null }, fits, ".detail: Expected string"],
  ["an optional member that may be undefined", "one", { ...fits, kind: 3 }, fits, ".kind"],
  ["an element", "list", [fits, null, fits], [fits, fits], "[1]"],
  ["an element of which something required does not fit", "list", [fits, { ...fits, name: 1 }], [fits], "[1]"],
  ["an element that lacks something", "list", [{ name: "a" }, fits], [fits], "[0]"],
  ["an element within what is optional", "one", { ...fits, tags: ["a", 1] }, { ...fits, tags: ["a"] }, ".tags[1]"],
  ["an entry of a record", "one", { ...fits, by: { a: 1, b: "2" } }, { ...fits, by: { a: 1 } }, ".by.b"],
  ["what a tuple is in", "list", [{ ...fits, range: [1, "2"] }, fits], [fits], "[0]"],
  ["a tuple, and not an element of it", "one", { ...fits, line: ["0", 1, 2] }, fits, ".line"],
  ["an element behind a tuple", "one", { ...fits, line: [0, "1", 2] }, { ...fits, line: [0, 2] }, ".line[1]"],
  ["a member of a union that its literal names", "one", { ...fits, either: { type: "a", a: null } }, {
    ...fits,
    either: { type: "a" }
  }, ".either.a"],
  ["a union of which no member fits", "one", { ...fits, either: { type: "c" } }, fits, ".either"],
  ["several places at once", "list", [{ ...fits, detail: 1, by: { a: null } }, 2], [fits], "; "]
]

describe("a lenient reading leaves out", () => {
  for (const [what, member, result, expected, place] of cases) {
    it.effect(what, () =>
      logging((lines) =>
        Effect.gen(function*() {
          assert.isTrue(Exit.isFailure(yield* reading(Strict, member, result)))
          assert.deepStrictEqual(yield* reading(Lenient, member, result), Exit.succeed(expected))
          assert.strictEqual(lines.length, 1)
          assert.include(lines[0], `the response to ${member} does not fit the contract, and this is left out: `)
          assert.include(lines[0], place)
        })
      ))
  }

  it.effect("not what is required, nor all that a check requires", () =>
    Effect.gen(function*() {
      assert.isTrue(Exit.isFailure(yield* reading(Lenient, "one", { ...fits, name: null })))
      assert.isTrue(Exit.isFailure(yield* reading(Lenient, "few", [1])))
      assert.deepStrictEqual(yield* reading(Lenient, "few", [1, "a"]), Exit.succeed(["a"]))
    }).pipe(quietly))

  it.effect("no element where that is refused", () =>
    Effect.gen(function*() {
      const Kept = Contract.lenient(Strict, { elements: "refuse" })
      assert.isTrue(Exit.isFailure(yield* reading(Kept, "list", [fits, null])))
      assert.deepStrictEqual(yield* reading(Kept, "list", [{ ...fits, detail: 1 }]), Exit.succeed([fits]))
    }).pipe(quietly))

  it.effect("what does not fit, in one line without what drives a terminal or is hidden", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const key = "k\u001b]0;t\u0007\u009b2J\u202e\u200b\u2028\n[00:00:00.000] INFO (#1): forged"
        const exit = yield* reading(Lenient, "one", { ...fits, by: { [key]: key } })
        assert.deepStrictEqual(exit, Exit.succeed({ ...fits, by: {} }))
        assert.strictEqual(lines.length, 1)
        assert.notMatch(lines[0] ?? "", /[\p{C}\p{Zl}\p{Zp}]/u)
        assert.include(lines[0], ".k\\u001b]0;t\\u0007\\u009b2J\\u202e\\u200b\\u2028\\u000a[00:00:00.000] INFO")
        const refused = yield* reading(Strict, "one", { ...fits, by: { [key]: key } })
        assert.isTrue(Exit.isFailure(refused))
        assert.notMatch(JSON.stringify(refused), /[\u202e\u200b\u2028\u009b]/)
      })
    ))

  it.effect("what does not fit of items and of params", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const items = Lenient.client(
          (yield* pair(Strict.toLayer({
            list: () => Effect.succeed([]),
            one: () => Effect.die("unused"),
            few: () => Effect.succeed([]),
            items: () => Stream.die("unused"),
            told: () => Effect.void
          }))).peer
        )
        assert.isFunction(items.items)
        const heard: Array<unknown> = []
        const { wire } = yield* serving(Lenient.toLayer({
          list: () => Effect.succeed([]),
          one: () => Effect.die("unused"),
          few: () => Effect.succeed([]),
          items: () => Stream.empty,
          told: (params) => Effect.sync(() => heard.push(params))
        }))
        yield* wire.send(notification("told", { uri: null, all: [1, "2", 3] }))
        yield* settle
        assert.deepStrictEqual(heard, [{ all: [1, 3] }])
        const { peer, wire: server } = yield* calling()
        const stream = yield* started(Stream.runCollect(Lenient.client(peer).items()))
        yield* server.take(1)
        yield* server.send(success(1, [{ ...fits, detail: 5 }]))
        assert.deepStrictEqual(yield* Fiber.join(stream), [fits])
        assert.strictEqual(lines.length, 2)
      })
    ))

  it.effect("and names the first few of many places, in a line of bounded length", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const result = Array.from({ length: 1_000 }, () => ({ ...fits, name: null, ["x".repeat(10_000)]: 1 }))
        assert.deepStrictEqual(yield* reading(Lenient, "list", result), Exit.succeed([]))
        assert.include(lines[0], "and 992 more")
        assert.isBelow(String(lines[0]).length, 2_500)
      })
    ))
})

describe("what fits", () => {
  it.effect.prop("is read as the strict contract reads it, and nothing is said", {
    symbols: Arbitrary.schema(Schema.Array(Symbol))
  }, ({ symbols }) =>
    logging((lines) =>
      Effect.gen(function*() {
        const live = (contract: typeof Strict) =>
          contract.toLayer({
            list: () => Effect.succeed(symbols),
            one: () => Effect.die("unused"),
            few: () => Effect.succeed([]),
            items: () => Stream.empty,
            told: () => Effect.void
          })
        const { peer } = yield* pair(live(Lenient))
        assert.deepStrictEqual(yield* Lenient.client(peer).list({}), yield* Strict.client(peer).list({}))
        assert.deepStrictEqual(lines, [])
      })
    ))

  it.effect.prop(
    "is kept, whatever stands beside it",
    { symbols: Arbitrary.schema(Schema.Array(Symbol)), junk: Arbitrary.schema(Schema.Json), at: Schema.Int },
    ({ at, junk, symbols }) =>
      Effect.gen(function*() {
        const decode = Schema.decodeUnknownExit(Schema.toCodecJson(Schema.Array(Symbol)))
        if (Exit.isSuccess(decode([junk]))) return
        const json = Schema.encodeSync(Schema.toCodecJson(Schema.Array(Symbol)))(symbols)
        assert.isArray(json)
        const among = [...Object(json)].toSpliced(at % (symbols.length + 1), 0, junk)
        const read = yield* reading(Lenient, "list", among)
        // The junk may fit after something optional was left out of it.
        assert.isTrue(Exit.isSuccess(read))
        const kept = decode(JSON.parse(JSON.stringify(json)))
        assert.isTrue(Exit.isSuccess(kept))
        if (Exit.isSuccess(read) && Exit.isSuccess(kept) && !isObject(junk)) {
          assert.deepStrictEqual(read.value, kept.value)
        }
      }).pipe(quietly),
    { arbitrary: { runs: 50 } }
  )
})

const isObject = (json: Schema.Json): boolean => typeof json === "object" && json !== null
