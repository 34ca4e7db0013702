import { assert, describe, it } from "@effect/vitest"
import { Codegen, OpenRpc } from "@parley/openrpc"
import { Effect, Result } from "effect"
import * as Pattern from "../src/internal/schema/pattern.ts"
import * as Modules from "./support/Modules.ts"

const flavours = ["(a+)+$", "^(a|a)*$", "(.*)*x", "(a?){30}a{30}$", "^(\\w+\\s?)*$"]

describe("patterns of a document", () => {
  it("are run in time that grows no faster than the text", () => {
    // The engine would take longer than there is time.
    for (const source of flavours) assert.isBoolean(Pattern.test(source, `${"a".repeat(2_000)}!`), source)
  })

  it("are not run where that needs memory, or too many steps, or the code of the module could not read them", () => {
    for (const source of ["(a)\\1", "(?<n>a)\\k<n>", "(?:a{1000}){1000}", "(", "\\-"]) {
      assert.isUndefined(Pattern.test(source, "aa"), source)
    }
  })

  const modules = Modules.make("patterns")

  const document = (schema: object, value: unknown) =>
    Result.getOrThrow(OpenRpc.decode({
      openrpc: "1.3.2",
      info: { title: "T", version: "1" },
      methods: [{
        name: "m",
        params: [],
        result: { name: "result", schema },
        examples: [{ name: "e", params: [], result: { name: "r", value } }]
      }]
    }))

  const long = `${"a".repeat(60)}!`

  const hostile = {
    "an example": { type: "string", pattern: "^(a+)+$" },
    "a constant": { type: "string", pattern: "^(a+)+$", enum: [long, "a"] },
    "a constant beside it": { allOf: [{ type: "string", pattern: "^(a+)+$" }, { enum: [long, "a"] }] },
    "a name": { properties: { [long]: {} }, patternProperties: { "^(a+)+$": {} } },
    "a name of names": { properties: { [long]: {} }, propertyNames: { pattern: "^(a+)+$" } }
  }
  for (const [what, schema] of Object.entries(hostile)) {
    it.effect(`hold up neither the writing of a module nor its loading: ${what}`, () =>
      Effect.gen(function*() {
        const text = yield* Effect.fromResult(Codegen.toModule(document(schema, long)))
        yield* modules.load(text)
      }))
  }

  it.effect("decide about examples: those that fit are kept", () =>
    Effect.gen(function*() {
      const schema = { type: "string", pattern: "^0x([1-9a-f]+[0-9a-f]*|0)$" }
      const fits = yield* Effect.fromResult(Codegen.toModule(document(schema, "0x5")))
      assert.include(fits, `examples: [{ name: "e"`)
      assert.include(fits, `new globalThis.RegExp("^0x([1-9a-f]+[0-9a-f]*|0)$", "u")`)
      const misfits = yield* Effect.fromResult(Codegen.toModule(document(schema, "0x05")))
      assert.include(misfits, `the example "e" does not fit the method, and is left out: Expected a string matching`)
      const unknown = yield* Effect.fromResult(Codegen.toModule(document({ type: "string", pattern: "(a)\\1" }, "aa")))
      assert.include(unknown, "(a)\\1, which is a pattern that is not run")
      const found = Modules.exportedBy(yield* modules.load(fits))
      assert.isTrue("members" in found && OpenRpc.fromContract(found).methods[0]?.examples?.length === 1)
    }))
})
