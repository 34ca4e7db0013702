/**
 * The official test suite of JSON Schema 2020-12, of https://github.com/json-schema-org/JSON-Schema-Test-Suite at commit
 * 44401e0c046704b476ec9d2e2fccdaee618f259d, one schema with its tests on a line (MIT, see suite/LICENSE).
 *
 * Nothing is fetched, so what the suite serves over HTTP is bundled into the schema that refers to it, as section 9.3 of
 * the specification describes.
 */
import { assert, describe, it } from "@effect/vitest"
import { SchemaCheck } from "@parley/json-schema"
import type { Schema } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

interface Group {
  readonly file: string
  readonly description: string
  readonly schema: Schema.Json
  readonly tests: ReadonlyArray<{ readonly description: string; readonly data: Schema.Json; readonly valid: boolean }>
}

const lines = (file: string): ReadonlyArray<string> =>
  readFileSync(new URL(`suite/${file}`, import.meta.url), "utf8").trimEnd().split("\n")

const groups = lines("draft2020-12.jsonl").map((line): Group => JSON.parse(line))

/** A document at its address. One that gives itself another is found by both. */
const located = (uri: string, schema: Schema.Json): ReadonlyArray<Schema.Json> =>
  typeof schema !== "object" || schema === null || Array.isArray(schema)
    ? []
    : "$id" in schema && schema["$id"] !== uri && typeof schema["$id"] === "string"
    ? [schema, { $id: uri, $ref: new URL(schema["$id"], uri).href }]
    : [{ $id: uri, ...schema }]

const remotes = lines("remotes.jsonl").flatMap((line) => {
  const { schema, uri }: { readonly uri: string; readonly schema: Schema.Json } = JSON.parse(line)
  return located(uri, schema)
})

const require = createRequire(import.meta.url)

const dialect = "https://json-schema.org/draft/2020-12"

const metaSchemas = [
  "schema",
  ...["applicator", "content", "core", "format-annotation", "meta-data", "unevaluated", "validation"].map((name) =>
    `meta/${name}`
  )
]
  .map((name): Schema.Json => require(`ajv/dist/refs/json-schema-2020-12/${name}.json`))

/** The schema, with the documents that it may refer to. */
const bundled = (schema: Schema.Json): Schema.Json => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema
  const text = JSON.stringify(schema)
  const more = [
    ...(text.includes("http://localhost:1234") ? remotes : []),
    ...(text.includes(`"$ref":"${dialect}`) ? metaSchemas : [])
  ]
  const { $defs } = schema as { readonly $defs?: Schema.JsonObject }
  return more.length === 0
    ? schema
    : { ...schema, $defs: { ...$defs, ...Object.fromEntries(more.map((one, index) => [`bundled ${index}`, one])) } }
}

describe("the test suite of JSON Schema 2020-12", () => {
  for (const file of new Set(groups.map(({ file }) => file))) {
    it(`every answer of ${file}`, () => {
      for (const { description, schema, tests } of groups.filter((group) => group.file === file)) {
        const check = SchemaCheck.make(bundled(schema))
        for (const test of tests) {
          assert.strictEqual(check(test.data) === undefined, test.valid, `${description}: ${test.description}`)
        }
      }
    })
  }

  it("is whole", () => {
    assert.strictEqual(groups.reduce((sum, { tests }) => sum + tests.length, 0), 1_299)
  })

  it("nothing that fits is refused where what it refers to is elsewhere", () => {
    for (const { description, schema, tests } of groups) {
      const check = SchemaCheck.make(schema)
      for (const test of tests) {
        const issue = check(test.data)
        if (test.valid && issue !== undefined) assert.isTrue(issue.isUndecided, `${description}: ${test.description}`)
      }
    }
  })
})
