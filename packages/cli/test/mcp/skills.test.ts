import { assert, describe, it } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, References } from "effect"
import * as endpoint from "../../src/internal/mcp/everything/endpoint.ts"
import * as everything from "../../src/internal/mcp/everything/server.ts"
import * as Suite from "./Suite.ts"

/** Milliseconds, for a machine with much else to do: each scenario is a process. */
const patience = 90_000

describe("the skill of the server that has everything", () => {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    it.live(`passes all 3 scenarios of the suite 0.2 for skills, in ${revision}`, () =>
      Effect.gen(function*() {
        const served = yield* endpoint.make(yield* everything.make)
        const { address } = yield* NodeHttp.serve(served, { port: 0, path: "/mcp" })
        const found = yield* Effect.forEach(["directory", "enumeration", "manifest"], (name) => {
          const scenario = `sep-2640-skills-${name}`
          return Suite.run("0.2", ["--url", address, "--scenario", scenario, "--spec-version", revision, "--force"])
        })
        const checks = found.flatMap((scenarios) => scenarios.flatMap(({ checks }) => checks))
        const isGood = (check: string) => /^(SUCCESS|INFO|SKIPPED) /.test(check)
        assert.deepStrictEqual(checks.filter((check) => !isGood(check)), [])
        assert.isAtLeast(checks.filter((check) => check.startsWith("SUCCESS ")).length, 30)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "Error")), patience)
  }
})
