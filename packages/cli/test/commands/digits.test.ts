/** Numbers that a double cannot hold leave the command as they came to it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { compileCacheEnv } from "../../../../tools/compileCache.ts"
import * as Field from "../../src/internal/mcp/dialog/Field.ts"
import { answer, numbers } from "../fixtures/digits.ts"
import { configured } from "../mcp/gateway/configured.ts"
import * as Parley from "../Parley.ts"
import * as Joined from "../proxy/Joined.ts"

const server = fileURLToPath(new URL("../fixtures/digits.ts", import.meta.url))

/** Answers with the params, as a result or as the data of an error. */
const mirror = (text: string): ReadonlyArray<string> => {
  const [, id, method, params] = /"id":(\d+),"method":"(\w+)","params":(.*)\}$/.exec(text) ?? []
  if (id === undefined) return []
  if (method === "fail") return [`{"jsonrpc":"2.0","id":${id},"error":{"code":7,"message":"no","data":${params}}}`]
  return [`{"jsonrpc":"2.0","id":${id},"result":${method === "first" ? "1234567890123456789" : params}}`]
}

const params = "[1234567890123456789,1e400,-0,1.0,{\"a\":0.1000000000000000055,\"b\":9007199254740993}]"

describe("digits", () => {
  for (const kind of ["tcp", "ws", "http"]) {
    it.live(`go through parley call over ${kind}, and are printed`, () =>
      Effect.gen(function*() {
        const address = yield* Joined.serveRaw(kind, mirror)
        const [echoed, json, first, failed] = yield* Parley.runAll(
          ["call", address, "echo", params],
          ["call", address, "echo", params, "--json"],
          ["call", address, "first", params],
          ["call", address, "fail", params, "--json"]
        )
        assert.strictEqual(echoed?.stdout, `${params}\n`)
        assert.strictEqual(json?.stdout, `{"result":${params}}\n`)
        assert.strictEqual(first?.stdout, "1234567890123456789\n")
        assert.include(failed?.stdout, `"data":${params}`)
        assert.include(failed?.stderr, `data: ${params}`)
      }))
  }

  it.live("go through parley mcp call and parley mcp gateway, over stdio and HTTP, in both eras", () =>
    Effect.gen(function*() {
      const http = yield* Joined.serveRaw("http", (text) => [answer(text) ?? []].flat())
      const { file } = yield* configured({
        servers: { far: { command: process.execPath, args: [server], env: compileCacheEnv }, web: { url: http } }
      })
      const running = yield* Parley.start(["mcp", "gateway", file, "--http", "127.0.0.1:0"])
      const address = (yield* running.line).replace(/^listening /, "")
      const calls = [
        ["2025-11-25", Parley.stdio(server), "t"],
        ["2025-11-25", address, "far_t"],
        ["2026-07-28", address, "far_t"],
        ["2026-07-28", address, "web_t"]
      ] as const
      const outcomes = yield* Parley.runAll(
        ...calls.flatMap(([revision, endpoint, tool]) => [
          ["mcp", "call", endpoint, tool, numbers, "--json", "--protocol-version", revision],
          ["mcp", "call", endpoint, tool, "id=1234567890123456789", "list=[1e400,-0]", "--protocol-version", revision]
        ])
      )
      for (const [index, { stderr, stdout }] of outcomes.entries()) {
        assert.include(stdout, numbers, stderr)
        const sent = index % 2 === 0 ? numbers : `{"id":1234567890123456789,"list":[1e400,-0]}`
        assert.include(stdout, index % 2 === 0 ? JSON.stringify(sent) : sent)
      }
    }))

  it("that are typed into a form and cannot be kept are refused", () => {
    const field: Field.Field = { name: "id", schema: { type: "integer" }, isRequired: true }
    const [kept, lost] = ["9007199254740992", "1234567890123456789"].map((text) => Field.read(field, text))
    assert.deepInclude(kept, { success: 9007199254740992 })
    assert.deepInclude(lost, { failure: "it has more digits than this program keeps: it would be 1234567890123456800" })
  })
})
