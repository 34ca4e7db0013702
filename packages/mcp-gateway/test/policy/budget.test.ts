import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type * as Policy from "@parley/mcp-gateway/Policy"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as McpError from "@parley/mcp/wire/McpError"
import type { Revision } from "@parley/mcp/wire/Revision"
import { HttpStatusError } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, gatewayOf, made, reach, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

/** A gateway before a server with a tool that waits, one that answers, and one that fails as the server's host wants. */
const before = Effect.fnUntraced(function*(budget: Policy.Budget, far: Revision = "2026-07-28") {
  const end = yield* Deferred.make<void>()
  const state = { calls: 0, error: undefined as ErrorResponse.ErrorResponse | undefined }
  const server = yield* made("far", [
    McpTool.make("slow", {}, () => Effect.as(Deferred.await(end), "done")),
    McpTool.make("never", {}, () => Effect.never),
    McpTool.make(
      "asks",
      {},
      (_, call) => Effect.as(call.elicit("name", { message: "?", fields: { name: Schema.String } }), "done")
    ),
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

const breaker = { failures: 2, cooldown: "30 seconds" } as const

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

  it.effect("has nothing spent by calls that it refuses", () =>
    Effect.gen(function*() {
      const { gateway, state } = yield* before({
        callsPerPrincipal: 1,
        calls: 8,
        rate: { limit: 5, window: "1 minute" },
        breaker
      })
      const ada = yield* clientAs(gateway, "ada")
      const eve = yield* clientAs(gateway, "eve")
      yield* Effect.forkChild(eve.callTool("far_slow"), { startImmediately: true })
      yield* settled
      for (let time = 0; time < 10; time++) {
        assert.deepInclude(yield* Effect.flip(eve.callTool("far_fast")), {
          text: "No more than 1 calls of the server far at once for one caller"
        })
      }
      yield* Effect.repeat(ada.callTool("far_fast"), { times: 3 })
      assert.strictEqual(state.calls, 4)
      // A call that has no tokens says nothing of the server.
      for (let time = 0; time < 4; time++) {
        assert.deepInclude(yield* Effect.flip(ada.callTool("far_fast")), {
          text: "No more than 5 calls of the server far in 60 s: try again in 12 s"
        })
      }
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
        breaker
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

  it.effect.each(pairs)(
    "takes a question of a server for a sign of life, whenever it is answered: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const { gateway } = yield* before({ deadline: "1 second", breaker }, far)
        const ada = yield* clientAs(gateway, "ada", { protocolVersion: near, timeout: "1 hour" })
        for (let time = 0; time < 2; time++) {
          const call = yield* Effect.forkChild(Effect.flip(ada.callTool("far_never")), { startImmediately: true })
          yield* settled
          yield* TestClock.adjust("1 second")
          yield* Fiber.join(call)
        }
        yield* TestClock.adjust("30 seconds")
        const asked = yield* Deferred.make<void>()
        const eve = yield* clientAs(gateway, "eve", {
          protocolVersion: near,
          timeout: "1 hour",
          handlers: { elicit: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never) }
        })
        const call = yield* Effect.forkChild(eve.callTool("far_asks"), { startImmediately: true })
        yield* Deferred.await(asked)
        yield* settled
        assert.deepStrictEqual((yield* ada.callTool("far_fast")).content, done)
        yield* Fiber.interrupt(call)
      })
  )

  it.effect.each([[400, false], [413, false], [429, false], [500, true], [503, true]] as const)(
    "takes the HTTP status %d for a failure of the server: %s",
    ([status, isFailure]) =>
      Effect.gen(function*() {
        const server = yield* made("far", [McpTool.make("fast", {}, () => Effect.succeed("done"))])
        const state = { status: status as number | undefined }
        const gateway = yield* McpGateway.make({
          name: "gateway",
          version: "1",
          servers: {
            far: {
              budget: { breaker },
              connect: (options) =>
                Effect.map(reach(server)(options), (client) =>
                  ({
                    ...client,
                    callTool: (name: string) =>
                      state.status === undefined
                        ? client.callTool(name)
                        : Effect.fail(new HttpStatusError({ status: state.status, excerpt: "no" }))
                  }) as McpClient.McpClient)
            }
          }
        })
        yield* settled
        const ada = yield* clientAs(gateway, "ada")
        for (let time = 0; time < 3; time++) {
          const { text } = Object(yield* Effect.flip(ada.callTool("far_fast")))
          assert.strictEqual(text.includes(`answered with the HTTP status ${status}`), !isFailure)
        }
        state.status = undefined
        assert.strictEqual(Exit.isFailure(yield* Effect.exit(ada.callTool("far_fast"))), isFailure)
      })
  )
})
