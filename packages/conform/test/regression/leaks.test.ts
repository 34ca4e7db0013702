/** Findings in the errors of a server. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect, Logger } from "effect"
import * as Server from "../suites/Server.ts"

const failure = (message: string, data?: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message, data } })

const run = (fault: Server.Fault, only: string) =>
  Effect.flatMap(
    Server.target(fault),
    (target) => Conform.run(target, { protocol: "jsonrpc", only: [only], methods: [{ method: "echo" }], timeout: 300 })
  ).pipe(
    Effect.scoped,
    Effect.provide(Logger.layer([])),
    Effect.map(({ results }) => results[0])
  )

describe("leaks", () => {
  it.live("are found in what a server has said before it ended", () =>
    Effect.gen(function*() {
      const result = yield* run({
        isProcess: true,
        answer: (input) =>
          input.includes("\"parley\"") ? undefined : [failure("Error: x\n    at run (/srv/app.js:1:2)")]
      }, "leaks/stack-trace")
      assert.strictEqual(result?.verdict, "fail", result?.reason)
    }))

  it.live("are reported without the secret itself", () =>
    Effect.gen(function*() {
      const result = yield* run({ answer: () => [failure("no access for password=S3CRET")] }, "leaks/secret")
      assert.strictEqual(result?.verdict, "fail", result?.reason)
      assert.notInclude(JSON.stringify(result), "S3CRET")
    }))

  it.live("are no words that say what lacks behind the name of a secret", () =>
    Effect.gen(function*() {
      const words = ["password: missing", "token=required", "Authorization: Bearer expected", "api_key is invalid"]
      const result = yield* run({ answer: () => words.map((word) => failure(`refused, ${word}`)) }, "leaks/secret")
      assert.strictEqual(result?.verdict, "pass", JSON.stringify(result))
    }))
})
