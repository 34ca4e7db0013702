/** docs/reference/errors.md has each error and each line of the log, and each says what it is about. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readSources } from "../architecture/Sources.ts"
import { foreign, things } from "../errors/Example.ts"
import { errorIn, load } from "../errors/made.ts"
import { tablesOf, textOf } from "../errors/page.ts"
import { errorClasses, logLines } from "../errors/scan.ts"

const root = join(import.meta.dirname, "../..")
const { files } = readSources(root)
const examples = await load(root)
const tables = tablesOf(readFileSync(join(root, "docs/reference/errors.md"), "utf8"))

/** A text that forges lines, drives a terminal, turns what follows around, and is large. */
const hostile = "\u001b[31m\r\nforged\u202e\u2028\u200b\u00ad\ufe0f\u{e0041}".repeat(50_000)

/** Its text is an answer to the other side, or the report of a test. */
const isReport = new Set(["conformance LawBroken", "mcp InvalidToolArguments"])

/** Where lines come from that are counted elsewhere: the log of a host, and what a server of MCP logs. */
const conduits = [
  "packages/http/src/shared/RequestRules.ts",
  "packages/mcp/src/internal/client/calls/Client.ts",
  "packages/mcp/src/internal/client/changes/Notices.ts",
  "packages/mcp/src/shared/QuietLog.ts",
  "packages/node/src/internal/http/Port.ts",
  "packages/node/src/internal/webSockets.ts",
  "packages/peer/src/Correlator.ts",
  "packages/peer/src/internal/runtime/Host.ts"
]

/** Its message is an answer to the other side, which knows what it is about. */
const isAnswer = new Set(["peer ErrorResponse", "transport Refused"])

/** An excerpt of 1,024 characters, each of them escaped, and what is around it. */
const mostCharacters = 7_000

const empty = /undefined|\[object|^\s*$/

const unprintable = /[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u

describe("the scan of the sources", () => {
  const path = "packages/peer/src/Made.ts"
  const scanned = (code: string) => new Map([[path, code]])

  it("finds classes of errors, however they are declared", () => {
    const code = `
export class A extends Schema.TaggedError<A>()("A", {}) {}
class B extends stackless(
  Schema.TaggedError<B>()("B", {})
) {}
class C extends Data.TaggedError("C")<{}> {}
class D extends RangeError {}
// class E extends Error {}
class F extends Lane {}`
    assert.deepStrictEqual(errorClasses(scanned(code)).map(({ name }) => name), ["A", "B", "C", "D"])
  })

  it("finds lines of the log, with an ellipsis for each value", () => {
    const code = `
Effect.logWarning("plain \\"text\\"", cause)
Effect.logWithLevel(level)(\`a \\\`b\\\` of \${map({ a: 1 })} and \${c}\`)
this.#options.host.log(
  \`of \${id}\`, Cause.empty)
const text = \`late \${d}\`
return log(text, cause)
return log(message)
yield* call.log("info", "for a client")
get log() {}`
    assert.deepStrictEqual(logLines(scanned(code)).map(({ text }) => text), [
      "plain \"text\"",
      "a `b` of … and …",
      "of …",
      "late …",
      undefined
    ])
  })
})

describe("each class of errors", () => {
  const classes = errorClasses(files)
  const packages = [...new Set(classes.map((found) => found.package))].toSorted()

  it("has an example", () => {
    for (const name of packages) {
      const declared = classes.filter((found) => found.package === name).map((found) => found.name).toSorted()
      assert.deepStrictEqual(Object.keys(examples.get(name) ?? {}).toSorted(), declared, name)
    }
    assert.deepStrictEqual([...examples.keys()].toSorted(), packages)
  })

  for (const [name, all] of examples) {
    for (const [tag, { make, names }] of Object.entries(all)) {
      it(`says what it is about, as the page has it: ${name} ${tag}`, async () => {
        const error = errorIn(await make(foreign))
        assert.strictEqual(error?.constructor.name, tag)
        const [message = "", ...others] = error?.message.split("\n") ?? []
        assert.notMatch(message, empty)
        assert.isNotEmpty(names)
        for (const [thing, text] of Object.entries(names)) assert.include(message, text, `it names its ${thing}`)
        for (const thing of isAnswer.has(`${name} ${tag}`) ? [] : things) {
          const value: unknown = Reflect.get(error ?? {}, thing)
          if (value !== undefined) assert.include(names[thing] ?? "", String(value), `its example names its ${thing}`)
        }
        if (!isReport.has(`${name} ${tag}`)) assert.deepStrictEqual(others, [])
        const row = tables.get(name)?.find((row) => row.name === tag)
        assert.isDefined(row, `docs/reference/errors.md has no row for ${tag} of ${name}`)
        const [says = "", who = "", what = ""] = row?.cells ?? []
        assert.strictEqual(textOf(says), message)
        assert.notMatch(who, empty)
        assert.notMatch(what, empty)
      })

      if (!isReport.has(`${name} ${tag}`)) {
        it(`is one line of bounded length, whatever the other side sends: ${name} ${tag}`, async () => {
          const message = errorIn(await make(hostile))?.message ?? ""
          assert.notMatch(message, empty)
          assert.notMatch(message, unprintable)
          assert.isAtMost(message.length, mostCharacters)
        })
      }
    }
  }

  it("is still there, where the page has it", () => {
    for (const [name, all] of examples) {
      assert.deepStrictEqual(tables.get(name)?.map((row) => row.name), Object.keys(all).toSorted(), name)
    }
  })
})

describe("each line of the log", () => {
  const lines = logLines(files)
  const packages = [...new Set(lines.map((found) => found.package))]

  it("says what it is about", () => {
    for (const { path, text } of lines) {
      if (text === undefined) assert.include(conduits, path)
      else {
        assert.match(text, /…|`/, path)
        assert.notMatch(text, empty)
        assert.isAtMost(text.length, 120, path)
      }
    }
  })

  for (const name of packages) {
    it(`is on the page: ${name}`, () => {
      const texts = lines.flatMap((found) => found.package === name && found.text !== undefined ? [found.text] : [])
      const rows = tables.get(`Logged by ${name}`) ?? []
      assert.deepStrictEqual(rows.map((row) => row.name).toSorted(), [...new Set(texts)].toSorted())
      for (const { cells: [means = ""] } of rows) assert.notMatch(means, empty)
    })
  }
})
