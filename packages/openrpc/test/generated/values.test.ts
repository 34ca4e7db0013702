/** Defaults and examples of Schemas, and parts that are malformed: a module has what fits, and it compiles. */
import { assert, describe, it } from "@effect/vitest"
import { Codegen, OpenRpc } from "@parley/openrpc"
import { Effect, Result } from "effect"
import * as Modules from "../support/Modules.ts"

const param = (schema: object) => ({ name: "p", required: true, schema })

const read = (methods: ReadonlyArray<object>, schemas: object = {}) =>
  Result.getOrThrow(OpenRpc.decode({
    openrpc: "1.2.6",
    info: { title: "T", version: "1" },
    methods: methods.map((method, index) => ({ name: `m${index}`, paramStructure: "by-name", params: [], ...method })),
    components: { schemas }
  }))

/** A schema, a value that fits it, as it is kept, and one that does not. */
const cases: ReadonlyArray<readonly [schema: object, fits: unknown, kept: unknown, misfits: unknown]> = [
  [{ type: "string" }, "a", "a", { "/": "bafy2" }],
  [{ type: "string", minLength: 2 }, "ab", "ab", "a"],
  [{ type: "integer" }, 1, 1, "ten"],
  [{ type: "integer", minimum: 0 }, 1, 1, 1.5],
  [{ type: "number", maximum: 1 }, 0.5, 0.5, 2],
  [{ type: "boolean" }, true, true, "true"],
  [{ type: "null" }, null, null, 0],
  [{ enum: ["a", "b"] }, "a", "a", "c"],
  [{ const: 1 }, 1, 1, 2],
  [{ type: "array", items: { type: "integer" } }, [1], [1], "Ynl0ZSBhcnJheQ=="],
  [{ type: "array", items: { type: "integer" }, minItems: 1 }, [1], [1], []],
  [{ type: "array", items: [{ type: "string" }, { type: "integer" }] }, ["a", 1], ["a", 1], [1, "a"]],
  [{ type: "object", properties: { a: { type: "integer" } }, required: ["a"] }, { a: 1, b: 2 }, { a: 1 }, { a: "1" }],
  [{ type: "object", additionalProperties: { type: "integer" } }, { x: 1 }, { x: 1 }, { x: "1" }],
  [{ anyOf: [{ type: "string" }, { type: "integer" }] }, 1, 1, true],
  [
    { oneOf: [{ type: "string" }, { type: "object", properties: { a: { type: "null" } } }] },
    { a: null },
    { a: null },
    1
  ],
  [{ allOf: [{ type: "object", properties: { a: { type: "integer" } } }, { required: ["a"] }] }, { a: 1 }, { a: 1 }, 1],
  [{ type: "string", nullable: true }, null, null, 1],
  [{ type: "object" }, { x: [1] }, { x: [1] }, [1]],
  [{}, { x: [1] }, { x: [1] }, undefined]
]

/** The places of a document in which a schema can stand, below its method or as a component. */
const places: ReadonlyArray<readonly [name: string, path: string, method: (schema: object) => object]> = [
  ["a param", "/params/0/schema", (schema) => ({ params: [param(schema)] })],
  ["a result", "/result/schema", (schema) => ({ result: { name: "r", schema } })],
  ["an item", "/result/schema/items", (schema) => ({
    result: { name: "r", schema: { type: "array", items: schema } }
  })],
  ["a property", "/result/schema/properties/x", (schema) => ({
    result: { name: "r", schema: { type: "object", properties: { x: schema }, required: ["x"] } }
  })],
  ["an alternative", "/result/schema/anyOf/0", (schema) => ({
    result: { name: "r", schema: { anyOf: [schema, { type: "array", items: { type: "null" }, minItems: 9 }] } }
  })]
]

const annotated = ([schema, fits, , misfits]: (typeof cases)[number]): object => ({
  ...schema,
  examples: [fits, ...(misfits === undefined ? [] : [misfits])],
  default: misfits ?? fits
})

/** All cases at one place, each in a method of its own. */
const documentAt = (method: (schema: object) => object) => read(cases.map((one) => method(annotated(one))))

/** All cases as components. */
const components = () => {
  const names = cases.map((_, index) => `C${index}`)
  return read(
    [...names, "Tree"].map((name) => ({ result: { name: "r", schema: { $ref: `#/components/schemas/${name}` } } })),
    { ...Object.fromEntries(cases.map((one, index) => [`C${index}`, annotated(one)])), Tree }
  )
}

const Tree = {
  type: "object",
  properties: { value: { type: "integer" }, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
  examples: [{ value: 1, children: [{ value: 2 }] }, { value: "1" }],
  default: { value: 1, children: [{ value: "2" }] }
}

const expected = (pathOf: (index: number) => string): ReadonlyArray<string> =>
  cases.flatMap(([, , , misfits], index) =>
    misfits === undefined ? [] : [`${pathOf(index)} the default`, `${pathOf(index)} the example 1`]
  )

const misfitsIn = (notices: ReadonlyArray<Codegen.Notice>): Array<string> =>
  notices.flatMap(({ issue, path }) =>
    issue.includes("does not fit the schema") ? [`${path} ${issue.split(" does not")[0]}`] : []
  )

describe("defaults and examples of Schemas", () => {
  for (const [name, path, method] of places) {
    it(`that do not fit ${name} are left out with a notice, and the others are kept`, () => {
      const { notices, text } = Result.getOrThrow(Codegen.generate(documentAt(method)))
      assert.sameMembers(misfitsIn(notices), [...expected((index) => `#/methods/${index}${path}`)])
      const code = text.replaceAll(/\s/g, "")
      for (const [, , kept] of cases) assert.include(code, `examples:[${written(kept)}]`)
    })
  }

  it("that do not fit a component are left out with a notice, and the others are kept", () => {
    const { notices, text } = Result.getOrThrow(Codegen.generate(components()))
    assert.sameMembers(misfitsIn(notices), [
      ...expected((index) => `#/components/schemas/C${index}`),
      "#/components/schemas/Tree the default",
      "#/components/schemas/Tree the example 1"
    ])
    const code = text.replaceAll(/\s/g, "")
    for (const [, , kept] of cases) assert.include(code, `examples:[${written(kept)}]`)
  })

  it.live("make modules that compile, with their declarations", () =>
    Effect.gen(function*() {
      const modules = Modules.make("values")
      const documents = [...places.map(([, , method]) => documentAt(method)), components()]
      for (const document of documents) yield* modules.load(Result.getOrThrow(Codegen.toModule(document)))
      assert.deepStrictEqual(modules.compile(), [])
    }), 120_000)
})

/** As code without blanks. */
const written = (json: unknown): string => JSON.stringify(json).replaceAll(/"([A-Za-z]+)":/g, "$1:")

describe("a malformed part", () => {
  const example = { name: "e", params: [{ name: "p", value: "x" }], result: { name: "r", value: "y" } }
  const call = { params: [param({ type: "string" })], result: { name: "r", schema: { type: "string" } } }
  const noticesOf = (method: object) =>
    Result.map(
      Result.flatMap(
        OpenRpc.decode({
          openrpc: "1.2.6",
          info: { title: "T", version: "1", description: ["x"], contact: 1 },
          methods: [{ name: "a", paramStructure: "by-name", ...call, ...method }]
        }),
        (document) => Codegen.generate(document)
      ),
      ({ notices }) => notices.map(({ issue, path }) => `${path} ${issue}`)
    )

  it("without which the contract is the same is left out with a notice", () => {
    const info = "#/info/description it is malformed, and is left out: Expected string"
    const rows: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
      [{ examples: [{ ...example, params: [{ value: "x" }] }, example] }, [
        "#/methods/0/examples/0 it is malformed, and is left out: params.0.name: Missing key"
      ]],
      [{ examples: {} }, ["#/methods/0/examples it is malformed, and is left out: Expected array"]],
      [{ examples: [{ ...example, description: 1 }] }, [
        "#/methods/0/examples/0/description it is malformed, and is left out: Expected string"
      ]],
      [{ description: ["a", "b"] }, ["#/methods/0/description it is malformed, and is left out: Expected string"]],
      [{ deprecated: "yes", summary: null }, [
        "#/methods/0/deprecated it is malformed, and is left out: Expected boolean",
        "#/methods/0/summary it is malformed, and is left out: Expected string"
      ]],
      [{ result: { ...call.result, description: {} } }, [
        "#/methods/0/result/description it is malformed, and is left out: Expected string"
      ]],
      [{ params: [param({ type: "string", description: ["a"], title: 1, examples: "x", deprecated: 0 })] }, [
        "#/methods/0/params/0/schema description is not a string, and is left out",
        "#/methods/0/params/0/schema title is not a string, and is left out",
        "#/methods/0/params/0/schema examples is not an array, and is left out",
        "#/methods/0/params/0/schema deprecated is not a boolean, and is left out"
      ]]
    ]
    for (const [method, expected] of rows) {
      assert.sameMembers([...Result.getOrThrow(noticesOf(method))], [info, ...expected])
    }
  })

  it("that the contract needs is refused", () => {
    for (
      const [method, path] of [
        [{ name: 1 }, "#/methods/0/name"],
        [{ params: [{ name: "p", schema: 1 }] }, "#/methods/0/params/0/schema"],
        [{ params: [{ ...param({}), required: "yes" }] }, "#/methods/0/params/0/required"],
        [{ errors: [{ code: "x", message: "m" }] }, "#/methods/0/errors/0/code"]
      ] as const
    ) {
      const refused = noticesOf(method)
      assert.isTrue(Result.isFailure(refused) && refused.failure.path === path, String(path))
    }
  })
})

describe("a large contract", () => {
  it.live("compiles, with declarations that the compiler can write", () =>
    Effect.gen(function*() {
      const modules = Modules.make("large")
      const depth = 7
      const fields = (index: number) =>
        Object.fromEntries(
          Array.from({ length: 12 }, (_, field) => [
            `field_with_a_long_name_${field}`,
            index < depth && field < 2
              ? { $ref: `#/components/schemas/View${index + 1}` }
              : { type: "object", properties: { amount: { type: "string" }, height: { type: "integer" } } }
          ])
        )
      const schemas = Object.fromEntries(
        Array.from({ length: depth + 1 }, (_, index) => [`View${index}`, { type: "object", properties: fields(index) }])
      )
      const methods = Array.from({ length: 6 }, (_, index) => ({
        name: `get view.${index}`,
        description: `The view ${index}.`,
        params: [param({ $ref: "#/components/schemas/View6" })],
        result: { name: "r", schema: { type: "array", items: { $ref: `#/components/schemas/View${index % 2}` } } }
      }))
      const { text } = Result.getOrThrow(Codegen.generate(read(methods, schemas)))
      const module = yield* modules.load(text)
      const contract = Modules.exportedBy(module)
      assert.hasAllKeys("members" in contract ? contract.members : {}, methods.map(({ name }) => name))
      assert.deepStrictEqual(modules.compile(), [])
    }), 120_000)
})
