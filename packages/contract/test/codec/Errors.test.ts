/** Typed errors between their classes and error objects: the code is the tag. */
import { assert, describe, it } from "@effect/vitest"
import { ErrorResponse, Peer, Router } from "@parley/peer"
import { ExactNumber } from "@parley/protocol/shared"
import { MemoryTransport } from "@parley/transport"
import { Arbitrary, Cause, Context, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { Contract, Method } from "../../src/index.ts"
import { calling, failure, logging, pair, quietly, request, serving, settle, started } from "../wire.ts"

class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {}

class Frozen extends Schema.TaggedError<Frozen>()("Frozen", {}) {}

class Detailed extends Schema.TaggedError<Detailed>()("Detailed", {
  at: Schema.Date,
  message: Schema.String,
  note: Schema.optionalKey(Schema.String),
  tries: Schema.BigInt
}, { description: "Something in detail" }) {}

class Overdrawn extends Insufficient.extend<Overdrawn>("Overdrawn")({ limit: Schema.Finite }) {}

class Untagged extends Schema.Error<Untagged>("Untagged")({ reason: Schema.String }) {}

class Busy extends Schema.TaggedError<Busy>()("Busy", { until: Schema.Finite }) {}

class NotThere extends Schema.TaggedError<NotThere>()("NotThere", {}) {}

const Plain = Schema.Struct({ kind: Schema.Literals(["a", "b"]), at: Schema.Date })

const Either = Schema.Union([Insufficient, Busy])

const errors = {
  1001: Insufficient,
  1002: Frozen,
  1003: Method.error(Detailed, "In detail"),
  1004: Overdrawn,
  1005: Untagged,
  1006: Plain,
  1007: Schema.suspend(() => Busy),
  [-32601]: NotThere
}

const Failing = Contract.make("Failing", {
  fail: Method.make({ params: { how: Schema.String }, result: Schema.Finite, errors }),
  either: Method.make({ result: Schema.Finite, errors: { 1: Either } }),
  described: Method.make({ errors: { 1: Detailed } }),
  nothing: Method.make()
})

const at = new Date(0)

/** Every declared error, and its error object. */
const declared: ReadonlyArray<readonly [string, Method.ErrorOf<typeof errors>, object]> = [
  ["fields without the tag", new Insufficient({ balance: 5 }), {
    code: 1001,
    message: "Insufficient",
    data: { balance: 5 }
  }],
  ["no fields as no data", new Frozen(), { code: 1002, message: "Frozen" }],
  ["transformed and absent fields, and the declared message", new Detailed({ at, message: "own", tries: 2n }), {
    code: 1003,
    message: "In detail",
    data: { at: at.toISOString(), message: "own", tries: "2" }
  }],
  ["a class that extends another one", new Overdrawn({ balance: 1, limit: 2 }), {
    code: 1004,
    message: "Insufficient",
    data: { balance: 1, limit: 2 }
  }],
  ["a class without a tag", new Untagged({ reason: "why" }), {
    code: 1005,
    message: "Application error",
    data: { reason: "why" }
  }],
  ["a struct", { kind: "a", at }, {
    code: 1006,
    message: "Application error",
    data: { kind: "a", at: at.toISOString() }
  }],
  ["a Schema that is made late", new Busy({ until: 3 }), { code: 1007, message: "Busy", data: { until: 3 } }],
  ["a code that is also the protocol's", new NotThere(), { code: -32601, message: "NotThere" }]
]

const failingWith = (error: Method.ErrorOf<typeof errors> | ErrorResponse.ErrorResponse) =>
  Failing.toLayer({
    fail: () => Effect.fail(error),
    either: () => Effect.fail(new Busy({ until: 1 })),
    described: () => Effect.fail(new Detailed({ at, message: "own", tries: 1n })),
    nothing: () => Effect.void
  })

/** What a client's call fails with when it is answered by this error object. */
const answered = (code: number, message: string, data?: unknown) =>
  Effect.gen(function*() {
    const { peer, wire } = yield* calling()
    const call = yield* started(Effect.flip(Failing.client(peer).fail({ how: "so" })))
    yield* wire.take(1)
    yield* wire.send(failure(1, code, message, data))
    return yield* Fiber.join(call)
  })

describe("a typed error", () => {
  for (const [what, error, object] of declared) {
    it.effect(`has on the wire ${what}`, () =>
      Effect.gen(function*() {
        const { wire } = yield* serving(failingWith(error))
        yield* wire.send(request(1, "fail", { how: "so" }))
        assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, error: object }])
      }))

    it.effect(`comes from a peer to a peer: ${what}`, () =>
      Effect.gen(function*() {
        const { peer } = yield* pair(failingWith(error))
        const failed = yield* Effect.flip(Failing.client(peer).fail({ how: "so" }))
        assert.deepStrictEqual(failed, error)
        assert.strictEqual(Object(failed).constructor, Object(error).constructor)
      }))
  }

  it.effect("is read from the plain data of any server", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* answered(1001, "no money", { balance: 5, more: [1] }),
        new Insufficient({ balance: 5 })
      )
      assert.deepStrictEqual(yield* answered(1002, "ice"), new Frozen())
      assert.deepStrictEqual(yield* answered(1002, "ice", null), new Frozen())
      assert.deepStrictEqual(yield* answered(1002, "ice", { _tag: "Other" }), new Frozen())
      assert.deepStrictEqual(yield* answered(1006, "", { kind: "b", at: at.toISOString() }), { kind: "b", at })
    }))

  it.effect("is described by its Schema, where its contract says no more", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(failingWith(new Frozen()))
      yield* wire.send(request(1, "described"))
      assert.strictEqual(Object((yield* wire.take(1))[0]).error.message, "Something in detail")
    }))

  it.effect("keeps its tag where several share a code", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(failingWith(new Frozen()))
      yield* wire.send(request(1, "either"))
      assert.deepStrictEqual(Object((yield* wire.take(1))[0]).error, {
        code: 1,
        message: "Application error",
        data: { _tag: "Busy", until: 1 }
      })
      const { peer } = yield* pair(failingWith(new Frozen()))
      assert.deepStrictEqual(yield* Effect.flip(Failing.client(peer).either()), new Busy({ until: 1 }))
    }))

  it.effect.prop(
    "of any value is read as it was written",
    { error: Schema.Union([Insufficient, Frozen, Detailed, Overdrawn, Untagged, Plain, Busy]) },
    ({ error }) =>
      Effect.gen(function*() {
        const { peer } = yield* pair(failingWith(error))
        assert.deepStrictEqual(yield* Effect.flip(Failing.client(peer).fail({ how: "so" })), error)
      }),
    { arbitrary: { runs: 50 } }
  )
})

describe("errors", () => {
  it("are declared by a code that can be on the wire", () => {
    for (const code of ["gone", "1.5", "1e99"]) {
      const broken = Method.make({ errors: { [code as "1"]: Frozen } })
      assert.throws(
        () => Contract.make("Broken", { broken }),
        `contract Broken, member broken: the key of an error is its code, and "${code}" is no integer`
      )
    }
  })
})

describe("any other error", () => {
  it.effect.prop(
    "is a RemoteError with code, message and data untouched",
    {
      code: Schema.Union([Schema.Int, Schema.Literals([1001, 1003, 1005, 1006, -32601])]),
      message: Schema.String,
      data: Arbitrary.schema(Schema.Json)
    },
    ({ code, data, message }) =>
      Effect.gen(function*() {
        const error = Object(yield* answered(code, message, data))
        // Some of what is generated fits by chance.
        if (error._tag !== "RemoteError") return assert.deepInclude([1001, 1002, 1003, 1005, 1006, -32601], code)
        // As a text in between has it.
        const text = ExactNumber.parseUnsafe(JSON.stringify({ code, message, data }))
        assert.deepStrictEqual({ code: error.code, message: error.text, data: error.data }, text)
      }),
    { arbitrary: { runs: 60 } }
  )

  it.effect("is one whose code is declared and whose data does not fit", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [number, unknown]> = [
        [1001, { balance: "5" }],
        [1001, undefined],
        [1001, null],
        [1001, 5],
        [1002, "ice"],
        [1002, [1]],
        [1002, false],
        [1005, undefined],
        [-32601, "fail"],
        [-32602, [{ path: [], message: "no" }]]
      ]
      for (const [code, data] of cases) {
        const error = yield* answered(code, "why", data)
        assert.deepInclude(error, { _tag: "RemoteError", code, text: "why" })
        assert.deepStrictEqual(Object(error).data, data)
      }
    }))

  it.effect("is the same in a contract without errors", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const call = yield* started(Effect.flip(Failing.client(peer).nothing()))
      yield* wire.send(failure(1, 1001, "no", { balance: 5 }))
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RemoteError", code: 1001, data: { balance: 5 } })
    }))
})

describe("a handler that fails", () => {
  const outcomes = (error: unknown) =>
    Effect.gen(function*() {
      // What a handler without types may do.
      const { wire } = yield* serving(failingWith(error as never))
      yield* wire.send(request(1, "fail", { how: "so" }))
      return Object((yield* wire.take(1))[0]).error
    })

  it.effect("with an error object answers it as it is, whatever its code", () =>
    Effect.gen(function*() {
      const error = ErrorResponse.make(1001, "mine", { _tag: "kept" })
      assert.deepStrictEqual(yield* outcomes(error), { code: 1001, message: "mine", data: { _tag: "kept" } })
    }))

  it.effect("promise 15: a defect answers -32603 without data, and so does an error that the contract has not", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const internal = { code: -32603, message: "Internal error" }
        assert.deepStrictEqual(yield* outcomes(new Error("secret")), internal)
        assert.deepStrictEqual(yield* outcomes("secret"), internal)
        assert.deepStrictEqual(yield* outcomes({ _tag: "Insufficient", balance: 5 }), internal)
        assert.deepStrictEqual(yield* outcomes({ kind: "a", at: new Date(Number.NaN) }), internal)
        yield* settle
        assert.strictEqual(lines.length, 4)
        assert.isTrue(
          lines.every((line) => /^the handler of \w+ \(id \d+\) answered -32603 Internal error$/.test(line))
        )
      })
    ))

  it.effect("promise 15: a defect answers -32603 without data, thrown or died of, and so does what is no Effect", () =>
    Effect.gen(function*() {
      const handlers = {
        fail: () => {
          throw new Insufficient({ balance: 5 })
        },
        either: () => Effect.die(new Busy({ until: 1 })),
        described: () => Effect.interrupt,
        // What a handler without types may do.
        nothing: () => undefined as unknown as Effect.Effect<void>
      }
      const { wire } = yield* serving(Failing.toLayer(handlers))
      const methods = ["fail", "either", "described", "nothing"]
      for (const [id, method] of methods.entries()) yield* wire.send(request(id, method, { how: "so" }))
      for (const reply of yield* wire.take(4)) {
        assert.deepStrictEqual(Object(reply).error, { code: -32603, message: "Internal error" })
      }
    }).pipe(quietly))

  it.effect("and dies, too, answers the failure", () =>
    Effect.gen(function*() {
      const both = Effect.failCause(Cause.combine(Cause.fail(new Frozen()), Cause.die("too")))
      const { wire } = yield* serving(Failing.toLayer({
        fail: () => both,
        either: () => Effect.succeed(1),
        described: () => Effect.void,
        nothing: () => Effect.void
      }))
      yield* wire.send(request(1, "fail", { how: "so" }))
      assert.deepStrictEqual(Object((yield* wire.take(1))[0]).error, { code: 1002, message: "Frozen" })
    }).pipe(quietly))

  it.effect("at once or later is the same", () =>
    Effect.gen(function*() {
      const later = (error: Method.ErrorOf<typeof errors>) => Effect.andThen(Effect.yieldNow, Effect.fail(error))
      for (const [, error, object] of declared) {
        const { wire } = yield* serving(Failing.toLayer({
          fail: ({ how }) => how === "at once" ? Exit.fail(error) : later(error),
          either: () => Effect.succeed(1),
          described: () => Effect.void,
          nothing: () => Effect.void
        }))
        yield* wire.send(request(1, "fail", { how: "at once" }), request(2, "fail", { how: "later" }))
        for (const reply of yield* wire.take(2)) assert.deepStrictEqual(Object(reply).error, object)
      }
    }))
})

describe("the message of a typed error", () => {
  class NoSuchRoom extends Schema.TaggedError<NoSuchRoom>()("NoSuchRoom", { room: Schema.String }) {}
  class Silent extends Schema.TaggedError<Silent>()("Silent", {}) {}
  class Spoken extends Schema.TaggedError<Spoken>()("Spoken", { room: Schema.String }) {
    override get message() {
      return `no room ${this.room}`
    }
  }

  it.effect("is the one that is declared for the wire, unless its class has its own", () =>
    Effect.gen(function*() {
      const Rooms = Contract.make("Rooms", {
        enter: Method.make({
          params: { which: Schema.Int },
          errors: {
            1: Method.error(NoSuchRoom, "There is no such room"),
            2: Silent,
            3: Method.error(Spoken, "No room")
          }
        })
      })
      const errors = [new NoSuchRoom({ room: "a" }), new Silent(), new Spoken({ room: "b" })] as const
      const handlers = Rooms.toLayer({ enter: ({ which }) => Effect.fail(errors[which] ?? errors[0]) })
      const [near, far] = yield* MemoryTransport.makePair()
      const router = Context.get(yield* Layer.build(Router.layer(handlers)), Router.Router)
      yield* Peer.make(far, { router })
      const { enter } = Rooms.client(yield* Peer.make(near))
      const came = yield* Effect.forEach([0, 1, 2], (which) => Effect.flip(enter({ which })))
      assert.deepStrictEqual(came, [...errors])
      assert.deepStrictEqual(came.map(({ message }) => message), ["There is no such room", "", "no room b"])
    }))
})
