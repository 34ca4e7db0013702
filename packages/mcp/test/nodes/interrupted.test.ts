import { assert, describe, it } from "@effect/vitest"
import type { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import type * as Mesh from "@parley/mesh/Mesh"
import { Budget } from "@parley/transport/shared"
import { Effect, Scheduler, Stream } from "effect"
import { sample } from "../http-server/support/sample.ts"
import * as web from "../http-server/support/web.ts"
import { stepwise, turn } from "../support/stepwise.ts"

/** A node beside another one, which owns all keys and never answers. */
const mesh: Mesh.Mesh = {
  node: "a",
  claim: () => Effect.never,
  owner: () => Effect.succeed("b"),
  serve: () => Effect.void,
  call: () => Stream.never,
  send: () => Effect.void
}

describe("the weight of a text that is forwarded", () => {
  it.effect("is given back wherever its request is interrupted", () =>
    Effect.gen(function*() {
      const { answer } = yield* McpHttp.endpoint((yield* sample).server, { mesh })
      const id = crypto.randomUUID()
      const head: RequestRules.Head = { method: "POST", url: "/mcp", address: undefined, header: () => id }
      let most = 0
      const leaks: Array<string> = []
      for (const operations of [2, 3, 4, 5, 7]) {
        for (let steps = 0; steps < 16; steps++) {
          const budget = Budget.make(1_000_000)
          const { flush, scheduler, step } = stepwise(operations)
          const answered = Effect.suspend(() => answer(head, "{}", { ...web.silent, budget }))
          const fiber = Effect.runFork(Effect.provideService(answered, Scheduler.Scheduler, scheduler))
          for (let taken = 0; taken < steps; taken++) step()
          most = Math.max(most, budget.taken())
          fiber.interruptUnsafe()
          while (fiber.pollUnsafe() === undefined) {
            flush()
            yield* turn
          }
          if (budget.taken() > 0) leaks.push(`${operations} ${steps}`)
        }
      }
      assert.isAbove(most, 0)
      assert.deepStrictEqual(leaks, [])
    }))
})
