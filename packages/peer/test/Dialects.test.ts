/** What a dialect decides, on both sides of a connection. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Effect, Exit, Fiber, Result } from "effect"
import { ErrorResponse, Router } from "../src/index.ts"
import { connect, failure, notification, pair, request, settle } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const dialect = (options: Partial<Dialect.Dialect>) => Dialect.make({ name: "test", ...options })

const answers = (options: Partial<Dialect.Dialect>, text: string) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    const router = yield* Router.make({
      dialect: dialect(options),
      fallback: (call) => Effect.sync(() => void seen.push(call.id === undefined ? "notification" : "request"))
    })
    return [yield* router.answer(text), seen] as const
  })

describe("a dialect decides", () => {
  const nullId = `{"jsonrpc":"2.0","id":null,"method":"m"}`
  const badJson = "{"

  it.effect.each(
    [
      ["a null id is a request", {}, nullId, `{"jsonrpc":"2.0","id":null,"result":null}`, ["request"]],
      ["a null id is a notification", { nullId: "notification" }, nullId, undefined, ["notification"]],
      [
        "a null id is refused",
        { nullId: "refuse" },
        `[${nullId}]`,
        `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]`,
        []
      ],
      [
        "null params are refused",
        {},
        `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`,
        `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request"}}`,
        []
      ],
      [
        "null params are none",
        { nullParams: "absent" },
        `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`,
        `{"jsonrpc":"2.0","id":1,"result":null}`,
        ["request"]
      ],
      [
        "batches are refused",
        { batches: "refuse" },
        `[${nullId}]`,
        `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`,
        []
      ],
      [
        "an unreadable id is left out",
        { unreadableId: "omit" },
        badJson,
        `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`,
        []
      ],
      ["an unreadable text is not answered", { unreadableId: "silent" }, badJson, undefined, []]
    ] as const
  )("%s", ([, options, text, expected, calls]) =>
    Effect.gen(function*() {
      const [answer, seen] = yield* answers(options, text)
      assert.deepStrictEqual([answer.valueOrUndefined, seen], [expected, calls])
    }))

  it.effect("messages have the form of JSON-RPC 1.0 where it says so, both ways", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({
        add: ({ params }) => Effect.succeed(params ?? null),
        fail: () => Effect.fail(new ErrorResponse.ErrorResponse({ code: 7, message: "no" }))
      }, { dialect: Dialect.jsonRpc1 })
      const call = yield* started(peer.request("m"))
      yield* peer.notify("n", [1])
      yield* wire.send(
        `{"id":1,"result":3,"error":null}`,
        `{"id":5,"method":"add","params":[1]}`,
        `{"id":null,"method":"add","params":[1]}`,
        `{"id":"a","method":"fail","params":[]}`,
        `{"id":6,"method":"unknown","params":[]}`,
        `{`
      )
      assert.strictEqual(yield* Fiber.join(call), 3)
      assert.deepStrictEqual(yield* wire.take(6), [
        { id: 1, method: "m", params: [] },
        { id: null, method: "n", params: [1] },
        { id: 5, result: [1], error: null },
        { id: "a", result: null, error: { code: 7, message: "no" } },
        { id: 6, result: null, error: { code: -32601, message: "Method not found", data: "unknown" } },
        { id: null, result: null, error: { code: -32700, message: "Parse error" } }
      ])
      const named = yield* Effect.flip(peer.request("m", { by: "name" }))
      assert.include(named.message, "no params by name")
      const error = yield* started(Effect.flip(peer.request("m")))
      yield* wire.send(`{"id":3,"result":null,"error":"rpc: can't find method m"}`)
      assert.deepInclude(yield* Fiber.join(error), { code: -32000, text: "rpc: can't find method m" })
    }))

  it.effect("messages have no version where it says so", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ echo: ({ params }) => Effect.succeed(params ?? null) }, {
        dialect: dialect({ version: "omit", unreadableId: "omit" }),
        limits: { batchReply: 64 }
      })
      const call = yield* started(peer.request("m", { a: 1 }))
      yield* Fiber.interrupt(call)
      const batch = yield* started(peer.batch([{ method: "a" }, { method: "b", notification: true }]))
      yield* wire.send(
        `{"id":7,"method":"echo","params":[1]}`,
        `[{"id":8,"method":"echo","params":["${"x".repeat(64)}"]}]`,
        `{`,
        `[{"id":2,"result":2}]`
      )
      assert.deepStrictEqual(yield* Fiber.join(batch), [Result.succeed(2), undefined])
      assert.deepStrictEqual(yield* wire.take(6), [
        { id: 1, method: "m", params: { a: 1 } },
        { method: "$/cancelRequest", params: { id: 1 } },
        [{ id: 2, method: "a" }, { method: "b" }],
        { id: 7, result: [1] },
        [{ id: 8, error: { code: -32001, message: "Batch reply too large" } }],
        { error: { code: -32700, message: "Parse error" } }
      ])
    }))

  it.effect("two peers of one dialect understand each other", () =>
    Effect.forEach([
      Dialect.jsonRpc1,
      Dialect.lenient,
      dialect({ version: "omit", params: "null", nullParams: "absent" })
    ], (
      dialect
    ) =>
      Effect.gen(function*() {
        const [left, right] = yield* pair({ echo: ({ params }) => Effect.succeed(params ?? null) }, { dialect })
        yield* left.notify("echo")
        assert.deepStrictEqual(yield* left.request("echo", ["é"]), ["é"])
        const [first, second] = yield* right.batch([{ method: "echo", params: [1] }, { method: "none" }])
        assert.deepStrictEqual(first, Result.succeed([1]))
        assert.deepInclude(second && Result.merge(second), { code: -32601 })
      })))

  it.effect.each(["refuse", "read"] as const)(
    "calls of a batch go one by one where batches are not written: %s",
    (batches) =>
      Effect.gen(function*() {
        const { peer, wire } = yield* connect({}, { dialect: dialect({ batches }) })
        const members = [{ method: "a" }, { method: "b", notification: true }, { method: "c" }]
        const batch = yield* Effect.forkChild(peer.batch(members), { startImmediately: true })
        yield* wire.take(3)
        yield* wire.send(
          `{"jsonrpc":"2.0","id":2,"result":"c"}`,
          `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}}`
        )
        const [a, b, c] = yield* Fiber.join(batch)
        assert.isTrue(a !== undefined && Result.isFailure(a))
        assert.isUndefined(b)
        assert.deepStrictEqual(c, Result.succeed("c"))
      })
  )

  it.effect("a cancelled call is not answered where cancellation has no reply", () =>
    Effect.gen(function*() {
      const interrupted: Array<unknown> = []
      const { wire } = yield* connect({
        hang: (call) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted.push(call.id)))
      }, { dialect: dialect({ cancellation: Dialect.cancelledNotification(["initialize"]) }) })
      yield* wire.send(
        request(1, "hang"),
        `[${request(2, "hang")},${request(3, "unknown")}]`,
        notification("notifications/cancelled", { requestId: 1 }),
        notification("notifications/cancelled", { requestId: 2 }),
        notification("notifications/cancelled", { requestId: "nobody" }),
        notification("notifications/cancelled")
      )
      assert.deepStrictEqual(yield* wire.take(1), [[failure(3, -32601, "Method not found", "unknown")]])
      yield* settle
      assert.deepStrictEqual(interrupted, [1, 2])
      assert.strictEqual(wire.received.length, 1)
    }))

  it.effect("a call the dialect cannot cancel is only forgotten", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { dialect: dialect({ cancellation: undefined }) })
      const call = yield* Effect.forkChild(peer.request("m"), { startImmediately: true })
      yield* settle
      yield* Fiber.interrupt(call)
      yield* settle
      assert.strictEqual(wire.received.length, 1)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
    }))
})
