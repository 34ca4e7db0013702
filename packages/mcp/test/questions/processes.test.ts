import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { accept, asked, params, retry } from "./retries.ts"

const Said = Schema.fromJsonString(Schema.Struct({
  result: Schema.optionalKey(Schema.Json),
  code: Schema.optionalKey(Schema.Int),
  runs: Schema.Struct({ before: Schema.Int, once: Schema.Int, after: Schema.Int }),
  pid: Schema.Int
}))

/** One request, served by a process that ends with it. */
const serve = (secret: string, request: Schema.JsonObject) =>
  Effect.callback<string, Error>((resume) => {
    const program = new URL("fixtures/OneRequest.ts", import.meta.url).pathname
    const child = execFile(process.execPath, [program, secret], (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(error)))
    child.stdin?.end(JSON.stringify(request))
    return Effect.sync(() =>
      void child.kill()
    )
  }).pipe(Effect.flatMap(Schema.decodeEffect(Said)))

const secret = "a secret that two processes share"

describe("a second process", () => {
  it.live(
    "that has the same key goes on: code before the question runs in both, once in the first, the rest in it",
    () =>
      Effect.gen(function*() {
        const first = yield* serve(secret, params)
        assert.deepStrictEqual(first.runs, { before: 1, once: 1, after: 0 })
        const question = first.result
        assert.deepStrictEqual(Object.keys(asked(question).inputRequests), ["name"])

        const second = yield* serve(secret, retry(question, { name: accept({ name: "Ann" }) }))
        assert.deepStrictEqual(second.runs, { before: 1, once: 0, after: 1 })
        assert.deepStrictEqual(second.result, { once: first.pid, name: "Ann" })
        assert.notStrictEqual(second.pid, first.pid)
      }),
    30_000
  )

  it.live("that has another key refuses", () =>
    Effect.gen(function*() {
      const first = yield* serve(secret, params)
      const again = retry(first.result, { name: accept({ name: "Ann" }) })
      const second = yield* serve(`${secret}, but not this one`, again)
      assert.deepStrictEqual(second.runs, { before: 0, once: 0, after: 0 })
      assert.strictEqual(second.code, -32602)
    }), 30_000)
})
