/** Schemas of documents that others have written: each has values, and `ajv` agrees with them. */
import { assert, describe, it } from "@effect/vitest"
import { OpenRpc } from "@parley/openrpc"
import { Ajv, type AnySchema } from "ajv"
import { Result, type Schema } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { make } from "../../src/internal/values/Values.ts"

const file = createRequire(import.meta.url).resolve("@metamask/api-specs/dist/build/openrpc.json")

const { components, methods } = Result.getOrThrow(OpenRpc.decode(JSON.parse(readFileSync(file, "utf8"))))

const schemas = methods.flatMap(({ name, params, result }) =>
  [...params, ...result === undefined ? [] : [result]].map((content): readonly [string, Schema.Json] => [
    `${name}: ${content.name}`,
    typeof content.schema === "object" ? { ...content.schema, components } as Schema.JsonObject : content.schema
  ])
)

describe("each schema of @metamask/api-specs", () => {
  it("has values that fit and values that do not, by ajv as well", () => {
    assert.isAbove(schemas.length, 100)
    for (const [name, schema] of schemas) {
      const { edges, misfits } = make(schema, { mostEdges: 40, mostMisfits: 40 })
      assert.isNotEmpty(edges, name)
      assert.isNotEmpty(misfits, name)
      const judge = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(schema as AnySchema)
      for (const value of edges) assert.isTrue(judge(value), `${name}: ${JSON.stringify(value)}`)
      for (const { value } of misfits) assert.isFalse(judge(value), `${name}: ${JSON.stringify(value)}`)
    }
  })
})
