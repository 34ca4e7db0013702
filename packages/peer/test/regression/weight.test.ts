/** A text whose values took many times its length was parsed, whatever there was room for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Router } from "../../src/index.ts"
import { connect, failure, settle } from "../wire.ts"

const heavy = `[${Array.from({ length: 100_000 }, () => "{}").join(",")}]`

const refused = (id: unknown) => failure(id, -32600, "Invalid Request")

describe("a text that outweighs the budget", () => {
  const texts = {
    "with its id first": [`{"jsonrpc":"2.0","id":7,"method":"m","params":${heavy}}`, refused(7)],
    "with its id last": [`{"jsonrpc":"2.0","method":"m","params":${heavy},"id":"x"}`, refused("x")],
    "that is a notification": [`{"jsonrpc":"2.0","method":"m","params":${heavy}}`, undefined]
  } as const
  for (const [which, [text, reply]] of Object.entries(texts)) {
    it.effect(`${which} runs nothing`, () =>
      Effect.gen(function*() {
        let ran = 0
        const limits = { budget: 1_000_000 }
        const handlers = { m: () => Effect.sync(() => void ran++) }
        const router = yield* Router.make({ limits })
        yield* router.addAll(handlers)
        const answer = Option.getOrUndefined(yield* router.answer(text))
        assert.deepStrictEqual(answer === undefined ? undefined : JSON.parse(answer), reply)
        const { wire } = yield* connect(handlers, { limits })
        yield* wire.send(text)
        yield* settle
        assert.deepStrictEqual(wire.received, reply === undefined ? [] : [reply])
        assert.strictEqual(ran, 0)
      }))
  }

  it.effect("and answers a call of ours fails that call", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits: { budget: 1_000_000 } })
      const call = yield* Effect.forkChild(Effect.flip(peer.request("m")), { startImmediately: true })
      yield* wire.take(1)
      yield* wire.send(`{"jsonrpc":"2.0","id":1,"result":${heavy}}`)
      yield* settle
      const rule = "its values would take more memory than the budget has"
      const error = yield* Effect.flatMap(Effect.void, () => call.pollUnsafe() ?? Effect.die("it waits"))
      assert.deepInclude(error, { _tag: "InvalidResponse", method: "m", rule } as const)
    }))
})
