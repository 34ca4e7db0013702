/** Members that share a name on the wire, and the partial results of methods. */
import { assert, describe, it } from "@effect/vitest"
import { Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { Contract, Method, Notification, Subscription } from "../src/index.ts"
import type { Params } from "../src/shared/index.ts"
import { calling, notification, pair, quietly, request, serving, started, success } from "./wire.ts"

const carrier = Subscription.notifications({ notification: "eth_subscription", close: "eth_unsubscribe" })

/** Ethereum's way: one method, and the first param says of what. */
const Chain = Contract.make("Chain", {
  newHeads: Subscription.make({
    method: "eth_subscribe",
    params: [Schema.Literal("newHeads")],
    item: Schema.Struct({ number: Schema.Finite }),
    carrier
  }),
  logs: Subscription.make({
    method: "eth_subscribe",
    params: [Schema.Literal("logs"), Schema.Struct({ address: Schema.String })],
    item: Schema.Struct({ topic: Schema.String }),
    carrier
  }),
  blockByNumber: Method.make({ method: "getBlock", params: { number: Schema.Finite }, result: Schema.Finite }),
  blockByHash: Method.make({ method: "getBlock", params: { hash: Schema.String }, result: Schema.String }),
  told: Notification.make({ method: "tell", params: { text: Schema.String } }),
  counted: Notification.make({ method: "tell", params: { count: Schema.Finite } })
})

const served = (heard: Array<unknown>) =>
  Chain.toLayer({
    newHeads: () => Stream.make({ number: 1 }, { number: 2 }),
    logs: ([, { address }]) => Stream.make({ topic: address }),
    blockByNumber: ({ number }) => Effect.succeed(number),
    blockByHash: ({ hash }) => Effect.succeed(hash),
    told: ({ text }) => Effect.sync(() => heard.push(text)),
    counted: ({ count }) => Effect.sync(() => heard.push(count))
  })

describe("members with one name on the wire", () => {
  it.effect("are told apart by their params", () =>
    Effect.gen(function*() {
      const heard: Array<unknown> = []
      const { peer } = yield* pair(served(heard))
      const client = Chain.client(peer)
      assert.deepStrictEqual(yield* Stream.runCollect(client.newHeads(["newHeads"])), [{ number: 1 }, { number: 2 }])
      assert.deepStrictEqual(yield* Stream.runCollect(client.logs(["logs", { address: "a" }])), [{ topic: "a" }])
      assert.strictEqual(yield* client.blockByNumber({ number: 7 }), 7)
      assert.strictEqual(yield* client.blockByHash({ hash: "h" }), "h")
      yield* client.told({ text: "a" })
      yield* client.counted({ count: 1 })
      yield* client.blockByNumber({ number: 7 })
      assert.deepStrictEqual(heard, ["a", 1])
    }))

  it.effect("are told apart by all of their params where the contract is lenient", () =>
    Effect.gen(function*() {
      const params = (key: Params.Codec) => ({ key: Schema.optionalKey(key), limit: Schema.optionalKey(Schema.Finite) })
      const Find = Contract.lenient(Contract.make("Find", {
        byName: Method.make({ method: "find", params: params(Schema.String), result: Schema.Json }),
        byNumber: Method.make({ method: "find", params: params(Schema.Finite), result: Schema.Json })
      }))
      const { wire } = yield* serving(Find.toLayer({
        byName: (params) => Effect.succeed(["byName", Object(params)]),
        byNumber: (params) => Effect.succeed(["byNumber", Object(params)])
      }))
      yield* wire.send(request(1, "find", { key: 5 }), request(2, "find", { key: 5, limit: "1" }))
      const answers = yield* wire.take(2)
      assert.deepStrictEqual(answers.map((answer) => Object(answer).result), [
        ["byNumber", { key: 5 }],
        // The first that something can be left out for.
        ["byName", {}]
      ])
    }).pipe(quietly))

  it.effect("call it by that name, in a batch, too", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const client = Chain.client(peer)
      yield* started(client.blockByHash({ hash: "h" }))
      yield* started(Chain.batch(client, (calls) => [calls.blockByNumber({ number: 1 }), calls.told({ text: "a" })]))
      assert.deepStrictEqual(yield* wire.take(2), [
        { jsonrpc: "2.0", id: 1, method: "getBlock", params: { hash: "h" } },
        [
          { jsonrpc: "2.0", id: 2, method: "getBlock", params: { number: 1 } },
          { jsonrpc: "2.0", method: "tell", params: { text: "a" } }
        ]
      ])
    }))

  it.effect("refuse what none of them reads, with the issues of all", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(served([]))
      yield* wire.send(request(1, "getBlock", { number: "1" }))
      const [answer] = yield* wire.take(1)
      const { code, data } = Object(answer).error
      assert.strictEqual(code, -32602)
      assert.deepStrictEqual(data.map(({ path }: { readonly path: unknown }) => path), [["number"], ["hash"]])
    }))

  it("must have the same order", () => {
    const make = () =>
      Contract.make("Broken", {
        one: Method.make({ method: "both" }),
        two: Method.make({ method: "both", order: "concurrent" })
      })
    const live = make().toLayer({ one: () => Effect.void, two: () => Effect.void })
    return Effect.runPromise(quietly(Effect.scoped(Effect.gen(function*() {
      const router = Layer.effect(Router.Router, Router.make())
      const exit = yield* Effect.exit(Layer.build(Layer.provide(live, router)))
      assert.include(
        String(exit),
        "contract Broken, member two: the members with the method both must have the same order"
      )
    }))))
  })

  it.effect("are renamed with their contract", () =>
    Effect.gen(function*() {
      const Prefixed = Contract.prefix("Prefixed", Contract.pick("Blocks", Chain, ["blockByHash"]), "eth_")
      const { peer, wire } = yield* calling()
      yield* started(Prefixed.client(peer).eth_blockByHash({ hash: "h" }))
      assert.deepInclude(Object((yield* wire.take(1))[0]), { method: "eth_getBlock" })
    }))
})

const Report = Schema.Struct({ done: Schema.Finite, at: Schema.Date })

const Work = Contract.make("Work", {
  work: Method.make({ params: { steps: Schema.Int }, result: Schema.String, partial: Report }),
  wrong: Method.make({ params: {}, partial: Schema.Int })
})

const at = new Date(0)

const working = Work.toLayer({
  work: ({ steps }, { partialResult }) =>
    Effect.gen(function*() {
      if (partialResult === undefined) return "unasked"
      for (let done = 1; done <= steps; done++) yield* Effect.orDie(partialResult({ done, at }))
      return "asked"
    }),
  wrong: (_, { partialResult }) =>
    Effect.match(partialResult?.(1.5) ?? Effect.void, {
      onSuccess: () => assert.fail("it was sent"),
      onFailure: ({ _tag }) => assert.strictEqual(_tag, "InvalidArguments")
    })
})

const dialect = Dialect.lsp

describe("partial results of a method", () => {
  it.effect("of any shape come in order, before the result", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(working, { dialect })
      const parts: Array<typeof Report.Type> = []
      const result = yield* Work.client(peer).work({ steps: 3 }, { onPartialResult: (part) => parts.push(part) })
      assert.strictEqual(result, "asked")
      assert.deepStrictEqual(parts, [{ done: 1, at }, { done: 2, at }, { done: 3, at }])
    }))

  it.effect("are not sent to who asks for none", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(working, { dialect })
      assert.strictEqual(yield* Work.client(peer).work({ steps: 3 }), "unasked")
      assert.strictEqual(yield* Work.client(peer).work({ steps: 3 }, { timeout: 1_000 }), "unasked")
    }))

  it.effect("that do not fit end the call, and cancel it", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling({ dialect })
      const parts: Array<unknown> = []
      const call = yield* started(
        Effect.flip(Work.client(peer).work({ steps: 1 }, { onPartialResult: (part) => parts.push(part) }))
      )
      const [asked] = yield* wire.take(1)
      const token = Object(asked).params.partialResultToken
      const part = (value: unknown) => notification("$/progress", { token, value })
      yield* wire.send(part({ done: "1" }), part({ done: 2, at }), success(1, "late"))
      const error: unknown = yield* Fiber.join(call)
      assert.strictEqual((error as Contract.InvalidResult)._tag, "InvalidResult")
      assert.deepStrictEqual(parts, [])
      assert.deepInclude(Object((yield* wire.take(2))[1]), { method: "$/cancelRequest" })
    }))

  it.effect("that a handler cannot write fail where it sends them", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(working, { dialect })
      assert.isUndefined(yield* Work.client(peer).wrong({}, { onPartialResult: () => {} }))
    }))
})
