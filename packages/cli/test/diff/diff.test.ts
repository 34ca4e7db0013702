import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Parley from "../Parley.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "parley-diff-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

const tools = (schema: object) =>
  JSON.stringify({
    tools: [{ name: "add", inputSchema: { type: "object", properties: { a: schema }, required: ["a"] } }]
  })

const written = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const path = yield* folder
  yield* Effect.forEach(
    Object.entries(files),
    ([name, text]) => Effect.promise(() => writeFile(join(path, name), text))
  )
  return (name: string) => join(path, name)
})

describe("parley diff", () => {
  it.live("shows what breaks, with a witness, and says it by its exit code", () =>
    Effect.gen(function*() {
      const file = yield* written({
        "number.json": tools({ type: "number" }),
        "integer.json": tools({ type: "integer" }),
        "ahead.json": tools({ type: "string", pattern: "^(?!a)" }),
        "ahead2.json": tools({ type: "string", pattern: "^(?!a)(?!a)" })
      })
      const [broken, widened, unknown, wrong] = yield* Parley.runAll(
        ["diff", file("number.json"), file("integer.json"), "--report", file("diff.sarif")],
        ["diff", file("integer.json"), file("number.json"), "--changelog"],
        ["diff", file("ahead.json"), file("ahead2.json"), "--format", "json"],
        ["diff", file("number.json"), file("missing.json")]
      )
      assert.strictEqual(broken?.code, 1)
      assert.include(broken?.stdout ?? "", "BREAKING  diff/param-narrowed  params.a may have fewer values")
      assert.include(broken?.stdout ?? "", "accepted before: 0.5")
      assert.include(broken?.stderr ?? "", "1 breaking, 0 compatible, 0 unknown")
      const sarif = JSON.parse(yield* Effect.promise(() => readFile(file("diff.sarif"), "utf8")))
      assert.strictEqual(sarif.runs[0].results[0].ruleId, "diff/param-narrowed")
      assert.containSubset(widened, { code: 0, stderr: "" })
      assert.strictEqual(widened?.stdout, "### Added and changed\n\n- **tool add**: params.a may have more values\n")
      assert.strictEqual(unknown?.code, 3)
      assert.containSubset(JSON.parse(unknown?.stdout ?? "").changes, [{ verdict: "unknown" }])
      assert.strictEqual(wrong?.code, 64)
      assert.include(wrong?.stderr ?? "", "missing.json cannot be read")
    }))

  it.live("reads modules with contracts", () =>
    Effect.gen(function*() {
      const module = new URL("../fixtures/Bank.ts", import.meta.url).pathname
      const file = yield* written({})
      const [locked, checked] = yield* Parley.runAll(
        ["lock", module, "--out", file("bank.lock.json")],
        ["lock", module, "--check", file("bank.lock.json")]
      )
      assert.strictEqual(locked?.code, 0)
      assert.strictEqual(checked?.code, 0)
      assert.include(checked?.stdout ?? "", "no changes")
    }))

  it.live("tells which recorded calls a change meets", () =>
    Effect.gen(function*() {
      const line = (text: string) =>
        JSON.stringify({ time: "2026-01-31T12:34:56.789Z", connection: 1, direction: "sent", text })
      const call = (a: number) =>
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", arguments: { a } } })
      const file = yield* written({
        "number.json": tools({ type: "number" }),
        "integer.json": tools({ type: "integer" }),
        "traffic.jsonl": [call(1), call(2.5)].map((text) => `${line(text)}\n`).join("")
      })
      const { code, stdout } = yield* Parley.run(
        ["diff", file("number.json"), file("integer.json"), "--traffic", file("traffic.jsonl")]
      )
      assert.strictEqual(code, 1)
      assert.include(stdout, "recorded calls: 1")
      assert.include(stdout, "\"arguments\":{\"a\":2.5}")
      assert.include(stdout, "1 meet recorded calls")
    }))
})

describe("parley lock", () => {
  it.live("does not write and check at once", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* Parley.run(["lock", "a.json", "--check", "b.json", "--out", "c.json"])
      assert.strictEqual(code, 64)
      assert.include(stderr, "--check and --out exclude each other")
    }))
})
