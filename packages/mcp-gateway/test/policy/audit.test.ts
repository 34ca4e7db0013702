import { assert, describe, it } from "@effect/vitest"
import * as Audit from "@parley/mcp-gateway/Audit"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpError from "@parley/mcp/wire/McpError"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, made, reach, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

const features = [
  McpTool.make("fast", { params: { secret: Schema.String } }, () => Effect.succeed("done")),
  McpTool.make("fails", {}, () => Effect.fail(new Error("no"))),
  McpTool.make("errs", {}, () => Effect.fail(ErrorResponse.make(7, "It failed"))),
  McpTool.make("never", {}, () => Effect.never),
  McpTool.make(
    "asks",
    {},
    (_, call) => Effect.as(call.elicit("name", { message: "?", fields: { name: Schema.String } }), "done")
  ),
  McpResource.make("far://a", { name: "a" }, () => Effect.succeed("A"))
]

const audited = Effect.fnUntraced(function*(
  far: Revision,
  member: Partial<McpGateway.Member> = {},
  withArguments = false
) {
  const records: Array<Audit.AuditRecord> = []
  const server = yield* made("far", features)
  const gateway = yield* McpGateway.make({
    name: "gateway",
    version: "1",
    audit: { write: (record) => Effect.sync(() => void records.push(record)), withArguments },
    servers: { far: { connect: reach(server, far), ...member } }
  })
  yield* settled
  return { gateway, records }
})

const handlers = { elicit: () => Effect.succeed({ action: "accept" as const, content: { name: "Ada" } }) }

describe("each call has one record", () => {
  it.effect.each(pairs)(
    "however it ends, and however many rounds it takes: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const { gateway, records } = yield* audited(far)
        const client = yield* clientAs(gateway, "ada", { protocolVersion: near, handlers, timeout: "1 hour" })
        yield* client.callTool("far_fast", { secret: "hush" })
        yield* Effect.flip(client.callTool("far_fails"))
        yield* Effect.flip(client.callTool("far_errs"))
        yield* client.callTool("far_asks")
        yield* client.readResource("far://a")
        const call = yield* Effect.forkChild(client.callTool("far_never"), { startImmediately: true })
        yield* settled
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.interrupt(call)
        yield* settled
        const common = { principal: "ada", client: "test", server: "far" }
        const tool = { ...common, method: "tools/call", milliseconds: 0, time: 0 }
        assert.deepStrictEqual(records, [
          { ...tool, name: "fast", outcome: "ok" },
          { ...tool, name: "fails", outcome: "failed" },
          { ...tool, name: "errs", outcome: "error", code: 7 },
          { ...tool, name: "asks", outcome: "ok" },
          { ...tool, method: "resources/read", name: "far://a", outcome: "ok" },
          { ...tool, name: "never", milliseconds: 2_000, outcome: "interrupted" }
        ])
      })
  )

  it.effect("also where it does not pass", () =>
    Effect.gen(function*() {
      const { gateway, records } = yield* audited("2026-07-28", {
        pins: [],
        budget: { rate: { limit: 1, window: "1 minute" } }
      })
      const client = yield* clientAs(gateway, undefined)
      yield* Effect.flip(client.callTool("far_fast", { secret: "hush" }))
      yield* Effect.flip(client.callTool("far_asks"))
      assert.deepStrictEqual(
        records.map(({ code, name, outcome, principal }) => [name, outcome, code, principal]),
        ["fast", "asks"].map((name) => [name, "refused", McpError.NotApproved, undefined])
      )
    }))

  it.effect("whose outcome is ours to say, whatever codes the server behind chooses", () =>
    Effect.gen(function*() {
      const codes = [McpError.Overloaded, McpError.NotApproved, McpError.UpstreamFailed, McpError.InsufficientScope]
      const server = yield* made("far", [
        ...codes.map((code) => McpTool.make(`e${-code}`, {}, () => Effect.fail(ErrorResponse.make(code, "no")))),
        McpTool.make("never", {}, () => Effect.never)
      ])
      const { gateway, records } = yield* audited("2026-07-28", {
        connect: reach(server, "2026-07-28"),
        budget: { deadline: "1 second", breaker: { failures: 2, cooldown: "1 minute" } }
      })
      const client = yield* clientAs(gateway, "ada", { timeout: "1 hour" })
      for (const code of codes) yield* Effect.flip(client.callTool(`far_e${-code}`))
      for (let time = 0; time < 2; time++) {
        const call = yield* Effect.forkChild(Effect.flip(client.callTool("far_never")), { startImmediately: true })
        yield* settled
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(call)
      }
      yield* Effect.flip(client.callTool("far_never"))
      assert.deepStrictEqual(
        records.map(({ code, name, outcome }) => [name, outcome, code]),
        [
          ...codes.map((code) => [`e${-code}`, "error", McpError.UpstreamFailed]),
          ["never", "error", McpError.UpstreamFailed],
          ["never", "error", McpError.UpstreamFailed],
          ["never", "refused", McpError.UpstreamFailed]
        ]
      )
    }))

  it.effect("with its arguments only where they are asked for", () =>
    Effect.gen(function*() {
      const { gateway, records } = yield* audited("2026-07-28", {}, true)
      const client = yield* clientAs(gateway, "ada")
      yield* client.callTool("far_fast", { secret: "hush" })
      assert.deepStrictEqual(records.map((record) => record.arguments), [{ secret: "hush" }])
    }))

  it("as a line of JSON, which no text of it breaks", () => {
    const record: Audit.AuditRecord = {
      time: 0,
      milliseconds: 1,
      server: "far",
      method: "tools/call",
      name: "a\n\u2028\u{e0041}",
      outcome: "ok"
    }
    const line = Audit.toLine(record)
    assert.match(line, /^[ -~]*$/)
    assert.deepStrictEqual(JSON.parse(line), { ...record, time: "1970-01-01T00:00:00.000Z" })
  })
})
