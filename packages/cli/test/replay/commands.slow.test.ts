/** `parley record`, `replay` and `mock` on servers of the tests. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Parley from "../Parley.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-commands-"))

afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string) => join(folder, name)

/** A server that answers each line with what it was asked, and with a token; `changed` is a field of it. */
const server = (name: string, changed: string): string => {
  const script = file(`${name}.mjs`)
  writeFileSync(
    script,
    `import { createInterface } from "node:readline"
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const result = { method, params, password: "S3CRET-1", field: ${JSON.stringify(changed)} }
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
}`
  )
  return script
}

const asked = [
  `{"jsonrpc":"2.0","id":1,"method":"one","params":{"pin":"S3CRET-2","n":9007199254740993}}`,
  `{"jsonrpc":"2.0","id":2,"method":"two"}`
].map((line) => `${line}\n`).join("")

/** Records what a client asks of a server. */
const recorded = Effect.gen(function*() {
  const out = file("recording.jsonl")
  rmSync(out, { force: true })
  const words = ["record", "--out", out, "--listen", "stdio:", "--redact", "pin", "--"]
  const ended = yield* Parley.run([...words, process.execPath, server("real", "a"), "--token", "S3CRET-3"], asked)
  assert.strictEqual(ended.code, 0, ended.stderr)
  assert.include(ended.stdout, "S3CRET-1")
  return out
})

describe("parley record", () => {
  it.live("passes everything on, and writes all of it to a file of its owner but the secrets", () =>
    Effect.gen(function*() {
      const out = yield* recorded
      const text = readFileSync(out, "utf8")
      assert.notInclude(text, "S3CRET")
      assert.include(text, "9007199254740993")
      assert.include(text, `"recording":1`)
      assert.strictEqual(statSync(out).mode & 0o777, 0o600)
    }))
})

describe("parley replay", () => {
  it.live("ends with 0 where nothing differs, and with 1 and the place where something does", () =>
    Effect.gen(function*() {
      const out = yield* recorded
      const replay = (script: string, ...words: ReadonlyArray<string>) =>
        Parley.run(["replay", out, ...words, "--", process.execPath, script])
      const same = yield* replay(server("same", "a"))
      assert.strictEqual(same.code, 0, same.stdout)
      const other = yield* replay(server("other", "b"))
      assert.strictEqual(other.code, 1, other.stdout)
      assert.include(other.stdout, `differs: /result/field: recorded "a", came "b"`)
      assert.strictEqual((yield* replay(server("other", "b"), "--ignore", "/result/field")).code, 0)
    }))

  it.live("tells a file that is no recording, and a server that is not there", () =>
    Effect.gen(function*() {
      const wrong = yield* Parley.run(["replay", server("wrong", "a"), "tcp://127.0.0.1:1"])
      assert.deepInclude(wrong, { code: 64 })
      assert.include(wrong.stderr, "is no recording")
      const begun = file("begun.jsonl")
      writeFileSync(begun, `{"recording":1,"time":"2026-01-31T12:34:56.000Z"}\n`)
      const empty = yield* Parley.run(["replay", begun, "tcp://127.0.0.1:1"])
      assert.include(empty.stderr, "begun.jsonl has no messages")
      const gone = yield* Parley.run(["replay", yield* recorded, "--", process.execPath, file("nothing.mjs")])
      assert.strictEqual(gone.code, 2, gone.stderr)
    }))
})

describe("parley mock", () => {
  it.live("serves the recording, and tells what was not found, with 1 where that is strict", () =>
    Effect.gen(function*() {
      const out = yield* recorded
      const mock = (input: string, ...words: ReadonlyArray<string>) =>
        Parley.run(["mock", out, "--stdio", ...words], input)
      const same = yield* mock(asked, "--strict")
      assert.strictEqual(same.code, 0, same.stderr)
      const lines = same.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(lines.map(({ id, result }) => [id, result.field]), [[1, "a"], [2, "a"]])
      const near = yield* mock(asked.replace("9007199254740993", "1"), "--strict")
      assert.strictEqual(near.code, 1)
      assert.include(near.stderr, "/params/n: recorded 9007199254740993, came 1")
      assert.strictEqual((yield* mock(asked.replace("9007199254740993", "1"))).code, 0)
      const none = Array.from({ length: 60 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"none"}\n`)
      const { stderr } = yield* mock(none.join(""))
      assert.include(stderr, "and 10 more\n60 texts were not found as recorded")
    }))

  it.live("has the faults that it is asked for, and refuses what is none", () =>
    Effect.gen(function*() {
      const out = yield* recorded
      const spoilt = yield* Parley.run(["mock", out, "--stdio", "--fault", "t*=error:-32001"], asked)
      assert.include(spoilt.stdout, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001`)
      for (const words of [["--fault", "two=burn"], ["--fault", "drop"], ["--delay", "two=soon"]]) {
        assert.strictEqual((yield* Parley.run(["mock", out, "--stdio", ...words])).code, 64, words.join(" "))
      }
    }))
})
