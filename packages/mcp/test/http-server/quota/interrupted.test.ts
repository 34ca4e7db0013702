import { assert, describe, it } from "@effect/vitest"
import type { Responder } from "@parley/http/HttpEndpoint"
import * as McpHttp from "@parley/mcp/McpHttp"
import { Effect, Fiber, Scheduler } from "effect"
import { stepwise, turn } from "../../support/stepwise.ts"
import { sample } from "../support/sample.ts"
import * as web from "../support/web.ts"

const responder: Responder = { start: () => Effect.void, write: () => Effect.void, toStream: () => undefined }

const quotas = { address: { calls: 1, streams: 1 } }

/** Posts a message of the modern era. */
const poster = (method: string, params: web.Json) => {
  const headers: Record<string, string> = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method
  }
  const head = { method: "POST", url: "/mcp", address: "192.0.2.1", header: (name: string) => headers[name] }
  const text = JSON.stringify(web.request(method, { ...params, _meta: web.meta }))
  return ({ answer }: Effect.Success<ReturnType<typeof McpHttp.endpoint>>) =>
    Effect.suspend(() => answer(head, text, responder))
}

const cases = [
  ["a call", poster("tools/list", {})],
  ["a stream", poster("subscriptions/listen", { notifications: { toolsListChanged: true } })]
] as const

describe("a quota", () => {
  for (const [name, post] of cases) {
    it.effect(`is given back of ${name} wherever it is interrupted`, () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const leaks: Array<string> = []
        for (const operations of [2, 3, 4, 5, 7]) {
          for (let steps = 0; steps < 16; steps++) {
            const endpoint = yield* McpHttp.endpoint(server, { quotas })
            const { flush, scheduler, step } = stepwise(operations)
            const fiber = Effect.runFork(Effect.provideService(post(endpoint), Scheduler.Scheduler, scheduler))
            for (let taken = 0; taken < steps; taken++) step()
            fiber.interruptUnsafe()
            while (fiber.pollUnsafe() === undefined) {
              flush()
              yield* turn
            }
            const next = Effect.runFork(post(endpoint))
            yield* turn
            const exit = next.pollUnsafe()
            if (exit?._tag === "Success" && exit.value.status === 429) leaks.push(`${operations} ${steps}`)
            yield* Fiber.interrupt(next)
          }
        }
        assert.deepStrictEqual(leaks, [])
      }))
  }
})
