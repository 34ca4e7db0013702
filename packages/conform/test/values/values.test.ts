/** Every value is held against `ajv`, which shares no line with what has written it. */
import { assert, describe, it } from "@effect/vitest"
import type { AnySchema } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { make, type Values } from "../../src/internal/values/Values.ts"

interface Group {
  readonly file: string
  readonly schema: Schema.Json
  readonly tests: ReadonlyArray<{ readonly data: Schema.Json; readonly valid: boolean }>
}

/** The schemas of the official test suite, of all keywords. */
const groups: ReadonlyArray<Group> = readFileSync(
  new URL("../../../json-schema/test/suite/draft2020-12.jsonl", import.meta.url),
  "utf8"
).trimEnd().split("\n").map((line) => JSON.parse(line))

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false
})

/** The verdict of `ajv`, where it answers all tests of the schema right: it does not for some of `$dynamicRef`. */
const judgeOf = ({ schema, tests }: Group): ((value: Schema.Json) => boolean) | undefined => {
  try {
    // A schema may be any JSON here, and `ajv` itself refuses what is none.
    const judge = ajv.compile(schema as AnySchema)
    return tests.every(({ data, valid }) => judge(data) === valid) ? (value) => judge(value) === true : undefined
  } catch {
    return undefined
  }
}

const sampled = (values: Values, count: number, seed: number) =>
  Effect.all({
    positive: Arbitrary.sampleEffect(values.positive, { count, size: 40, seed, maxDiscards: 300 }),
    negative: Arbitrary.sampleEffect(values.negative, { count, size: 40, seed, maxDiscards: 300 })
  })

const valuesOf = (group: Group) => ({ group, judge: judgeOf(group), values: make(group.schema) })

describe("the values of a schema", () => {
  const all = groups.map(valuesOf)
  const judged = all.flatMap(({ judge, ...rest }) => judge === undefined ? [] : [{ judge, ...rest }])

  it("fit, or do not fit, by another implementation", () => {
    for (const { group, judge, values } of judged) {
      for (const value of values.edges) {
        assert.isTrue(judge(value), `${JSON.stringify(value)} fits ${JSON.stringify(group.schema)}`)
      }
      for (const { keyword, value } of values.misfits) {
        assert.isFalse(judge(value), `${JSON.stringify(value)} breaks ${keyword} of ${JSON.stringify(group.schema)}`)
      }
    }
    assert.isAbove(judged.length, 320)
  })

  it.effect("fit, or do not fit, also those at random", () =>
    Effect.gen(function*() {
      for (const { group, judge, values } of judged) {
        if (values.edges.length === 0 || values.misfits.length === 0) continue
        const { negative, positive } = yield* sampled(values, 10, 7)
        for (const value of positive) assert.isTrue(judge(value), JSON.stringify([value, group.schema]))
        for (const { value } of negative) assert.isFalse(judge(value), JSON.stringify([value, group.schema]))
      }
    }))

  it("are found for nearly all schemas that have any", () => {
    const isLocal = ({ schema }: Group) => !/localhost:1234|"\$ref":"https:\/\/json-schema/.test(JSON.stringify(schema))
    const local = all.filter(({ group }) => isLocal(group))
    const without = (valid: boolean, isFound: (values: Values) => boolean) =>
      local.filter(({ group, values }) => group.tests.some((test) => test.valid === valid) && !isFound(values))
    assert.isAbove(local.length, 350)
    assert.isAtMost(without(true, ({ edges }) => edges.length > 0).length, 3)
    // A schema that nothing fits has no value near a boundary.
    assert.isAtMost(without(false, ({ misfits }) => misfits.length > 0).length, 20)
  })
})

const item = { type: "object", properties: { next: { $ref: "#" }, name: { type: "string" } }, required: ["name"] }

const texts = (values: ReadonlyArray<unknown>) => values.map((value) => JSON.stringify(value))

describe("the values of a schema", () => {
  it.effect("are the same for the same seed", () =>
    Effect.gen(function*() {
      const [one, same, other] = yield* Effect.all([1, 1, 2].map((seed) => sampled(make(item), 20, seed)))
      assert.deepStrictEqual(one, same)
      assert.notDeepEqual(one, other)
    }))

  it("stand at the boundaries first", () => {
    const { edges, misfits } = make({ type: "integer", minimum: 3, maximum: 9 })
    assert.includeMembers([...edges], [3, 4, 8, 9])
    assert.includeDeepMembers([...misfits], [
      { value: 2, pointer: "", keyword: "minimum", fitting: "number" },
      { value: 10, pointer: "", keyword: "maximum", fitting: "number" },
      { value: "1", pointer: "", keyword: "type", fitting: "number" }
    ])
  })

  it("begin with the examples that fit", () => {
    const schema = { type: "object", properties: { id: { type: "string", examples: ["a-1"] } }, required: ["id"] }
    assert.deepStrictEqual(make(schema, { examples: [{ id: 1 }, { id: "x-9" }] }).edges[0], { id: "x-9" })
    assert.deepStrictEqual(make(schema).edges[0], { id: "a-1" })
  })

  it("break a keyword where the pointer says", () => {
    const { misfits } = make({
      type: "object",
      properties: { list: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, minItems: 1 } },
      required: ["list"],
      additionalProperties: false
    })
    const kinds = misfits.map(({ keyword, pointer }) => `${keyword} ${pointer}`)
    assert.includeMembers(kinds, [
      "required /list",
      "additionalProperties /parleyUnknown",
      "type /list",
      "minItems /list",
      "type /list/0",
      "pattern /list/0"
    ])
  })

  it.effect("shrink to what matters", () =>
    Effect.gen(function*() {
      const schema = {
        type: "object",
        properties: {
          names: { type: "array", items: { type: "string" } },
          on: { type: "boolean" },
          level: { type: "integer", minimum: 0, maximum: 100 }
        },
        required: ["level"]
      }
      const fits = Schema.is(Schema.Struct({ level: Schema.Int.check(Schema.isLessThan(50)) }))
      const result = yield* Arbitrary.checkEffect(make(schema).positive, fits, { runs: 200, size: 40, seed: 3 })
      assert(result._tag === "Falsified")
      assert.sameMembers(Object.keys(Object(result.shrunkInput)), ["level"])
    }))

  it.effect("are bounded, whatever the schema is", () =>
    Effect.gen(function*() {
      const schemas: ReadonlyArray<Schema.Json> = [
        { $ref: "#" },
        { allOf: [{ $ref: "#" }, { $ref: "#" }] },
        { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] },
        { type: "array", items: { $ref: "#" }, minItems: 3 },
        {
          anyOf: [{ type: "array", items: { $ref: "#" }, minItems: 2 }, {
            type: "object",
            properties: { a: { $ref: "#" } }
          }]
        },
        { type: "string", minLength: 1e12 },
        { type: "array", minItems: 1e12 },
        { type: "object", minProperties: 1e12 },
        { type: "string", pattern: "^(a{1000}){1000}$" },
        { type: "number", multipleOf: 1e-300, minimum: 1, maximum: 1 },
        { type: "object", properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, true])) }
      ]
      for (const schema of schemas) {
        const values = make(schema, { mostEdges: 40, mostMisfits: 40 })
        for (const value of [...values.edges, ...values.misfits]) assert.isBelow(JSON.stringify(value).length, 300_000)
        const some = Arbitrary.sampleEffect(values.positive, { count: 5, size: 100, seed: 1, maxDiscards: 20 })
        for (const value of yield* Effect.orElseSucceed(some, () => [])) {
          assert.isBelow(JSON.stringify(value).length, 300_000)
        }
      }
    }))

  it("end where a schema refers to itself", () => {
    const { edges } = make(item)
    assert.includeMembers(texts(edges), [`{"name":"a"}`])
    assert.isTrue(texts(edges).some((text) => text.includes(`"next":{`)))
  })

  it("are none that another keyword refuses", () => {
    const { edges } = make({ type: "string", minLength: 1, not: { enum: ["a", "two words"] } })
    assert.isAbove(edges.length, 3)
    assert.notIncludeMembers(texts(edges), [`"a"`, `"two words"`])
  })

  it("follow a condition to either end", () => {
    const { edges } = make({
      type: "object",
      properties: { kind: { enum: ["circle", "square"] } },
      required: ["kind"],
      if: { properties: { kind: { const: "circle" } } },
      then: { properties: { radius: { type: "number" } }, required: ["radius"] },
      else: { properties: { side: { type: "number" } }, required: ["side"] }
    })
    assert.isTrue(texts(edges).some((text) => text.includes("radius")))
    assert.isTrue(texts(edges).some((text) => text.includes("side")))
  })
})
