/** What a dialect decides, on both sides of a connection. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Effect, Exit, Fiber, Result } from "effect"
import { Router } from "../src/index.ts"
import { connect, failure, notification, request, settle } from "./wire.ts"

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

  it.effect("calls of a batch go one by one where batches are not spoken", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { dialect: dialect({ batches: "refuse" }) })
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
    }))

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
