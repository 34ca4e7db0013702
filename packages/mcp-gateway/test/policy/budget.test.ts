import { assert, describe, it } from "@effect/vitest"
import type * as Policy from "@parley/mcp-gateway/Policy"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as McpError from "@parley/mcp/wire/McpError"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, gatewayOf, made, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

/** A gateway before a server with a tool that waits, one that answers, and one that fails as the server's host wants. */
const before = Effect.fnUntraced(function*(budget: Policy.Budget, far: Revision = "2026-07-28") {
  const end = yield* Deferred.make<void>()
  const state = { calls: 0, error: undefined as ErrorResponse.ErrorResponse | undefined }
  const server = yield* made("far", [
    McpTool.make("slow", {}, () => Effect.as(Deferred.await(end), "done")),
    McpTool.make("never", {}, () => Effect.never),
    McpTool.make("fast", {}, () =>
      Effect.suspend(() => {
        state.calls++
        return state.error === undefined ? Effect.succeed("done") : Effect.fail(state.error)
      }))
  ])
  const gateway = yield* gatewayOf({ far: { server, budget } }, far)
  yield* settled
  return { end, gateway, state }
})

const done = [Content.text("done")]

describe("the budget of a server", () => {
  it.effect.each(pairs)(
    "bounds its calls at once, all and of one caller: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const { end, gateway } = yield* before({ calls: 4, callsPerPrincipal: 2 }, far)
        const [ada, eve, ann] = yield* Effect.forEach(
          ["ada", "eve", "ann"],
          (name) => clientAs(gateway, name, { protocolVersion: near })
        )
        const slow = (client = ada) => Effect.forkChild(client!.callTool("far_slow"), { startImmediately: true })
        const running = [yield* slow(), yield* slow()]
        yield* settled
        const own = yield* Effect.flip(ada!.callTool("far_fast"))
        assert.deepInclude(own, {
          code: McpError.Overloaded,
          text: "No more than 2 calls of the server far at once for one caller"
        })
        running.push(yield* slow(eve), yield* slow(eve))
        yield* settled
        const all = yield* Effect.flip(ann!.callTool("far_fast"))
        assert.deepInclude(all, {
          code: McpError.Overloaded,
          text: "No more than 4 calls of the server far at once"
        })
        yield* Deferred.succeed(end, undefined)
        for (const { content } of yield* Fiber.joinAll(running)) assert.deepStrictEqual(content, done)
        assert.deepStrictEqual((yield* ada!.callTool("far_fast")).content, done)
      })
  )

  it.effect("bounds its calls in a time, and takes nothing from others for what one may not have", () =>
    Effect.gen(function*() {
      const { gateway, state } = yield* before({
        rate: { limit: 3, window: "1 minute" },
        ratePerPrincipal: { limit: 2, window: "1 minute" }
      })
      const ada = yield* clientAs(gateway, "ada")
      const eve = yield* clientAs(gateway, "eve")
      yield* Effect.repeat(ada.callTool("far_fast"), { times: 1 })
      for (let time = 0; time < 10; time++) {
        assert.deepInclude(yield* Effect.flip(ada.callTool("far_fast")), {
          code: McpError.Overloaded,
          text: "No more than 2 calls of the server far in 60 s for one caller: try again in 30 s"
        })
      }
      yield* eve.callTool("far_fast")
      assert.deepInclude(yield* Effect.flip(eve.callTool("far_fast")), {
        text: "No more than 3 calls of the server far in 60 s: try again in 20 s"
      })
      assert.strictEqual(state.calls, 3)
      yield* TestClock.adjust("30 seconds")
      yield* ada.callTool("far_fast")
    }))

  it.effect("bounds the time of a call, however much progress it reports", () =>
    Effect.gen(function*() {
      const { gateway } = yield* before({ deadline: "10 seconds" })
      const ada = yield* clientAs(gateway, "ada", { timeout: "1 minute" })
      const call = yield* Effect.forkChild(Effect.flip(ada.callTool("far_never")), { startImmediately: true })
      yield* settled
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(call), { code: McpError.UpstreamFailed })
    }))

  it.effect("leaves a server alone that has failed so many times in a row, and tries it again after a while", () =>
    Effect.gen(function*() {
      const { gateway, state } = yield* before({
        deadline: "1 second",
        breaker: { failures: 2, cooldown: "30 seconds" }
      })
      const ada = yield* clientAs(gateway, "ada", { timeout: "1 minute" })
      const late = Effect.gen(function*() {
        const call = yield* Effect.forkChild(Effect.flip(ada.callTool("far_never")), { startImmediately: true })
        yield* settled
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(call)
      })
      // Its own errors are a sign of life.
      state.error = ErrorResponse.make(7, "It failed")
      for (let time = 0; time < 5; time++) yield* Effect.flip(ada.callTool("far_fast"))
      state.error = undefined
      yield* late
      yield* late
      const calls = state.calls
      assert.deepInclude(yield* Effect.flip(ada.callTool("far_fast")), {
        code: McpError.UpstreamFailed,
        text: "The server far behind this one has failed 2 times in a row, and is left alone for 30 s"
      })
      assert.strictEqual(state.calls, calls)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual((yield* ada.callTool("far_fast")).content, done)
      assert.deepStrictEqual((yield* ada.callTool("far_fast")).content, done)
    }))
})
