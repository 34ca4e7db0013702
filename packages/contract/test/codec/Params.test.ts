/** Params between their types and the wire. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Exit, Fiber, Schema } from "effect"
import { Contract, Method, Notification, Subscription } from "../../src/index.ts"
import * as ParamsCodec from "../../src/internal/codec/params.ts"
import type { Params } from "../../src/shared/index.ts"
import { calling, failure, notification, parsed, request, serving, settle, started, success } from "../wire.ts"

const point = { x: Schema.Finite, y: Schema.Finite, label: Schema.optionalKey(Schema.String) }

class Origin extends Schema.Class<Origin>("Origin")({ at: Schema.Date, of: Schema.String }) {}

const Shapes = Contract.make("Shapes", {
  either: Method.make({ params: point, result: Schema.Json }),
  byName: Method.make({ params: point, paramStructure: "by-name", result: Schema.Json }),
  byPosition: Method.make({ params: point, paramStructure: "by-position", result: Schema.Json }),
  gap: Method.make({
    params: { first: Schema.optionalKey(Schema.Finite), last: Schema.Finite },
    paramStructure: "by-position",
    result: Schema.Json
  }),
  undefinable: Method.make({
    params: { first: Schema.optional(Schema.Finite), last: Schema.Finite },
    paramStructure: "by-position",
    result: Schema.Json
  }),
  tuple: Method.make({ params: [Schema.Date, Schema.optionalKey(Schema.Finite)], result: Schema.Json }),
  struct: Method.make({ params: Schema.Struct(point), paramStructure: "by-position", result: Schema.Json }),
  origin: Method.make({ params: Origin, result: Schema.Json }),
  renamed: Method.make({
    params: Schema.Struct({ name: Schema.String }).pipe(Schema.encodeKeys({ name: "full_name" })),
    result: Schema.Json
  }),
  union: Method.make({
    params: Schema.Union([Schema.Struct({ a: Schema.Finite }), Schema.Struct({ b: Schema.String })]),
    result: Schema.Json
  }),
  record: Method.make({ params: Schema.Record(Schema.String, Schema.Finite), result: Schema.Json }),
  list: Method.make({ params: Schema.Array(Schema.Finite), result: Schema.Json }),
  text: Method.make({ params: Schema.NullOr(Schema.Struct({ a: Schema.Finite })), result: Schema.Json }),
  defaults: Method.make({
    params: { a: Schema.Finite, b: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(7))) },
    result: Schema.Json
  }),
  nothing: Method.make({ result: Schema.Json }),
  empty: Method.make({ params: {}, result: Schema.Json }),
  note: Notification.make({ params: point, paramStructure: "by-position" }),
  sub: Subscription.make({ params: point, paramStructure: "by-position", item: Schema.Finite })
})

/** What each handler was given. */
const recording = () => {
  const seen: Array<unknown> = []
  const keep = (params: unknown) => Effect.as(Effect.sync(() => void seen.push(params)), "ok")
  const handlers = Object.fromEntries(Object.keys(Shapes.members).map((name) => [name, keep]))
  // Each handler takes whatever its member gives it.
  const layer = Shapes.toLayer(handlers as unknown as Contract.Handlers<Contract.MembersOf<typeof Shapes>>)
  return { seen, layer: layer as never }
}

/** What a client writes. */
const written = (
  call: (client: Contract.Client<Contract.MembersOf<typeof Shapes>>) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function*() {
    const { peer, wire } = yield* calling()
    const fiber = yield* started(call(Shapes.client(peer)))
    yield* settle
    yield* Fiber.interrupt(fiber)
    return wire.received.map((text) => Object(text).params)[0]
  })

/** Params of a method, and what its handler takes or the other side is answered. */
const received = (method: string, params: unknown) =>
  Effect.gen(function*() {
    const { layer, seen } = recording()
    const { wire } = yield* serving(layer)
    yield* wire.send(request(1, method, params))
    const [reply] = yield* wire.take(1)
    return seen.length > 0 ? { took: seen[0] } : { refused: Object(reply).error }
  })

const invalidParams = (
  ...issues: ReadonlyArray<{ readonly path: ReadonlyArray<unknown>; readonly message: string }>
) => ({
  refused: { code: -32602, message: "Invalid params", data: issues }
})

describe("a client sends params", () => {
  it.effect("by name, unless the contract says by position", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* written((c) => c.either({ y: 2, x: 1 })), { x: 1, y: 2 })
      assert.deepStrictEqual(yield* written((c) => c.byName({ x: 1, y: 2, label: "p" })), { x: 1, y: 2, label: "p" })
      assert.deepStrictEqual(yield* written((c) => c.byPosition({ label: "p", y: 2, x: 1 })), [1, 2, "p"])
      assert.deepStrictEqual(yield* written((c) => c.struct({ x: 1, y: 2 })), [1, 2])
      assert.deepStrictEqual(yield* written((c) => c.note({ y: 2, x: 1 })), [1, 2])
      const { peer, wire } = yield* calling()
      yield* started(
        Effect.ignore(Effect.scoped(Effect.flatMap(Effect.succeed(Shapes.client(peer)), (c) => c.nothing())))
      )
      assert.deepStrictEqual(yield* wire.take(1), [parsed(request(1, "nothing"))])
    }))

  it.effect("as the JSON of their Schema", () =>
    Effect.gen(function*() {
      const at = new Date(0)
      assert.deepStrictEqual(yield* written((c) => c.tuple([at])), [at.toISOString()])
      assert.deepStrictEqual(yield* written((c) => c.tuple([at, 1])), [at.toISOString(), 1])
      assert.deepStrictEqual(yield* written((c) => c.origin(new Origin({ at, of: "all" }))), {
        at: at.toISOString(),
        of: "all"
      })
      assert.deepStrictEqual(yield* written((c) => c.renamed({ name: "n" })), { full_name: "n" })
      assert.deepStrictEqual(yield* written((c) => c.union({ b: "b" })), { b: "b" })
      assert.deepStrictEqual(yield* written((c) => c.record({ one: 1 })), { one: 1 })
      assert.deepStrictEqual(yield* written((c) => c.list([1, 2])), [1, 2])
      assert.deepStrictEqual(yield* written((c) => c.empty({})), {})
      assert.deepStrictEqual(yield* written((c) => c.undefinable({ first: undefined, last: 1 })), [null, 1])
    }))

  it.effect("or nothing at all, when they do not fit", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const client = Shapes.client(peer)
      const misfit = "no number" as unknown as number
      const calls: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
        ["either", client.either({ x: misfit, y: 1 })],
        ["note", client.note({ x: misfit, y: 1 })],
        ["gap", client.gap({ last: 1 })],
        ["origin", client.origin({ at: new Date(0), of: "no instance" })],
        ["text", client.text(null)],
        ["list", client.list([Number.NaN])]
      ]
      for (const [method, call] of calls) {
        assert.deepInclude(yield* Effect.flip(call), { _tag: "InvalidArguments", method })
      }
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }))
})

describe("a server takes params", () => {
  it.effect("by name and by position where the contract leaves it open", () =>
    Effect.gen(function*() {
      for (const method of ["either", "empty", "defaults"]) {
        assert.property(yield* received(method, method === "empty" ? [] : [1, 2]), "took")
      }
      assert.deepStrictEqual(yield* received("either", { y: 2, x: 1 }), { took: { x: 1, y: 2 } })
      assert.deepStrictEqual(yield* received("either", [1, 2, "p"]), { took: { x: 1, y: 2, label: "p" } })
      assert.deepStrictEqual(yield* received("defaults", [1]), { took: { a: 1, b: 7 } })
      assert.deepStrictEqual(yield* received("struct", [1, 2]), { took: { x: 1, y: 2 } })
      assert.deepStrictEqual(yield* received("undefinable", [null, 1]), { took: { first: undefined, last: 1 } })
    }))

  it.effect("only as the contract says where it does", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* received("byName", [1, 2]),
        invalidParams({ path: [], message: "params must be an object" })
      )
      assert.deepStrictEqual(
        yield* received("byPosition", { x: 1, y: 2 }),
        invalidParams({ path: [], message: "params must be an array" })
      )
      assert.deepStrictEqual(yield* received("byName", { x: 1, y: 2 }), { took: { x: 1, y: 2 } })
      assert.deepStrictEqual(yield* received("byPosition", [1, 2]), { took: { x: 1, y: 2 } })
    }))

  it.effect("and names every issue with its path", () =>
    Effect.gen(function*() {
      const missing = { path: ["y"], message: "Missing key" }
      assert.deepStrictEqual(yield* received("either", { x: 1 }), invalidParams(missing))
      assert.deepStrictEqual(yield* received("either", [1]), invalidParams(missing))
      assert.deepStrictEqual(
        yield* received("either", [1, 2, "p", 4]),
        invalidParams({ path: [], message: "there are at most 3 params" })
      )
      assert.deepInclude(Object(yield* received("tuple", [0])).refused, { code: -32602 })
      assert.deepStrictEqual(Object(yield* received("tuple", [0])).refused.data[0].path, [0])
      assert.deepStrictEqual(Object(yield* received("list", [1, "2"])).refused.data[0].path, [1])
      assert.deepStrictEqual(Object(yield* received("sub", [1, "2"])).refused.data[0].path, ["y"])
    }))

  it.effect("that are absent as empty ones", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* received("list", undefined), { took: [] })
      assert.deepStrictEqual(yield* received("record", undefined), { took: {} })
      assert.deepStrictEqual(yield* received("empty", undefined), { took: {} })
      assert.deepStrictEqual(
        yield* received("tuple", undefined),
        invalidParams({ path: [0], message: "Missing key" })
      )
      for (const method of ["either", "byName", "byPosition"]) {
        assert.strictEqual(Object(yield* received(method, undefined)).refused.data[0].message, "Missing key")
      }
    }))

  it.effect("of any kind but positions where there are none", () =>
    Effect.gen(function*() {
      for (const params of [undefined, {}, [], { workDoneToken: 1 }]) {
        assert.deepStrictEqual(yield* received("nothing", params), { took: undefined })
      }
      assert.deepStrictEqual(
        yield* received("nothing", [1]),
        invalidParams({ path: [], message: "this method takes no params" })
      )
    }))

  it.effect("of a notification, and drops those that do not fit", () =>
    Effect.gen(function*() {
      const { layer, seen } = recording()
      const { wire } = yield* serving(layer)
      yield* wire.send(notification("note", [1]), notification("note", { x: 1, y: 2 }), notification("note", [1, 2]))
      yield* settle
      assert.deepStrictEqual(seen, [{ x: 1, y: 2 }])
      assert.deepStrictEqual(wire.received, [])
    }))
})

/** Fields of all kinds: required, optional and transformed. */
const fields = {
  id: Schema.Finite,
  at: Schema.Date,
  bytes: Schema.Uint8Array,
  maybe: Schema.NullOr(Schema.String),
  nested: Schema.Struct({ tags: Schema.Array(Schema.String), big: Schema.BigInt }),
  note: Schema.optionalKey(Schema.String),
  last: Schema.optionalKey(Schema.Finite)
}

const codecOf = (params: Params.Params, paramStructure: Params.ParamStructure) =>
  ParamsCodec.make("m", { params, paramStructure })

describe("by name and by position", () => {
  it.effect.prop(
    "mean the same, and an encoded value decodes to itself",
    { value: Schema.Struct(fields) },
    ({ value }) =>
      Effect.gen(function*() {
        const [named, positional] = [codecOf(fields, "by-name"), codecOf(fields, "by-position")]
        const byName = yield* named.encode(value)
        assert.isFalse(Array.isArray(byName))
        const either = codecOf(fields, "either")
        for (const codec of [named, either]) assert.deepStrictEqual(yield* codec.decode(byName), value)
        const byPosition = yield* Effect.exit(positional.encode(value))
        // What is left out by position must come last.
        if (value.note === undefined && value.last !== undefined) {
          assert.isTrue(Exit.isFailure(byPosition))
          return
        }
        const positions = yield* byPosition
        assert.isTrue(Array.isArray(positions))
        for (const codec of [positional, either]) assert.deepStrictEqual(yield* codec.decode(positions), value)
      })
  )

  it.effect.prop(
    "stand in the order of their declaration, whatever they are called",
    {
      names: Arbitrary.map(
        Arbitrary.array(Arbitrary.schema(Schema.Union([
          Schema.String,
          Schema.Literals(["__proto__", "constructor", "toString", "length", "then", "_tag", "fields", "ast"])
        ]))),
        (names) => [...new Set(names)].filter((name) => !/^(0|[1-9]\d*)$/.test(name))
      )
    },
    ({ names }) =>
      Effect.gen(function*() {
        const declared = Object.fromEntries(names.map((name) => [name, Schema.Finite]))
        const value = Object.fromEntries(names.map((name, index) => [name, index]).toReversed())
        const positions = names.map((_, index) => index)
        const codec = codecOf(declared, "by-position")
        assert.deepStrictEqual(yield* codec.encode(value), positions)
        assert.deepStrictEqual(yield* codec.decode(positions), value)
        assert.deepStrictEqual(yield* codecOf(declared, "by-name").decode(value as never), value)
      })
  )
})

describe("names that are whole numbers", () => {
  it.effect("come first, as in every object", () =>
    Effect.gen(function*() {
      const declared = { b: Schema.Finite, 2: Schema.Finite, a: Schema.Finite, 1: Schema.Finite, "01": Schema.Finite }
      const value = { b: 30, 2: 20, a: 40, 1: 10, "01": 50 }
      assert.deepStrictEqual(yield* codecOf(declared, "by-position").encode(value), [10, 20, 30, 40, 50])
    }))
})

describe("a call without params", () => {
  it.effect("has no `params` on the wire, and a result like any other", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const call = yield* started(Shapes.client(peer).nothing())
      assert.isFalse(Object.hasOwn(Object((yield* wire.take(1))[0]), "params"))
      yield* wire.send(success(1, [1]))
      assert.deepStrictEqual(yield* Fiber.join(call), [1])
    }))

  it.effect("and its failure too", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const call = yield* started(Effect.flip(Shapes.client(peer).nothing()))
      yield* wire.send(failure(1, 1, "no", { a: 1 }))
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RemoteError", code: 1, text: "no", data: { a: 1 } })
    }))
})
