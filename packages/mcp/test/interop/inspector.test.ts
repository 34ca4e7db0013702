import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { inspect } from "./support/inspector.ts"
import * as offered from "./support/offered.ts"
import * as places from "./support/places.ts"

const served = Effect.flatMap(places.server, places.hosted)

const overHttp = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  return yield* inspect(["--transport", "http", "--server-url", yield* served, ...args])
})

const overStdio = (...args: ReadonlyArray<string>) => inspect([...args, places.command.command, ...places.command.args])

const quietly = Effect.provide(Logger.layer([]))

describe("the inspector's command line and our server", () => {
  it.live("lists tools over stdio, all pages, its sight of them unspoilt", () =>
    Effect.gen(function*() {
      const { code, said } = yield* overStdio("--method", "tools/list")
      assert.strictEqual(code, 0)
      const { tools } = said.result as {
        readonly tools: ReadonlyArray<{ readonly name: string; readonly inputSchema: unknown }>
      }
      assert.deepStrictEqual(tools.map(({ name }) => name), offered.toolNames)
      assert.deepStrictEqual(tools.find(({ name }) => name === "verbatim"), {
        name: "verbatim",
        inputSchema: offered.verbatimSchema
      })
    }))

  it.live("calls a tool over HTTP", () =>
    Effect.gen(function*() {
      const call = ["--method", "tools/call", "--tool-name", "add", "--tool-args-json", "{\"a\":1,\"b\":2}"]
      const { code, said } = yield* overHttp(...call)
      assert.strictEqual(code, 0)
      assert.deepInclude(said.result, {
        content: [{ type: "text", text: "{\"sum\":3}" }],
        structuredContent: { sum: 3 }
      })
    }).pipe(quietly))

  it.live("reads a resource in the modern era over HTTP", () =>
    Effect.gen(function*() {
      const read = ["--protocol-era", "modern", "--method", "resources/read", "--uri", "note://ada/x"]
      const { code, said } = yield* overHttp(...read)
      assert.strictEqual(code, 0)
      assert.deepInclude(said.result, { contents: [{ uri: "note://ada/x", text: "x by ada" }] })
    }).pipe(quietly))

  it.live("tells why a prompt is refused", () =>
    Effect.gen(function*() {
      const { code, said } = yield* overHttp("--method", "prompts/get", "--prompt-name", "nobody")
      assert.notStrictEqual(code, 0)
      assert.include(said.error?.message, "nobody")
    }).pipe(quietly))
})
