/** A server that keeps the specification has no failure, no warning, and nothing that was not decided. */
import { assert, it } from "@effect/vitest"
import { Conform, type Report } from "@parley/conform"
import { Effect } from "effect"
import { describe } from "vitest"
import * as Server from "./Server.ts"

const blemishes = ({ results }: Report.Report) =>
  results.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable").map(
    ({ findings, id, reason, verdict }) => `${verdict} ${id} ${reason ?? JSON.stringify(findings)}`
  )

describe.concurrent("a server of ours", () => {
  it.live("has no failure in memory, in both eras", () =>
    Effect.gen(function*() {
      const report = yield* Conform.run(yield* Server.memory(), { only: ["mcp"] })
      assert.strictEqual(report.protocol, "MCP 2026-07-28 and 2025-11-25 by right 1.0.0")
      assert.deepStrictEqual(blemishes(report), [])
    }))

  it.live("has no failure over HTTP, in both eras", () =>
    Effect.gen(function*() {
      const report = yield* Conform.run(yield* Server.http(), { only: ["mcp"] })
      assert.strictEqual(report.protocol, "MCP 2026-07-28 and 2025-11-25 by right 1.0.0")
      assert.deepStrictEqual(blemishes(report), [])
    }))

  for (const revision of ["2024-11-05", "2025-06-18", "2026-07-28"] as const) {
    it.live(`has no failure where it speaks ${revision} alone`, () =>
      Effect.gen(function*() {
        const report = yield* Conform.run(yield* Server.memory({}, [revision]), { only: ["mcp"] })
        assert.strictEqual(report.protocol, `MCP ${revision} by right 1.0.0`)
        assert.deepStrictEqual(blemishes(report), [])
      }))
  }

  it.live("is sent no id with a fraction, which the schema of MCP does not have", () =>
    Effect.gen(function*() {
      const ids: Array<unknown> = []
      const target = yield* Server.memory({
        hear: (message) => {
          ids.push(message["id"])
          return undefined
        }
      })
      yield* Conform.run(target, { only: ["jsonrpc/id-digits", "jsonrpc/id-same"] })
      const numbers = ids.filter((id) => typeof id === "number")
      assert.isAbove(numbers.length, 5)
      assert.isTrue(numbers.every(Number.isInteger), numbers.join())
    }))

  for (const write of [false, true]) {
    it.live(`is asked to change something only where that is allowed: ${write}`, () =>
      Effect.gen(function*() {
        let changes = 0
        const hear: Server.Fault["hear"] = ({ method, params }) => {
          if (method === "tools/call" && JSON.stringify(params).includes(`"erase"`)) changes++
          return undefined
        }
        yield* Conform.run(yield* Server.memory({ hear }, ["2025-11-25"]), { only: ["mcp/tools"], write })
        assert.strictEqual(changes > 0, write)
      }))
  }
})
