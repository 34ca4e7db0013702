/** A server behind that says and asks more than its clients take. */
import { assert, describe, it } from "@effect/vitest"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpError from "@parley/mcp/wire/McpError"
import { Effect, Exit } from "effect"
import * as Backlog from "../../src/internal/upstream/calls/Backlog.ts"
import { clientAs, gatewayOf, made, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

const mega = 1024 * 1024

const said = (size: number) => ({ log: "x".repeat(Math.max(0, size - "{\"log\":\"\"}".length)) })

describe("what waits of one call", () => {
  it("is bounded by its number and by its characters, and the oldest goes first", () => {
    const backlog = new Backlog.Backlog<object>(new Backlog.Room())
    for (let index = 0; index < 1_000; index++) backlog.push({ index })
    const left = Array.from({ length: 256 }, () => backlog.shift())
    assert.deepStrictEqual(left.slice(0, 1), [{ index: 744 }])
    assert.isUndefined(backlog.shift())
    for (const size of [mega / 2, mega / 2, 10]) backlog.push(said(size))
    assert.deepStrictEqual([backlog.shift(), backlog.shift(), backlog.shift()], [said(mega / 2), said(10), undefined])
    backlog.push(said(10 * mega))
    assert.deepStrictEqual(backlog.shift(), said(10 * mega))
  })

  it("leaves room for other servers, and gives it back", () => {
    const room = new Backlog.Room()
    const backlogs = Array.from({ length: 100 }, () => new Backlog.Backlog<object>(room))
    for (const backlog of backlogs) backlog.push(said(mega))
    assert.isFalse(room.has(1))
    assert.strictEqual(backlogs.filter((backlog) => backlog.shift() !== undefined).length, 32)
    assert.isTrue(room.has(32 * mega))
    for (const backlog of backlogs) {
      backlog.push(said(mega))
      backlog.end()
      backlog.push(said(mega))
    }
    assert.isTrue(room.has(32 * mega))
  })
})

describe("questions of one call", () => {
  it.effect.each(pairs.filter(({ far }) => far !== "2026-07-28"))(
    "beyond so many at once are refused, and the others wait: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const answers: Array<unknown> = []
        const question = {
          method: "elicitation/create",
          params: { message: "?", requestedSchema: { type: "object", properties: {} } }
        } as const
        const ask = McpTool.make("ask", {}, (_, call) =>
          Effect.as(
            Effect.forEach(
              Array.from({ length: 100 }),
              (_, index) =>
                Effect.map(Effect.exit(call.ask(`q${index}`, question)), (exit) =>
                  answers.push(
                    Exit.isSuccess(exit) || Exit.hasInterrupts(exit)
                      ? "asked"
                      : Object(exit.cause.reasons[0]).error.code
                  )),
              { concurrency: "unbounded" }
            ),
            "done"
          ))
        const gateway = yield* gatewayOf({ far: yield* made("far", [ask]) }, far)
        yield* settled
        const client = yield* clientAs(gateway, "ada", {
          protocolVersion: near,
          timeout: "1 hour",
          handlers: { elicit: () => Effect.never }
        })
        yield* Effect.forkChild(client.callTool("far_ask"), { startImmediately: true })
        yield* settled
        assert.strictEqual(answers.filter((code) => code === McpError.Overloaded).length, 36)
      })
  )
})
