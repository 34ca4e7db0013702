/**
 * The messages that a proxy passes on a shared line, as other readers of JSON see them: Go, which accepts names in any
 * case, Python and jq.
 */
import { assert, describe, it } from "@effect/vitest"
import { Generators, Mutation } from "@parley/conformance/shared"
import { Arbitrary, Effect, Fiber } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Programs from "../../../tools/debian/Programs.ts"
import { make } from "./proxy/sharedLines.ts"

const needed = [
  { program: "go", package: "golang-go", asked: "version" },
  { program: "jq", package: "jq" },
  { program: "python3", package: "python3" }
]

/** The message as a reader sees it; its method as code points. */
interface Seen {
  readonly kind: "request" | "notification" | "response"
  readonly id: unknown
  readonly method: ReadonlyArray<number>
}

/** The messages of a text that Parley passes, as Parley sees them. */
const seenOf = (text: string): ReadonlyArray<Seen> => {
  const value: unknown = JSON.parse(text)
  return (Array.isArray(value) ? value : [value]).map(({ error, id, method, result }) => ({
    kind: method === undefined || result !== undefined || error !== undefined
      ? "response"
      : id === undefined
      ? "notification"
      : "request",
    id: id ?? null,
    method: Array.from(method ?? "", (letter) => String(letter).codePointAt(0) ?? 0)
  }))
}

/** Each text as a reader sees it, or null if the reader refuses it. */
const expectSame = (name: string, texts: ReadonlyArray<string>, seen: ReadonlyArray<unknown>) => {
  assert.lengthOf(seen, texts.length)
  assert.isAbove(seen.filter((one) => one !== null).length, texts.length / 2)
  texts.forEach((text, at) => {
    if (seen[at] !== null) assert.deepStrictEqual(seen[at], seenOf(text), `${name}: ${text}`)
  })
}

const folder = (name: string) => join(import.meta.dirname, "readers", name)

/** The readers: each is given all texts at once, a line each. */
const readers = Effect.gen(function*() {
  const here = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const go = join(here, "reader")
  execFileSync("go", ["build", "-o", go, folder("main.go")], {
    env: { ...process.env, GOCACHE: join(here, "cache"), GO111MODULE: "off" }
  })
  const run = (program: string, ...args: ReadonlyArray<string>) => (texts: ReadonlyArray<string>) =>
    execFileSync(program, args, { input: texts.map((text) => `${text}\n`).join(""), maxBuffer: 2 ** 28 })
      .toString().trimEnd().split("\n").map((line): unknown => JSON.parse(line))
  return {
    go: run(go),
    python: run("python3", folder("main.py")),
    jq: run("jq", "-R", "-c", "-f", folder("main.jq"))
  }
})

/** Names that some reader takes for one of the envelope, and others. */
const name = Generators.oneOf(
  Generators.elements("jsonrpc", "id", "method", "params", "result", "error"),
  Generators.elements("ID", "iD", "Method", "METHOD", "re\u017fult", "param\u017f", "Params", "JSONRPC", "Error", "Id"),
  Generators.elements("\u0131d", "\u0130d", "id\0", "id\ud800", "ids", "i", "d", "", "__proto__"),
  Generators.string
)

const value = Generators.oneOf(
  Generators.elements("1", "2", "null", "\"1\"", "1.0", "1e400", "[]", "{}", `{"id":1,"ID":2}`),
  Generators.elements("\"m\"", "\"2.0\"", "\"a\\u0000\"", "\"\\ud800\"", "\"\\u006d\"", "\"$/CANCELREQUEST\""),
  Generators.idText
)

/** A name as JSON, perhaps with a letter that is escaped. */
const written = Arbitrary.map(
  Arbitrary.all([name, Generators.below(12)]),
  ([name, at]) => {
    const code = name.charCodeAt(at)
    return Number.isNaN(code)
      ? JSON.stringify(name)
      : `${JSON.stringify(name.slice(0, at)).slice(0, -1)}\\u${code.toString(16).padStart(4, "0")}${
        JSON.stringify(name.slice(at + 1)).slice(1)
      }`
  }
)

/** An object with more members, at its end or its beginning. */
const withMore = (text: Arbitrary.Arbitrary<string>) =>
  Arbitrary.map(
    Arbitrary.all({
      text,
      more: Arbitrary.array(
        Arbitrary.map(Arbitrary.all([written, value]), ([name, value]) => `${name}:${value}`),
        { maxLength: 2 }
      ),
      first: Generators.elements(true, false)
    }),
    ({ first, more, text }) =>
      more.length === 0
        ? text
        : first
        ? `{${more.join(",")},${text.slice(1)}`
        : `${text.slice(0, -1)},${more.join(",")}}`
  )

const call = withMore(Arbitrary.map(
  Arbitrary.all([Generators.idText, Generators.json]),
  ([id, json]) => `{"jsonrpc":"2.0","id":${id},"method":"m","params":[${JSON.stringify(json)}]}`
))

const callText = Generators.oneOf(
  call,
  call,
  Arbitrary.map(Arbitrary.array(call, { minLength: 1, maxLength: 3 }), (calls) => `[${calls.join(",")}]`),
  Mutation.text
)

/** An answer to call 1. */
const answerText = withMore(Arbitrary.map(
  Arbitrary.all([Generators.elements("1", "1.0", "10e-1"), Generators.json]),
  ([id, json]) => `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(json)}}`
))

const count = 3_000

/** The texts that reach the endpoint: all of these are posted, with a plain call behind each. */
const passedOn = (texts: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const line = yield* make()
    const last = `{"jsonrpc":"2.0","method":"last"}`
    const fibers = yield* Effect.forEach(
      [...texts, last],
      (text) => Effect.forkChild(line.askText(text), { startImmediately: true })
    )
    const other = yield* line.other
    const passed: Array<string> = []
    while (passed.at(-1) !== last) passed.push(...(yield* other.receive).map(String))
    yield* Fiber.interruptAll(fibers)
    // As the framing of lines writes them.
    return passed.map((text) => text.replace(/[\r\n]/g, " "))
  })

/** The answer that a client with a call of its own gets, where the endpoint gives this one and then a plain one. */
const passedBack = (text: string) =>
  Effect.gen(function*() {
    const line = yield* make()
    const asked = yield* Effect.forkChild(line.askText(`{"jsonrpc":"2.0","id":"mine","method":"m"}`))
    const other = yield* line.other
    yield* other.receive
    yield* other.send([text, `{"jsonrpc":"2.0","id":1,"result":0}`])
    return yield* Fiber.join(asked)
  }).pipe(Effect.scoped)

describe("other readers of JSON", () => {
  Programs.suites(needed, () => {
    it.effect("see the same id, method and kind in every call that a proxy passes", () =>
      Effect.gen(function*() {
        const all = yield* readers
        const passed = yield* passedOn(yield* Arbitrary.sampleEffect(callText, { count }))
        assert.isAbove(passed.length, count / 10)
        for (const [name, read] of Object.entries(all)) expectSame(name, passed, read(passed))
      }))

    it.effect("see the same id and kind in every answer that a proxy passes", () =>
      Effect.gen(function*() {
        const all = yield* readers
        const texts = yield* Arbitrary.sampleEffect(answerText, { count })
        const passed = (yield* Effect.forEach(texts, passedBack)).flat()
        assert.isAtLeast(passed.length, count)
        for (const text of passed) assert.deepInclude(seenOf(text)[0], { kind: "response", id: "mine" })
        for (const [name, read] of Object.entries(all)) expectSame(name, passed, read(passed))
      }))
  })
})
