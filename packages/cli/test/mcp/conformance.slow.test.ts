import { assert, describe, it } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, References } from "effect"
import * as endpoint from "../../src/internal/mcp/everything/endpoint.ts"
import * as everything from "../../src/internal/mcp/everything/server.ts"
import * as Suite from "./Suite.ts"

/** Serves the server that has everything to one run of a suite, in this process. */
const against = (version: "0.1" | "0.2", ...args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const served = yield* endpoint.make(yield* everything.make)
    const { address } = yield* NodeHttp.serve(served, { port: 0, path: "/mcp" })
    return yield* Suite.run(version, ["--url", address, ...args])
  }).pipe(
    // A suite says much that is wrong, on purpose.
    Effect.provideService(References.MinimumLogLevel, "Error")
  )

/** The checks of scenarios that are neither passed nor were for somebody else. */
const complaints = (scenarios: ReadonlyArray<Suite.Scenario>) =>
  scenarios.flatMap(({ checks, name }) =>
    checks.filter((check) => !/^(SUCCESS|INFO|SKIPPED) /.test(check)).map((check) => `${name}: ${check}`)
  )

/** How many scenarios there are, and how many of those have checks that they passed. */
const counted = (scenarios: ReadonlyArray<Suite.Scenario>) => [
  scenarios.length,
  scenarios.filter(({ checks }) => checks.some((check) => check.startsWith("SUCCESS "))).length
]

describe("the server that has everything", () => {
  it.concurrent("passes all 32 scenarios of the suite 0.1.16", () =>
    Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const scenarios = yield* against("0.1", "--suite", "all")
      assert.deepStrictEqual(complaints(scenarios), [])
      assert.deepStrictEqual(counted(scenarios), [32, 32])
    }))))

  it.concurrent("passes all 30 scenarios that revision 2025-11-25 requires, and what is pending", () =>
    Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const scenarios = yield* against("0.2", "--requirements", "2025-11-25")
      assert.deepStrictEqual(complaints(scenarios), [])
      assert.deepStrictEqual(counted(scenarios.filter(({ unscored }) => unscored === undefined)), [30, 30])
      assert.sameMembers(
        scenarios.flatMap(({ name, unscored }) => unscored === undefined ? [] : [name]),
        ["json-schema-2020-12", "server-session-lifecycle", "server-sse-polling"]
      )
    }))))

  it.concurrent("passes all 37 scenarios that revision 2026-07-28 requires, those of tasks, and what is pending", () =>
    Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const all = yield* against("0.2", "--requirements", "2026-07-28")
      // The only extension that these requirements have scenarios for is that of tasks.
      const [tasks = [], scenarios = []] = [true, false].map((is) =>
        all.filter(({ unscored }) => is === (unscored === "extension"))
      )
      assert.deepStrictEqual(tasks.filter(({ name }) => !name.startsWith("tasks-")), [])
      assert.deepStrictEqual(complaints(tasks), [])
      // The scenario of notifications only says that it was not written yet.
      assert.deepStrictEqual(counted(tasks), [10, 9])
      assert.deepStrictEqual(complaints(scenarios), [])
      assert.deepStrictEqual(counted(scenarios.filter(({ unscored }) => unscored === undefined)), [37, 37])
      assert.sameMembers(
        scenarios.flatMap(({ name, unscored }) => unscored === undefined ? [] : [name]),
        ["http-custom-header-server-validation", "http-header-validation", "json-schema-2020-12"]
      )
    }))))
})
