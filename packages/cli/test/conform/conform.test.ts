/** `parley conform` on servers of the tests. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Parley from "../Parley.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-conform-"))

afterAll(() => rmSync(folder, { recursive: true }))

/** A server that answers each line with these JavaScript expressions over `id`. */
const server = (name: string, ...answers: ReadonlyArray<string>): string => {
  const script = join(folder, `${name}.mjs`)
  writeFileSync(
    script,
    `import { createInterface } from "node:readline"
const idOf = (line) => { try { return JSON.parse(line).id } catch { return null } }
for await (const line of createInterface({ input: process.stdin })) {
  const id = idOf(line)
  for (const answer of [${answers.join(", ")}]) process.stdout.write(JSON.stringify(answer) + "\\n")
}`
  )
  return script
}

const twice = Array.from({ length: 2 }, () => "{ jsonrpc: \"2.0\", id, result: null }")

const plain = ["conform", "--protocol", "jsonrpc"]

describe("parley conform", () => {
  it.live("is no success when a signal ends it", () =>
    Effect.scoped(Effect.gen(function*() {
      const started = join(folder, "started")
      const script = join(folder, "silent.mjs")
      writeFileSync(
        script,
        `import { writeFileSync } from "node:fs"
writeFileSync(${JSON.stringify(started)}, "")
process.stdin.resume()`
      )
      const conform = yield* Parley.start([...plain, "--timeout", "30s", "--", process.execPath, script])
      while (!hasFile(started)) yield* Effect.sleep("20 millis")
      yield* conform.signal("SIGTERM")
      assert.strictEqual((yield* conform.outcome).code, 143)
    })))

  it.live("lists the rules that --only and --skip choose", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* Parley.run(["conform", "--list", "--only", "leaks", "--skip", "leaks/secret"])
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(stdout.trim().split("\n").map((line) => line.split(" ")[0]), [
        "leaks/stack-trace",
        "leaks/source-path"
      ])
    }))

  it.live("is no success where no rule was looked at", () =>
    Effect.gen(function*() {
      const words = [...plain, "--only", "mcp/ping/answered", "--", process.execPath, server("right", twice[0] ?? "")]
      const outcome = yield* Parley.run(words)
      assert.deepStrictEqual([outcome.code, outcome.stdout], [64, ""], outcome.stderr)
    }))

  it.live("shows with each finding the flags that it needs, and no secret of the command line", () =>
    Effect.gen(function*() {
      const page = join(folder, "report.md")
      const outcome = yield* Parley.run([
        ...plain,
        ...["--only", "jsonrpc/one-response", "--write", "--method", "add [1, 2]", "--timeout", "2s", "--report", page],
        ...["--", process.execPath, server("twice", ...twice), "--token", "S3CRET"]
      ])
      assert.strictEqual(outcome.code, 1, outcome.stderr)
      assert.notInclude(outcome.stdout, "S3CRET")
      assert.notInclude(readFileSync(page, "utf8"), "S3CRET")
      assert.match(
        outcome.stdout,
        /again: parley conform .* --only jsonrpc\/one-response --seed 1 --protocol jsonrpc --method 'add \[1, 2\]' --write --timeout 2s$/m
      )
    }))
})

describe("reports", () => {
  it.live("are all written but the one that cannot be", () =>
    Effect.gen(function*() {
      const [lost, page] = [join(folder, "nowhere", "report.json"), join(folder, "whole.md")]
      const outcome = yield* Parley.run([
        ...plain,
        ...["--only", "jsonrpc/one-response", "--report", lost, "--report", page],
        ...["--", process.execPath, server("once", twice[0] ?? "")]
      ])
      assert.strictEqual(outcome.code, 74, outcome.stderr)
      assert.include(outcome.stdout, "1 passed, 0 failed")
      assert.include(readFileSync(page, "utf8"), "1 passed, 0 failed")
      const lines = outcome.stderr.trim().split("\n")
      assert.strictEqual(lines[0], `wrote ${page}`)
      assert.match(lines[1] ?? "", /^parley: .*nowhere\/report\.json cannot be written: ENOENT/)
      assert.lengthOf(lines, 2)
    }))
})

describe("known failures", () => {
  const run = (text: string, ...words: ReadonlyArray<string>) => {
    const list = join(folder, "known-failures.txt")
    writeFileSync(list, text)
    const script = server("same", twice[0] ?? "")
    return Parley.run([...plain, ...words, "--expect", list, "--", process.execPath, script])
  }

  it.live("that neither fail nor pass are named, and change no exit code", () =>
    Effect.gen(function*() {
      const known = ["mcp/ping/answered", "jsonrpc/version", "jsonrpc/parse-error", "robustness/abandoned"]
      const outcome = yield* run(known.join("\n"), ...known.slice(1).flatMap((id) => ["--only", id]))
      assert.strictEqual(outcome.code, 0, outcome.stderr)
      assert.include(outcome.stdout, "1 failed as expected")
      assert.deepStrictEqual(
        outcome.stderr.split("\n").filter((line) => line.startsWith("expected")),
        [
          "expected to fail, and not run: mcp/ping/answered",
          "expected to fail, and only a warning: jsonrpc/version",
          "expected to fail, and not applicable: robustness/abandoned"
        ]
      )
    }))

  it.live("that pass cost the exit code", () =>
    Effect.gen(function*() {
      const outcome = yield* run("jsonrpc/one-response", "--only", "jsonrpc/one-response")
      assert.strictEqual(outcome.code, 1, outcome.stderr)
      assert.include(outcome.stdout, "1 passed and were expected to fail")
    }))
})

describe("a run that decides next to nothing", () => {
  it.live("ends with 2, and tells how credentials are given where they lack", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* unauthorized
      const outcome = yield* Parley.run(["conform", "--protocol", "mcp", "--only", "mcp/ping/answered", url])
      assert.strictEqual(outcome.code, 2, outcome.stderr)
      assert.include(outcome.stderr, "most rules were not decided: the server asks for credentials (hint: --header-env")
    })))
})

/** The URL of a server that lets nobody in. */
const unauthorized = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(401, { "www-authenticate": "Bearer" }).end()
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
).pipe(Effect.map((server) => {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`
}))

describe("regression: flags of examples", () => {
  it("stand before the command of a server, which gets all that stands behind it", () => {
    const pages = [
      "../../README.md",
      "../../src/internal/conform/command.ts",
      "../../../../docs/how-to/prove-a-server.md"
    ]
    const lines = pages.flatMap((page) => readFileSync(new URL(page, import.meta.url), "utf8").split("\n"))
    const examples = lines.filter((line) => line.includes("parley conform "))
    assert.isAbove(examples.length, 10)
    assert.deepStrictEqual(examples.filter((line) => / -- (?:node|npx|python3) .* --[a-z]/.test(line)), [])
  })
})

const hasFile = (path: string): boolean => {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}
