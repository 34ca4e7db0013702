import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parley from "./Parley.ts"

const ok = (stdout: string): Parley.Outcome => ({ code: 0, signal: null, stdout, stderr: "" })

describe("parley serve and call --dialect", () => {
  it.live("speak JSON-RPC 1.0 on a stream, and say why params by name cannot be sent", () =>
    Effect.gen(function*() {
      const { address } = yield* Parley.listen(["--tcp", "127.0.0.1:0", "--dialect", "jsonRpc1"])
      const call = (...args: ReadonlyArray<string>) => ["call", address, ...args]
      const [sum, named, strict] = yield* Parley.runAll(
        call("sum", "[1, 2]", "--dialect", "jsonRpc1"),
        call("echo", "{\"a\": 1}", "--dialect", "jsonRpc1"),
        call("sum", "[1, 2]")
      )
      assert.deepStrictEqual(sum, ok("3\n"))
      assert.strictEqual(named?.code, 64)
      assert.include(named?.stderr, "the dialect has no params by name: give them as an array")
      assert.strictEqual(strict?.code, 2)
      assert.include(strict?.stderr, "`jsonrpc` must be \"2.0\"")
      assert.deepStrictEqual(yield* Parley.run(call("sum", "[1, 2]", "--dialect", "lenient")), ok("3\n"))
    }))

  it.live("speak JSON-RPC 1.0 over HTTP, where a notification is answered with 200", () =>
    Effect.gen(function*() {
      const { address } = yield* Parley.listen(["--http", "127.0.0.1:0/rpc", "--dialect", "jsonRpc1"])
      const call = ["call", address, "sum", "[1, 2]", "--dialect", "jsonRpc1"]
      assert.deepStrictEqual(yield* Parley.run(call), ok("3\n"))
      const answer = yield* Effect.promise(() =>
        fetch(address, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: `{"method":"update","params":[],"id":null}`
        })
      )
      assert.deepStrictEqual([answer.status, yield* Effect.promise(() => answer.text())], [200, ""])
    }))

  it.live("take the framing of the dialect where none is said", () =>
    Effect.gen(function*() {
      const { address } = yield* Parley.listen(["--tcp", "127.0.0.1:0", "--dialect", "lsp"])
      const [byDialect, byFraming] = yield* Parley.runAll(
        ["call", address, "sum", "[1, 2]", "--dialect", "lsp"],
        ["call", address, "sum", "[1, 2]", "--framing", "content-length"]
      )
      assert.deepStrictEqual([byDialect, byFraming], [ok("3\n"), ok("3\n")])
    }))

  it.live("name the dialects in the help, and where one is unknown", () =>
    Effect.gen(function*() {
      const [help, wrong] = yield* Parley.runAll(["serve", "--help"], ["serve", "--stdio", "--dialect", "soap"])
      for (const name of ["jsonRpc1", "lenient", "lsp", "ethereum"]) {
        assert.include(help?.stdout, name)
        assert.include(wrong?.stderr, name)
      }
      assert.strictEqual(wrong?.code, 64)
    }))
})

describe("parley tap --dialect", () => {
  it.live("shows messages of JSON-RPC 1.0 by their methods, over a stream and over HTTP", () =>
    Effect.gen(function*() {
      for (const place of ["--tcp", "--http"]) {
        const { address } = yield* Parley.listen([place, "127.0.0.1:0", "--dialect", "jsonRpc1"])
        const tap = yield* Parley.start(["tap", address, "--dialect", "jsonRpc1"])
        const listening = (yield* tap.errorLine).replace(/^listening /, "")
        const call = ["call", listening, "sum", "[1, 2]", "--dialect", "jsonRpc1"]
        assert.deepStrictEqual(yield* Parley.run(call), ok("3\n"))
        assert.deepInclude(JSON.parse(yield* tap.line), { kind: "request", method: "sum", id: 1 })
        assert.deepInclude(JSON.parse(yield* tap.line), { kind: "result", method: "sum", id: 1 })
        yield* tap.signal("SIGINT")
        assert.strictEqual((yield* tap.outcome).code, 0)
      }
    }))
})

describe("parley proxy --dialect", () => {
  it.live("lets clients of HTTP call a server of JSON-RPC 1.0 on a stream, which it refuses without", () =>
    Effect.gen(function*() {
      const { address } = yield* Parley.listen(["--tcp", "127.0.0.1:0", "--dialect", "jsonRpc1"])
      const through = (...flags: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const proxy = yield* Parley.start(["proxy", "--listen", "http://127.0.0.1:0/rpc", address, ...flags])
          const listening = (yield* proxy.line).replace(/^listening /, "")
          return yield* Parley.run(["call", listening, "sum", "[1, 2]", "--dialect", "jsonRpc1"])
        })
      assert.deepStrictEqual(yield* through("--dialect", "jsonRpc1"), ok("3\n"))
      assert.include((yield* through()).stderr, "Invalid Request")
    }))
})
