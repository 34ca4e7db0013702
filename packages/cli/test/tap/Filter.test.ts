import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import * as Filter from "../../src/internal/tap/Filter.ts"

const shows = (text: string, kind: typeof Filter.kinds[number], method?: string): boolean =>
  Result.getOrThrow(Filter.fromText(text))({ kind, ...(method !== undefined && { method }) })

describe("a filter", () => {
  it("shows what a kind or a pattern of methods names, and a response by the method of its request", () => {
    const rows: ReadonlyArray<
      readonly [text: string, kind: typeof Filter.kinds[number], method: string, isShown: boolean]
    > = [
      ["request", "request", "a", true],
      ["request", "result", "a", false],
      ["tools/*", "request", "tools/call", true],
      ["tools/*", "result", "tools/call", true],
      ["tools/*", "notification", "notifications/tools/list_changed", false],
      ["*tools*", "notification", "notifications/tools/list_changed", true],
      ["*/l*t", "request", "tools/list", true],
      ["a*a", "request", "a", false],
      ["*", "request", "", true],
      ["ping", "request", "ping", true],
      ["ping", "request", "pings", false],
      ["tools/*, error", "error", "ping", true],
      ["!ping", "request", "ping", false],
      ["!ping", "request", "tools/call", true],
      ["*,!notification", "notification", "a", false],
      ["!*/list,!http", "http", "", false]
    ]
    for (const [text, kind, method, isShown] of rows) {
      assert.strictEqual(shows(text, kind, method), isShown, `${text} of ${kind} ${method}`)
    }
    assert.isFalse(shows("*", "http"))
    assert.isTrue(shows("!*", "http"))
  })

  it("is none where a term names nothing, and the error names the term", () => {
    const rows: ReadonlyArray<readonly [text: string, why: string]> = [
      ["", `"" names nothing`],
      ["a,,b", `"" names nothing`],
      ["a,!", `"!" names nothing`],
      ["Errors", `"Errors" is no kind: did you mean error?`],
      ["!HTTP", `"!HTTP" is no kind: did you mean http?`],
      ["tools call", `"tools call" is neither a kind nor a pattern of methods`],
      ["!!a", `"!!a" is neither a kind nor a pattern of methods`]
    ]
    for (const [text, why] of rows) assert.deepStrictEqual(Filter.fromText(text), Result.fail(why))
  })

  it.effect.prop(
    "matches as the regular expression of its pattern does",
    {
      pattern: Arbitrary.schema(Schema.Array(Schema.Literals(["a", "b", "*", "/"])).check(Schema.isMinLength(1))),
      method: Arbitrary.schema(Schema.Array(Schema.Literals(["a", "b", "/"])))
    },
    ({ method, pattern }) =>
      Effect.sync(() => {
        const text = pattern.join("")
        const expected = new RegExp(`^${text.replaceAll("*", "[^]*")}$`)
        assert.strictEqual(shows(text, "request", method.join("")), expected.test(method.join("")))
      }),
    { arbitrary: { runs: 1_000 } }
  )
})
