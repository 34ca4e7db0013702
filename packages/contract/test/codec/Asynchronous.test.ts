/** Schemas that take time, and ask for no services: on both sides, in every place of a contract. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, type Layer, Result, Schema, SchemaGetter, SchemaIssue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Contract, Method, Notification, Subscription } from "../../src/index.ts"
import * as Mapped from "../../src/internal/codec/mapped.ts"
import { calling, failure, pair, parsed, request, serving, settle, started, success } from "../wire.ts"

const second = Effect.sleep("1 second")

/** Decodes and encodes in a second, and refuses the empty string. */
const slow = (prefix: string) =>
  Schema.String.pipe(Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transformEffect((text: string) =>
      text === ""
        ? Effect.andThen(second, Effect.fail(new SchemaIssue.InvalidValue({ _tag: "Some", value: text })))
        : Effect.as(second, text.slice(prefix.length))
    ),
    encode: SchemaGetter.transformEffect((text: string) =>
      text === "unwritable"
        ? Effect.andThen(second, Effect.fail(new SchemaIssue.InvalidValue({ _tag: "Some", value: text })))
        : Effect.as(second, `${prefix}${text}`)
    )
  }))

const Name = slow("name:")

class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { name: Name }) {}

const Greeter = Contract.make("Slow/Greeter", {
  greet: Method.make({ params: { name: Name }, result: slow("result:"), errors: { 1001: Unknown } }),
  place: Method.make({ params: { name: Name, at: Schema.Finite }, paramStructure: "by-position", result: Schema.Json }),
  seen: Notification.make({ params: [Name] }),
  names: Subscription.make({ params: Schema.Struct({ name: Name }), item: slow("item:"), errors: { 1001: Unknown } })
})

const handlers = (heard: Array<string> = []) =>
  Greeter.toLayer({
    greet: ({ name }) =>
      name === "nobody"
        ? Effect.fail(new Unknown({ name }))
        : Effect.succeed(name === "odd" ? "unwritable" : `Hi ${name}`),
    place: ({ at, name }) => Effect.succeed([name, at]),
    seen: ([name]) => Effect.sync(() => void heard.push(name)),
    names: ({ name }) => name === "nobody" ? Effect.fail(new Unknown({ name })) : Stream.make(`${name} 1`, `${name} 2`)
  })

/** Lets a second pass as often as a call may need one. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* started(effect)
    for (let turn = 0; turn < 12; turn++) {
      yield* settle
      yield* TestClock.adjust("1 second")
    }
    yield* settle
    return yield* Fiber.join(fiber)
  })

const both = (layer: Layer.Layer<never, never, never> = handlers() as never) =>
  Effect.map(pair(layer), ({ peer }) => Greeter.client(peer))

describe("a Schema that takes time", () => {
  it.effect("reads and writes params and results", () =>
    Effect.gen(function*() {
      const greeter = yield* both()
      assert.strictEqual(yield* passing(greeter.greet({ name: "Ada" })), "Hi Ada")
      assert.deepStrictEqual(yield* passing(greeter.place({ name: "Ada", at: 3 })), ["Ada", 3])
    }))

  it.effect("stands on the wire as its Schema writes it", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(handlers())
      yield* wire.send(request(1, "greet", { name: "name:Ada" }))
      assert.deepStrictEqual(yield* passing(Effect.as(second, wire.received)), [parsed(success(1, "result:Hi Ada"))])
      const { peer, wire: server } = yield* calling()
      yield* started(Greeter.client(peer).place({ name: "Ada", at: 3 }))
      yield* passing(second)
      assert.deepStrictEqual(server.received, [parsed(request(1, "place", ["name:Ada", 3]))])
    }))

  it.effect("reads and writes errors", () =>
    Effect.gen(function*() {
      const greeter = yield* both()
      assert.deepStrictEqual(
        yield* passing(Effect.flip(greeter.greet({ name: "nobody" }))),
        new Unknown({ name: "nobody" })
      )
      const { wire } = yield* serving(handlers())
      yield* wire.send(request(1, "greet", { name: "name:nobody" }))
      yield* passing(second)
      assert.deepStrictEqual(wire.received, [parsed(failure(1, 1001, "Unknown", { name: "name:nobody" }))])
    }))

  it.effect("refuses what does not fit, on each side with its own error", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(handlers())
      yield* wire.send(request(1, "greet", { name: "" }), request(2, "greet", { name: "name:odd" }))
      yield* passing(second)
      const codes = wire.received.map((reply) => (reply as { readonly error: { readonly code: number } }).error.code)
      assert.deepStrictEqual(codes, [-32602, -32603])
      const { peer, wire: server } = yield* calling()
      const greeter = Greeter.client(peer)
      const unsent = yield* passing(Effect.flip(greeter.greet({ name: "unwritable" })))
      assert.strictEqual(unsent._tag, "InvalidArguments")
      assert.isEmpty(server.received)
      const asked = yield* started(Effect.flip(greeter.greet({ name: "Ada" })))
      yield* passing(second)
      yield* server.send(success(1, ""))
      yield* passing(second)
      assert.strictEqual((yield* Fiber.join(asked))._tag, "InvalidResult")
      // An error whose data does not fit stays what it is.
      const failing = yield* started(Effect.flip(greeter.greet({ name: "Ada" })))
      yield* passing(second)
      yield* server.send(failure(2, 1001, "Unknown", { name: "" }))
      yield* passing(second)
      assert.strictEqual((yield* Fiber.join(failing))._tag, "RemoteError")
    }))

  it.effect("reads and writes notifications", () =>
    Effect.gen(function*() {
      const heard: Array<string> = []
      const greeter = yield* both(handlers(heard) as never)
      yield* passing(greeter.seen(["Ada"]))
      assert.deepStrictEqual(heard, ["Ada"])
    }))

  it.effect("reads and writes items, and how a subscription fails", () =>
    Effect.gen(function*() {
      const greeter = yield* both()
      assert.deepStrictEqual(yield* passing(Stream.runCollect(greeter.names({ name: "Ada" }))), ["Ada 1", "Ada 2"])
      const refused = yield* passing(Effect.flip(Stream.runCollect(greeter.names({ name: "nobody" }))))
      assert.deepStrictEqual(refused, new Unknown({ name: "nobody" }))
    }))

  it.effect("reads and writes the calls of a batch", () =>
    Effect.gen(function*() {
      const greeter = yield* both()
      const results = yield* passing(Greeter.batch(greeter, (calls) => [
        calls.greet({ name: "Ada" }),
        calls.seen(["Ada"]),
        calls.greet({ name: "unwritable" }),
        calls.greet({ name: "nobody" })
      ]))
      assert.deepStrictEqual(results[0], Result.succeed("Hi Ada"))
      assert.deepStrictEqual(results[1], Result.succeed(undefined))
      assert.strictEqual(Result.isFailure(results[2]) && results[2].failure._tag, "InvalidArguments")
      assert.deepStrictEqual(results[3], Result.fail(new Unknown({ name: "nobody" })))
    }))

  it.effect("ends with its call when the caller leaves", () =>
    Effect.gen(function*() {
      const greeter = yield* both()
      const call = yield* started(greeter.greet({ name: "Ada" }))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(call)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
    }))
})

describe("items whose Schema takes time", () => {
  it.effect("are left to the next pull when one is interrupted", () =>
    Effect.gen(function*() {
      let pulls = 0
      const pull = Effect.sync((): readonly [string, ...Array<string>] => [`${++pulls}a`, `${pulls}b`])
      const next = Mapped.make(pull, (item) => item === "1b" ? Effect.as(second, item) : Exit.succeed(item))
      const left = yield* started(next)
      yield* Fiber.interrupt(left)
      const taken = yield* started(next)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(taken), ["1a", "1b"])
      assert.deepStrictEqual(yield* next, ["2a", "2b"])
    }))
})

describe("a Schema that takes no time", () => {
  it("costs no fiber: its params are an exit, and so is what a handler gives at once", () => {
    const Quick = Contract.make("Slow/Quick", {
      greet: Method.make({ params: { name: Schema.String }, result: Schema.String })
    })
    const refusing = { request: () => Exit.succeed("sent") } as never
    const refused = Quick.client(refusing).greet({ name: 1 as never })
    assert.isTrue(Exit.isExit(refused))
  })
})
