import { assert, describe, it } from "@effect/vitest"
import type { Contract, Method } from "@parley/contract"
import type { Params } from "@parley/contract/shared"
import { Codegen, OpenRpc } from "@parley/openrpc"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import * as JsonSchemas from "./support/JsonSchemas.ts"
import * as Modules from "./support/Modules.ts"

type AnyMethod = Method.Method<Params.Params, Params.Codec | undefined, Method.Errors>

/** The slow tests try sixteen times as many. */
const runs = process.env["SLOW"] === "1" ? 240 : 15

/** Ajv as the judge. It throws for some keywords about what no other describes, and then nothing is known. */
const judgeOf = (components: JsonSchemas.Case["components"], change: (schema: unknown) => unknown) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const schemas = Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, change(schema)]))
  ajv.addSchema({ $id: "document:", components: { schemas } })
  return (schema: unknown) => {
    const placed = JSON.stringify(schema, (key, value) => key === "$ref" ? `document:${value}` : value)
    const validate = ajv.compile(JSON.parse(placed))
    return (value: unknown) => Result.getOrElse(Result.try(() => validate(value) === true), () => false)
  }
}

/** Whether one value is another without some of its members. */
const isWithin = (one: unknown, other: unknown): boolean => {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isWithin(item, other[index]))
  }
  if (!JsonSchemas.isObject(one) || !JsonSchemas.isObject(other)) return one === other
  return Object.entries(one).every(([name, value]) => Object.hasOwn(other, name) && isWithin(value, other[name]))
}

describe("JSON Schemas of any kind", () => {
  const modules = Modules.make("schemas")

  const taking = (options: Codegen.CodegenOptions) =>
    Effect.gen(function*() {
      let described = 0
      const property = (plan: typeof JsonSchemas.CasePlan.Type) =>
        Effect.gen(function*() {
          const given = JsonSchemas.caseOf(plan)
          const document = yield* Effect.fromResult(OpenRpc.decode(JsonSchemas.documentOf(given)))
          const { notices, text } = yield* Effect.fromResult(Codegen.generate(document, options))
          const contract = Modules.exportedBy(yield* modules.load(text)) as Contract.Any
          const judge = judgeOf(given.components, (schema) => schema)
          const strict = judgeOf(given.components, (schema) => JsonSchemas.described(schema, false))
          for (const [index, schema] of given.schemas.entries()) {
            const fits = judge(schema)
            const isDescribed = strict(JsonSchemas.described(schema))
            const codec = Schema.toCodecJson((contract.members[`m${index}`] as AnyMethod).result ?? Schema.Never)
            for (const value of JsonSchemas.valuesOf(schema, given.components, given.seed, 24)) {
              const decoded = Schema.decodeUnknownResult(codec)(value)
              const told = () => JSON.stringify({ schema, components: given.components, value, notices })
              if (!fits(value)) {
                // A value that does not fit is taken only where a notice says so, or an object is open.
                const isLoose = notices.length > 0 || JsonSchemas.isOpened([schema, given.components])
                assert.isTrue(isLoose || Result.isFailure(decoded), `taken: ${told()}`)
                continue
              }
              assert.isTrue(Result.isSuccess(decoded), `refused: ${told()} ${String(decoded)}`)
              const encoded = Schema.encodeUnknownSync(codec)(Result.getOrThrow(decoded))
              assert.isTrue(isWithin(encoded, value), `changed: ${told()} ${JSON.stringify(encoded)}`)
              if (options.keepUnknown !== true && !isDescribed(value)) continue
              described++
              assert.isTrue(isDeepStrictEqual(encoded, value), `lost: ${told()} ${JSON.stringify(encoded)}`)
            }
          }
        })
      const result = yield* Arbitrary.checkEffect(
        JsonSchemas.arbitrary,
        (plan) => Effect.as(Effect.catchDefect(property(plan), Effect.fail), true),
        { runs, size: 60 }
      )
      assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
      // Of values that fit nothing nothing is learned.
      assert.isAbove(described, runs * 20)
    })

  it.effect("take every value that fits, and keep all of it that is described", () => taking({}))

  it.effect("take every value that fits, and keep all of it, if they keep what is unknown", () =>
    taking({ keepUnknown: true }))

  it.effect("keep members of which a schema says something and checks nothing", () =>
    Effect.gen(function*() {
      const free = ["format", "contentEncoding", "contentMediaType", "title"].map((keyword) => ({ [keyword]: "email" }))
      const described = [...free, {}, true, { allOf: [{ format: "email" }] }, {
        allOf: [{ title: "a" }, { format: "b" }]
      }]
      const document = yield* Effect.fromResult(OpenRpc.decode({
        openrpc: "1.3.2",
        info: { title: "t", version: "1" },
        methods: described.map((additionalProperties, index) => ({
          name: `m${index}`,
          params: [],
          result: { name: "r", schema: { type: "object", required: ["b"], additionalProperties } }
        }))
      }))
      const { text } = yield* Effect.fromResult(Codegen.generate(document))
      const contract = Modules.exportedBy(yield* modules.load(text)) as Contract.Any
      for (const [index, schema] of described.entries()) {
        const codec = Schema.toCodecJson((contract.members[`m${index}`] as AnyMethod).result ?? Schema.Never)
        const value = { b: true, kind: 3 }
        assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(value), value, JSON.stringify(schema))
      }
    }))
})
