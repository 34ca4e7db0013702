import { assert, describe, it } from "@effect/vitest"
import * as Conform from "@parley/conform/Conform"
import type { Report, Verdict } from "@parley/conform/Report"
import { type Duration, Effect, type Schema } from "effect"
import { death, type Method, Refusal, serve, silence } from "../support/Described.ts"
import { passing } from "../support/passing.ts"

const named = (name: string, schema: Schema.Json, required = true) => ({ name, schema, required })

const result = (schema: Schema.Json) => ({ name: "result", schema })

const level = { type: "integer", minimum: 1, maximum: 9 }

/** A method that is right. */
const search: Method = {
  description: {
    name: "search",
    "x-read-only": true,
    params: [named("level", level), named("word", { type: "string", minLength: 2, examples: ["apple"] }, false)],
    result: result({ type: "array", items: { type: "string" } }),
    examples: [{ name: "one", params: [{ name: "level", value: 3 }] }]
  },
  run: () => ["found"]
}

const tested = (methods: ReadonlyArray<Method>, options: Conform.ConformOptions = {}) =>
  Effect.scoped(Conform.run(serve(methods), { only: ["schema"], timeout: "300 millis", ...options }))

const verdicts = ({ results }: Report) => Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]))

const findingsOf = ({ results }: Report, id: string) => results.find((result) => result.id === id)?.findings ?? []

const right: Readonly<Record<string, Verdict>> = {
  "schema/valid": "pass",
  "schema/examples": "pass",
  "schema/served": "pass",
  "schema/accepts": "pass",
  "schema/accepts-each": "pass",
  "schema/refuses": "pass",
  "schema/refuses-coerced": "pass",
  "schema/refuses-unknown": "pass",
  "schema/refusal": "pass",
  "schema/result": "pass",
  "schema/survives": "pass",
  "schema/internal-error": "pass"
}

/** The verdicts where the method is changed. */
const changed = (change: Partial<Method>, description: Schema.JsonObject = {}) =>
  tested([{ ...search, ...change, description: { ...search.description, ...description } }])

describe("the suite schema", () => {
  it.live("passes a server that is right", () =>
    Effect.gen(function*() {
      const report = yield* tested([search])
      assert.deepStrictEqual(verdicts(report), right, JSON.stringify(report.results, null, 1))
    }))

  it.live("finds a schema that is not enforced, with the keyword and the exact texts", () =>
    Effect.gen(function*() {
      const report = yield* changed({ isLax: true })
      assert.strictEqual(verdicts(report)["schema/refuses"], "fail")
      const [finding] = findingsOf(report, "schema/refuses").filter(({ expected }) => expected.includes("minimum"))
      assert.include(finding?.expected, `search with {"level":0}, which breaks minimum at "/level"`)
      assert.match(
        finding?.exchange[0]?.text ?? "",
        /^{"jsonrpc":"2.0","id":"parley-\d+","method":"search","params":\[0\]}$/
      )
    }))

  it.live("says of a text that is read as a number that it should not be", () =>
    Effect.gen(function*() {
      const report = yield* changed({
        isLax: true,
        run: ({ level, word }) => {
          const number = typeof level === "string" ? Number(level || "x") : level
          if (typeof number !== "number" || !(number >= 1 && number <= 9 && number % 1 === 0)) {
            throw new Refusal(-32602, "level")
          }
          if (word !== undefined && (typeof word !== "string" || [...word].length < 2)) {
            throw new Refusal(-32602, "word")
          }
          return []
        }
      })
      assert.deepStrictEqual(verdicts(report), { ...right, "schema/refuses-coerced": "warning" })
    }))

  it.live("finds a refusal of what fits", () =>
    Effect.gen(function*() {
      const report = yield* changed({
        run: ({ level }) => {
          if (Number(level) > 5) throw new Refusal(-32602, "Invalid params")
          return []
        }
      })
      assert.deepStrictEqual(verdicts(report), { ...right, "schema/accepts-each": "warning" })
      const [finding] = findingsOf(report, "schema/accepts-each")
      assert.match(finding?.expected ?? "", /search with {"level":[6-9]}/)
    }))

  it.live("finds that a check of schemas refuses all that fits", () =>
    Effect.gen(function*() {
      const report = yield* changed({
        run: () => {
          throw new Refusal(-32602, "Input validation error: level is missing")
        }
      })
      assert.strictEqual(verdicts(report)["schema/accepts"], "fail")
    }))

  it.live("finds a structure of params that is not served, where the description says either", () =>
    Effect.gen(function*() {
      const description = { ...search.description, paramStructure: "either" }
      const both = yield* tested([{ ...search, description }])
      assert.deepStrictEqual(verdicts(both), right)
      const one = yield* tested([{ ...search, description, isByPosition: true }])
      assert.strictEqual(verdicts(one)["schema/accepts"], "fail")
      assert.match(findingsOf(one, "schema/accepts")[0]?.exchange[0]?.text ?? "", /"params":{"level":\d}}$/)
    }))

  it.live("finds a method that is declared, and is not there", () =>
    Effect.gen(function*() {
      const report = yield* changed({
        run: () => {
          throw new Refusal(-32601, "Method not found")
        }
      })
      assert.deepStrictEqual(verdicts(report), { ...right, "schema/served": "warning" })
    }))

  it.live("says nothing of a refusal for reasons of the world", () =>
    Effect.gen(function*() {
      const thrown = (code: number) =>
        changed({
          run: () => {
            throw new Refusal(code, "no such file")
          }
        })
      assert.deepStrictEqual(verdicts(yield* thrown(-32000)), right)
      // Whoever answers so might mean the schema.
      assert.deepStrictEqual(verdicts(yield* thrown(-32602)), { ...right, "schema/accepts-each": "warning" })
    }))

  it.live("finds another code for what does not fit", () =>
    Effect.gen(function*() {
      const report = yield* changed({
        isLax: true,
        run: ({ level }) => {
          if (typeof level !== "number" || level < 1 || level > 9) throw new Refusal(-32000, "bad")
          return []
        }
      }, { params: [named("level", level)] })
      assert.strictEqual(verdicts(report)["schema/refusal"], "warning")
    }))

  it.live("finds a result that does not fit", () =>
    Effect.gen(function*() {
      const report = yield* changed({ run: ({ level }) => level === 9 ? [9] : ["found"] })
      assert.deepStrictEqual(verdicts(report), { ...right, "schema/result": "fail" })
      assert.include(findingsOf(report, "schema/result")[0]?.received, `at "/0" it should be string`)
    }))

  it.live("finds an internal error, and a server that ends", () =>
    Effect.gen(function*() {
      const broken = yield* changed({
        run: ({ word }) => {
          if (word !== undefined) throw new Error("undefined is not a function")
          return []
        }
      })
      assert.deepStrictEqual(verdicts(broken), { ...right, "schema/internal-error": "warning" })
      const silent = yield* changed({
        isLax: true,
        run: ({ level }) => {
          if (typeof level === "string") throw silence
          return []
        }
      })
      // The server answers other requests: it may be busy with this one.
      assert.strictEqual(verdicts(silent)["schema/survives"], "pass")
      const dying = yield* changed({
        isLax: true,
        run: ({ level }) => {
          if (typeof level === "string") throw death
          return []
        }
      })
      assert.strictEqual(verdicts(dying)["schema/survives"], "fail")
      assert.match(findingsOf(dying, "schema/survives")[0]?.expected ?? "", /search with {"level":".*breaks type/)
    }))

  it.live("finds schemas that are none, and examples that do not fit", () =>
    Effect.gen(function*() {
      const report = yield* changed({ isLax: true }, {
        params: [named("level", { type: "strnig", default: 7 }), named("word", { $ref: "#/nowhere" }, false)]
      })
      assert.strictEqual(verdicts(report)["schema/valid"], "fail")
      const examples = yield* changed({}, { params: [named("level", { ...level, examples: [3, 12] })], examples: [] })
      assert.deepStrictEqual(verdicts(examples), { ...right, "schema/examples": "warning" })
      assert.include(findingsOf(examples, "schema/examples")[0]?.received, "12: it should be at most 9")
    }))

  it.live("calls nothing that does not say that it only reads, unless it may write", () =>
    Effect.gen(function*() {
      const calls: Array<unknown> = []
      const method = {
        description: { ...search.description, "x-read-only": false },
        run: (args: unknown) => {
          calls.push(args)
          return []
        }
      }
      const report = yield* tested([method])
      assert.strictEqual(verdicts(report)["schema/refuses"], "notApplicable")
      assert.include(report.results.find(({ id }) => id === "schema/refuses")?.reason, "--write")
      assert.isEmpty(calls)
      assert.strictEqual(verdicts(yield* tested([method], { write: true }))["schema/refuses"], "pass")
      assert.isNotEmpty(calls)
    }))

  it.effect("waits for an answer as long as it was told to, and for all of them not for ever", () =>
    Effect.gen(function*() {
      const late = { ...search, takes: "8 seconds", run: () => [9] } as const
      const told = (timeout: Duration.Input) => passing(tested([late], { timeout }))
      assert.strictEqual(verdicts(yield* told("5 seconds"))["schema/result"], "pass")
      assert.strictEqual(verdicts(yield* told("10 seconds"))["schema/result"], "fail")
      const silent = { ...search, takes: "1 hour" } as const
      const report = yield* passing(tested([silent], { timeout: "50 seconds", only: ["schema/result"] }))
      assert.deepStrictEqual(
        report.results.map(({ reason, verdict }) => [verdict, reason]),
        [["unverified", "no answer to search in the 45s for all calls"]]
      )
    }))

  it.live("is the same for the same seed", () =>
    Effect.gen(function*() {
      const run = Effect.map(changed({ isLax: true }), ({ results }) =>
        results.map(({ findings, id }) => [id, findings.map(({ expected }) => expected)]))
      assert.deepStrictEqual(yield* run, yield* run)
    }))
})
