import { assert, describe, it } from "@effect/vitest"
import { OpenRpc } from "@parley/openrpc"
import { Arbitrary, Effect, Result, Schema } from "effect"

const base = { openrpc: "1.2.6", info: { title: "T", version: "1" }, methods: [] }

const withMethod = (method: object, more: object = {}) => ({
  ...base,
  methods: [{ name: "a", params: [], ...method }],
  ...more
})

const failureOf = (json: unknown): OpenRpc.OpenRpcError => Result.getOrThrow(Result.flip(OpenRpc.decode(json)))

describe("decode", () => {
  it("puts what references point to in their places", () => {
    const components = {
      contentDescriptors: { Id: { name: "id", schema: { $ref: "#/components/schemas/Id" } } },
      schemas: { Id: { type: "string" } },
      errors: { Lost: { code: 1, message: "lost" } },
      examples: { One: { name: "one", value: 1 }, Alias: { $ref: "#/components/examples/One" } },
      examplePairings: {
        Pair: {
          name: "p",
          params: [{ $ref: "#/components/examples/Alias" }],
          result: { $ref: "#/components/examples/One" }
        }
      },
      tags: { T: { name: "t" } },
      links: { L: { method: "a" } }
    }
    const document = Result.getOrThrow(OpenRpc.decode(withMethod({
      params: [{ $ref: "#/components/contentDescriptors/Id" }],
      result: { $ref: "#/methods/0/params/0" },
      errors: [{ $ref: "#/components/errors/Lost" }],
      examples: [{ $ref: "#/components/examplePairings/Pair" }],
      tags: [{ $ref: "#/components/tags/T" }],
      links: [{ $ref: "#/components/links/L" }]
    }, { components })))
    const id = { name: "id", schema: { $ref: "#/components/schemas/Id" } }
    const one = { name: "one", value: 1 }
    assert.deepStrictEqual(document.methods, [{
      name: "a",
      params: [id],
      result: id,
      errors: [{ code: 1, message: "lost" }],
      examples: [{ name: "p", params: [one], result: one }],
      tags: [{ name: "t" }],
      links: [{ method: "a" }]
    }])
  })

  it("reads pointers as RFC 6901 does", () => {
    const components = { contentDescriptors: { "a/b~c%20 d": { name: "x", schema: true } } }
    const reference = { $ref: "#/components/contentDescriptors/a~1b~0c%2520%20d" }
    const document = OpenRpc.decode(withMethod({ params: [reference] }, { components }))
    assert.deepStrictEqual(Result.getOrThrow(document).methods[0]?.params, [{ name: "x", schema: true }])
  })

  it("keeps members that begin with x-, and does not look at others", () => {
    const document = Result.getOrThrow(OpenRpc.decode({
      ...withMethod({ "x-own": [1], other: 1, result: { name: "r", schema: {}, "x-unit": "m" } }),
      "x-top": { a: null },
      unknown: 1
    }))
    assert.deepStrictEqual(document as unknown, {
      ...base,
      methods: [{ name: "a", params: [], "x-own": [1], result: { name: "r", schema: {}, "x-unit": "m" } }],
      "x-top": { a: null }
    })
  })

  describe("with references to other documents", () => {
    const api = {
      openrpc: "1.3.2",
      info: { title: "Api", version: "1" },
      methods: [],
      components: {
        contentDescriptors: { Id: { name: "id", required: true, schema: { $ref: "#/components/schemas/Felt" } } },
        errors: { LOST: { code: 1, message: "lost", data: { $ref: "#/components/schemas/Node" } } },
        schemas: {
          Felt: { type: "string" },
          Node: {
            type: "object",
            properties: {
              id: { $ref: "#/components/schemas/Felt" },
              left: { $ref: "#/components/schemas/Node" },
              tree: { $ref: "./types.json#/definitions/Tree" }
            }
          }
        }
      }
    }
    const types = { definitions: { Tree: { properties: { node: { $ref: "api.json#/components/schemas/Node" } } } } }
    const sources = {
      base: "file:///specs/main.json",
      documents: new Map<string, unknown>([["file:///specs/api.json", api], ["file:///specs/types.json", types]])
    }
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

    it("puts them in their places, and their schemas among the components, in circles, too", () => {
      const document = Result.getOrThrow(OpenRpc.decode({
        ...withMethod({
          params: [{ $ref: "./api.json#/components/contentDescriptors/Id" }],
          result: { name: "r", schema: { items: { $ref: "file:///specs/api.json#/components/schemas/Node" } } },
          errors: [{ $ref: "api.json#/components/errors/LOST" }]
        }),
        components: { schemas: { Felt: { type: "integer" }, Node: { $ref: "api.json#/components/schemas/Node" } } }
      }, sources))
      assert.deepStrictEqual(document.methods[0]?.params, [{ name: "id", required: true, schema: ref("Felt_2") }])
      assert.deepStrictEqual(document.methods[0]?.result?.schema, { items: ref("Node") })
      assert.deepStrictEqual(document.methods[0]?.errors, [{ code: 1, message: "lost", data: ref("Node") }])
      assert.deepStrictEqual(document.components?.schemas, {
        Felt: { type: "integer" },
        Node: { type: "object", properties: { id: ref("Felt_2"), left: ref("Node"), tree: ref("Tree") } },
        Felt_2: { type: "string" },
        Tree: { properties: { node: ref("Node") } }
      })
    })

    it("makes components of schemas that stand elsewhere in the document", () => {
      const document = Result.getOrThrow(OpenRpc.decode({
        ...withMethod({ result: { name: "r", schema: { $ref: "#/components/schemas/A/properties/b" } } }),
        components: {
          schemas: { A: { properties: { b: { items: { $ref: "#/components/schemas/A/properties/b" } } } } }
        }
      }))
      assert.deepStrictEqual(document.methods[0]?.result?.schema, ref("b"))
      assert.deepStrictEqual(document.components?.schemas, {
        A: { properties: { b: { items: ref("b") } } },
        b: { items: ref("b") }
      })
    })

    it("tells which it needs", () => {
      const named = (json: unknown) => OpenRpc.referred(json, "file:///specs/sub/main.json")
      assert.deepStrictEqual(named(withMethod({ result: { $ref: "../api.json#/a" }, params: [{ $ref: "#/b" }] })), [
        "file:///specs/api.json"
      ])
      assert.deepStrictEqual(named(types), ["file:///specs/sub/api.json"])
      assert.deepStrictEqual(named({ $ref: "https://example.org/a.json" }), ["https://example.org/a.json"])
    })
  })

  const wrong: ReadonlyArray<readonly [what: string, json: unknown, path: string, message: string]> = [
    ["what is no object", null, "#", "#: Expected object"],
    ["what has no methods", { openrpc: "1.2.6", info: base.info }, "#/methods", "#/methods: Missing key"],
    ["a version that it does not know", { ...base, openrpc: "2.0.0" }, "#/openrpc", "a version of OpenRPC 1"],
    ["a param without a name", withMethod({ params: [{ schema: {} }] }), "#/methods/0/params/0/name", "Missing key"],
    [
      "an error whose code is no integer",
      withMethod({ errors: [{ code: 1.5, message: "" }] }),
      "#/methods/0/errors/0/code",
      "integer"
    ],
    [
      "two methods of one name",
      { ...base, methods: [{ name: "a", params: [] }, { name: "a", params: [] }] },
      "#/methods/1/name",
      "there is a method \"a\" already"
    ],
    [
      "a reference to nothing",
      withMethod({ params: [{ $ref: "#/components/x" }] }),
      "#/methods/0/params/0",
      "there is nothing at #/components/x"
    ],
    [
      "a reference to another document",
      withMethod({ result: { $ref: "other.json#/a" } }),
      "#/methods/0/result",
      "there is nothing at other.json#/a"
    ],
    [
      "a reference to itself",
      withMethod({ result: { $ref: "#/methods/0/result" } }),
      "#/methods/0/result",
      "there is nothing at #/methods/0/result"
    ],
    [
      "a reference into a prototype",
      withMethod({ result: { $ref: "#/constructor" } }),
      "#/methods/0/result",
      "there is nothing at #/constructor"
    ]
  ]
  for (const [what, json, path, message] of wrong) {
    it(`refuses ${what}, and says where`, () => {
      const error = failureOf(json)
      assert.deepStrictEqual([error._tag, error.path], ["OpenRpcError", path])
      assert.include(error.message, message)
    })
  }

  it("takes values that are nested deeper than its stack", () => {
    let json: unknown = 1
    for (let depth = 0; depth < 50_000; depth++) json = [json]
    assert.isTrue(Result.isSuccess(OpenRpc.decode(withMethod({ "x-deep": json }))))
  })

  it.effect("ends for any JSON, damaged documents among them", () =>
    Effect.gen(function*() {
      const damaged = Schema.Struct({
        at: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))),
        value: Schema.Json
      })
      const whole = withMethod({
        params: [{ name: "p", schema: { type: "string" } }],
        result: { $ref: "#/methods/0/params/0" },
        errors: [{ code: 1, message: "m" }],
        examples: [{ name: "e", params: [], result: { name: "r", value: 1 } }],
        "x-parley-subscription": { item: {}, carrier: { _tag: "PartialResults" } }
      })
      const result = yield* Arbitrary.checkEffect(Arbitrary.schema(damaged), ({ at, value }) => {
        const decoded = OpenRpc.decode(replaced(whole, at, value))
        return Result.isSuccess(decoded) || decoded.failure._tag === "OpenRpcError"
      }, { runs: 300 })
      assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
    }))
})

/** Another value at the end of a path, whose steps count members. */
const replaced = (json: unknown, [step, ...path]: ReadonlyArray<number>, value: unknown): unknown => {
  if (step === undefined || typeof json !== "object" || json === null) return value
  const entries = Object.entries(json)
  const index = step % Math.max(entries.length, 1)
  const changed = entries.map(([name, member], at) =>
    [name, at === index ? replaced(member, path, value) : member] as const
  )
  return Array.isArray(json) ? changed.map(([, member]) => member) : Object.fromEntries(changed)
}
