import { assert, describe, it } from "@effect/vitest"
import { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import { Context, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "../../support/settled.ts"
import { sample } from "../support/sample.ts"
import * as web from "../support/web.ts"
import { at, open, tally } from "./support/addressed.ts"

const list = web.request("tools/list", { _meta: web.meta })

const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }

const [here, there] = ["192.0.2.1", "192.0.2.2"]

describe("requests whose senders are not known yet", () => {
  it.effect("are as many of one address as it may have calls: others are served meanwhile", () =>
    Effect.gen(function*() {
      const client = yield* open({
        limits: { connections: 6 },
        quotas: { address: { calls: 4 } },
        authorize: ({ header }) =>
          header("authorization") === "made up" ? Effect.never : Effect.succeed(Context.empty())
      })
      const ask = (address: string, more: web.Headers = {}) => client.post(list, at(address, { ...modern, ...more }))
      const fibers = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Effect.forkChild(ask(here, { authorization: "made up" }), { startImmediately: true })
      )
      yield* settled
      const refused = fibers.flatMap((fiber) => fiber.pollUnsafe() === undefined ? [] : [fiber])
      const statuses = yield* Effect.forEach(refused, (fiber) => Effect.map(Fiber.join(fiber), ({ status }) => status))
      assert.deepStrictEqual(tally(statuses), { 429: 6 })
      assert.strictEqual((yield* ask(there)).status, 200)
      const denied = yield* ask(here)
      assert.deepStrictEqual([denied.status, denied.header("retry-after")], [429, "1"])
      yield* Effect.forEach(fibers, (fiber) => Fiber.interrupt(fiber), { discard: true })
      yield* settled
      assert.strictEqual((yield* ask(here)).status, 200)
    }))

  it.effect("are no calls: what is no call needs no quota of calls", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas: { address: { calls: 1 } } })
      const visitor = yield* web.visit(client, "2025-11-25", {}, at(here))
      const running = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })), { startImmediately: true })
      yield* settled
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } }
      for (let time = 0; time < 3; time++) assert.strictEqual((yield* visitor.post(cancelled)).status, 202)
      assert.strictEqual((yield* visitor.post(web.request("ping"))).status, 429)
      yield* Fiber.interrupt(running)
    }))

  it.effect("are in the log once in a minute for each address", () =>
    Effect.gen(function*() {
      const { admit } = yield* McpHttp.endpoint((yield* sample).server, { quotas: { address: { calls: 1 } } })
      const headers = new Map([["content-type", "application/json"], ["host", "localhost"]])
      const ask = () => admit({ method: "POST", url: "/mcp", address: here, header: (name) => headers.get(name) })
      const admission = ask()
      if (admission instanceof RequestRules.Refusal) return assert.fail(admission.text)
      const reasonOf = (given: ReturnType<typeof admit>) =>
        given instanceof RequestRules.Refusal ? given.reason : "none"
      const reason = "`quotas.address.calls` allows 192.0.2.1 no more than 1 at once"
      assert.deepStrictEqual([ask(), ask()].map(reasonOf), [reason, undefined])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([ask(), ask()].map(reasonOf), [reason, undefined])
      admission.release()
      assert.strictEqual(reasonOf(ask()), "none")
    }))
})
