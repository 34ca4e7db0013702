import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, References } from "effect"
import * as endpoint from "../../../src/internal/mcp/everything/endpoint.ts"
import * as everything from "../../../src/internal/mcp/everything/server.ts"
import * as Suite from "../Suite.ts"

/** Runs the scenarios that a revision requires against a gateway before the server that has everything. */
const against = (requirements: Revision, far: Revision) =>
  Effect.gen(function*() {
    const server = yield* everything.make
    const near = yield* McpGateway.make({
      name: "gateway",
      version: "1",
      servers: {
        everything: {
          prefix: "",
          connect: (options) =>
            Effect.provideService(
              McpMemoryClient.make({ ...options, protocolVersion: far }),
              McpServer.McpServer,
              server
            )
        }
      }
    })
    const { address } = yield* NodeHttp.serve(yield* endpoint.make(near), { port: 0, path: "/mcp" })
    return yield* Suite.run("0.2", ["--url", address, "--requirements", requirements])
  }).pipe(
    // A suite says much that is wrong, on purpose.
    Effect.provideService(References.MinimumLogLevel, "Error")
  )

/** Checks that a server of 2025-11-25 cannot pass: it has no keys of questions, and no error -32021. */
const unsayable = [
  "FAILURE sep-2322-elicitation-incomplete",
  "WARNING sep-2322-ignore-unexpected-params",
  "FAILURE sep-2575-server-rejects-undeclared-capability",
  "FAILURE sep-2575-missing-capability-http-400"
]

// Some scenarios wait for seconds to see that nothing comes.
describe.concurrent("the suite 0.2 through a gateway", () => {
  for (const [requirements, count] of [["2025-11-25", 30], ["2026-07-28", 37]] as const) {
    for (const far of ["2025-11-25", "2026-07-28"] as const) {
      it(
        `passes the ${count} scenarios of ${requirements} before a server of ${far}`,
        () =>
          Effect.runPromise(Effect.scoped(Effect.gen(function*() {
            const scored = (yield* against(requirements, far)).filter(({ unscored }) => unscored === undefined)
            const complaints = scored.flatMap(({ checks, name }) =>
              checks.filter((check) => !/^(SUCCESS|INFO|SKIPPED) /.test(check)).map((check) => `${name}: ${check}`)
            )
            assert.deepStrictEqual(
              complaints.map((complaint) => complaint.split(": ")[1]),
              requirements === "2026-07-28" && far === "2025-11-25" ? unsayable : []
            )
            assert.strictEqual(scored.length, count)
          }))),
        600_000
      )
    }
  }
})
