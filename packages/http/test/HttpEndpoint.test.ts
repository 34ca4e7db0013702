/** Answers of an endpoint to requests that come when its host has begun to shut down. */
import { assert, describe, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Effect, Logger, Option } from "effect"
import { HttpEndpoint } from "../src/index.ts"

const endpoint = HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.none()))

const refusing = (text: string, budget?: Budget.Budget) =>
  endpoint.refusing?.(text, { budget }) ?? Effect.die("it refuses nothing")

describe("a text that comes too late", () => {
  it.effect("promise 20: a notification is never answered, and its refusal is no line of our log", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const { status } = yield* Effect.provide(refusing(`{"jsonrpc":"2.0","method":"n"}`), Logger.layer([logger]))
      assert.deepStrictEqual([status, lines], [503, []])
    }))

  it.effect("counts on the budget of its host, which has it back then", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000_000)
      let weight = 0
      const watched: Budget.Budget = {
        ...budget,
        share: () => {
          const share = budget.share()
          return Object.assign(Object.create(share), {
            take: (taken: number) => {
              weight += Math.max(0, taken)
              share.take(taken)
            }
          })
        }
      }
      const batch = JSON.stringify([1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "a" })))
      const reply = yield* refusing(batch, watched)
      assert.strictEqual(reply.status, 503)
      assert.include(JSON.stringify(reply), "started")
      assert.isAbove(weight, 0)
      assert.strictEqual(budget.taken(), 0)
    }))
})
