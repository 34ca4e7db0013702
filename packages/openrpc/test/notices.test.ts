import { assert, describe, it } from "@effect/vitest"
import type { Contract, Method } from "@parley/contract"
import type { Params } from "@parley/contract/shared"
import { Codegen, OpenRpc } from "@parley/openrpc"
import { Effect, Result, Schema } from "effect"
import * as Modules from "./support/Modules.ts"

type AnyMethod = Method.Method<Params.Params, Params.Codec | undefined, Method.Errors>

const read = (json: object): OpenRpc.Document =>
  Result.getOrThrow(OpenRpc.decode({ openrpc: "1.3.2", info: { title: "T", version: "1" }, ...json }))

describe("generate", () => {
  const modules = Modules.make("notices")

  describe("where a method does not say how its params go", () => {
    const param = (name: string, required: boolean) => ({ name, required, schema: { type: "string" } })
    const document = read({
      methods: [
        { name: "all", params: [param("p", true), param("q", true)] },
        { name: "some", params: [param("p", true), param("q", false)] },
        { name: "none", params: [] },
        { name: "said", params: [param("p", true)], paramStructure: "either" }
      ]
    })
    const generated = (options?: Codegen.CodegenOptions) => {
      const { notices, text } = Result.getOrThrow(Codegen.generate(document, options))
      const members = text.split(/^ {2}(?=\w+: (?:Method|Notification))/m).slice(1)
      const byPosition = members.filter((member) => member.includes("by-position")).map((member) =>
        member.split(":")[0]
      )
      return { text, notices, byPosition }
    }

    it("guesses by position if all are required, and says so", () => {
      const { byPosition, notices, text } = generated()
      assert.deepStrictEqual(byPosition, ["all"])
      const issue = "methods without paramStructure are called as a guess: by position all; by name some"
      assert.deepStrictEqual(notices, [{ path: "#/methods", issue }])
      assert.include(text, ` * - #/methods: ${issue}`)
    })

    it("guesses nothing if it is told", () => {
      assert.deepInclude(generated({ byPosition: true }), { byPosition: ["all", "some"], notices: [] })
      assert.deepInclude(generated({ byPosition: false }), { byPosition: [], notices: [] })
    })
  })

  describe("leaves out nothing in silence", () => {
    it("of two errors with one code", () => {
      const errors = [{ code: 3, message: "reverted" }, { code: 3, message: "halted" }]
      const { notices } = Result.getOrThrow(Codegen.generate(read({ methods: [{ name: "a", params: [], errors }] })))
      assert.deepStrictEqual(notices, [
        { path: "#/methods/0/errors", issue: "of 2 errors with the code 3 the first is kept" }
      ])
    })

    const noticesOf = (method: object) =>
      Result.getOrThrow(Codegen.generate(read({ methods: [{ name: "a", params: [], ...method }] }))).notices

    it("of what a contract has no place for", () => {
      const param = { name: "p", required: true, schema: { type: "string" }, "x-unit": "m" }
      const { notices, text } = Result.getOrThrow(Codegen.generate(read({
        servers: [{ name: "s", url: "http://localhost" }],
        externalDocs: { url: "http://localhost" },
        "x-team": "core",
        components: { "x-owner": "us", schemas: {} },
        methods: [{
          name: "a",
          paramStructure: "by-name",
          params: [param],
          result: { name: "r", schema: { type: "string" }, "x-unit": "kg" },
          tags: [{ name: "t" }],
          links: [{ name: "l" }],
          servers: [],
          externalDocs: { url: "http://localhost" },
          "x-internal": false,
          examples: [{ name: "e", "x-seen": 1, params: [], result: { name: "r", value: "v" } }]
        }]
      })))
      const omitted = [
        ["#", ["servers", "externalDocs", "x-team"]],
        ["#/components", ["x-owner"]],
        ["#/methods/0", ["tags", "links", "externalDocs", "x-internal"]],
        ["#/methods/0/examples/0", ["x-seen"]]
      ] as const
      const told = notices.filter(({ issue }) => issue.endsWith("has no place in a contract, and is left out"))
      assert.sameMembers(
        told.map(({ issue, path }) => `${path} ${issue.split(" ")[0]}`),
        omitted.flatMap(([path, names]) => names.map((name) => `${path} ${name}`))
      )
      assert.include(text, `"x-unit": "m"`)
      assert.include(text, `"x-unit": "kg"`)
    })

    it("of an object that becomes open, and of what stands beside a reference", () => {
      const closed = { type: "object", properties: { id: { type: "string" } }, additionalProperties: false }
      const schema = {
        type: "object",
        properties: { one: { ...closed }, two: { $ref: "#/components/schemas/A", title: "Two", description: "2" } }
      }
      const { notices } = Result.getOrThrow(Codegen.generate(read({
        methods: [{ name: "a", params: [], result: { name: "r", schema } }],
        components: { schemas: { A: { type: "string" } } }
      })))
      const place = "#/methods/0/result/schema/properties"
      assert.sameDeepMembers([...notices], [
        { path: `${place}/one`, issue: "additionalProperties is false and is not checked: other members are left out" },
        { path: `${place}/two`, issue: "title beside $ref is left out" },
        { path: `${place}/two`, issue: "description beside $ref is left out" }
      ])
    })

    it("of an error whose data is a value and no JSON Schema", () => {
      const errors = [{ code: 1, message: "one" }, { code: 2, message: "two", data: { detail: "more" } }]
      assert.deepStrictEqual(noticesOf({ errors }), [{
        path: "#/methods/0/errors/1/data",
        issue: "the data of the error 2 is a value and no JSON Schema, and is left out"
      }])
    })

    it("of an error whose data has no place for its tag and its message", () => {
      const errors = [{ code: 3, message: "three", data: { type: "array", items: { type: "string" } } }]
      const named = { 3: { tag: "Three", messageField: "text" } }
      assert.deepStrictEqual(noticesOf({ errors, "x-parley-errors": named }), [{
        path: "#/methods/0/errors/0/data",
        issue: `the error 3 is only its data, which has no place for the tag "Three" and the field "text"`
      }])
    })

    it("of an example that does not fit its method", () => {
      const result = { name: "r", schema: { type: "integer" } }
      const examples = [{ name: "e", params: [], result: { name: "r", value: "no" } }]
      assert.deepStrictEqual(noticesOf({ result, examples }), [{
        path: "#/methods/0/examples/0",
        issue: `the example "e" does not fit the method, and is left out: Expected number`
      }])
    })

    const generate = (schema: object, components: object = {}, options: Codegen.CodegenOptions = {}) =>
      Effect.gen(function*() {
        const document = read({
          methods: [{ name: "a", params: [], result: { name: "result", schema } }],
          components: { schemas: components }
        })
        const { notices, text } = yield* Effect.fromResult(Codegen.generate(document, options))
        const found = Modules.exportedBy(yield* modules.load(text)) as Contract.Any
        const codec = Schema.toCodecJson((found.members["a"] as AnyMethod).result ?? Schema.Never)
        const roundTrip = (value: unknown) => Schema.encodeUnknownSync(codec)(Schema.decodeUnknownSync(codec)(value))
        return { notices: notices.map(({ issue, path }) => `${path}: ${issue}`), roundTrip, text }
      })

    it.effect("of an object keeps the members that no keyword describes, if it is told", () =>
      Effect.gen(function*() {
        const schema = { type: "object", properties: { id: { type: "string" } } }
        const told = yield* generate(schema, {}, { keepUnknown: true })
        const value = { id: "1", more: { deep: [1] } }
        assert.deepStrictEqual(told.roundTrip(value), value)
        assert.deepStrictEqual((yield* generate(schema)).roundTrip(value), { id: "1" })
      }))

    it.effect("of an object keeps the members of which nothing can be checked", () =>
      Effect.gen(function*() {
        const schema = { required: ["id"], additionalProperties: { unevaluatedItems: { type: "string" } } }
        const value = { id: "1", more: { deep: [1] } }
        for (const keepUnknown of [false, true]) {
          assert.deepStrictEqual((yield* generate(schema, {}, { keepUnknown })).roundTrip(value), value)
        }
      }))

    const node = { $ref: "#/components/schemas/Node" }
    const twice: Readonly<Record<string, readonly [schema: object, node: object]>> = {
      properties: [{ allOf: [{ properties: { a: node } }, { properties: { a: node } }] }, {
        additionalProperties: node
      }],
      items: [{ allOf: [{ items: node }, { items: node }] }, { items: node }],
      alternatives: [{ allOf: [node, node] }, { additionalProperties: node, anyOf: [{}] }]
    }
    for (const [what, [schema, component]] of Object.entries(twice)) {
      it.effect(`tells that nothing is checked where a component that holds itself is asked for twice: ${what}`, () =>
        Effect.gen(function*() {
          const { notices, roundTrip } = yield* generate(schema, { Node: component })
          assert.deepStrictEqual(notices, ["#/methods/0/result/schema: allOf is not checked"])
          assert.deepStrictEqual(roundTrip({ a: { b: {} } }), { a: { b: {} } })
        }))
    }

    const kinds = [
      { properties: { kind: { const: "a" }, x: { type: "string" } }, required: ["kind", "x"] },
      { properties: { kind: { const: "b" }, y: { type: "number" } }, required: ["kind", "y"] }
    ]
    const own = { type: "object", properties: { id: { type: "string" }, note: { type: ["string", "null"] } } }

    for (const mode of ["oneOf", "anyOf"]) {
      it.effect(`reads members of ${mode} beside its own, one of which may be null`, () =>
        Effect.gen(function*() {
          const { notices, roundTrip } = yield* generate({ ...own, required: ["id"], [mode]: kinds })
          const value = { id: "1", note: null, kind: "a", x: "kept" }
          assert.deepStrictEqual(roundTrip(value), value)
          assert.throws(() => roundTrip({ ...value, kind: "b" }))
          assert.deepStrictEqual(notices, [])
        }))
    }

    const value = { id: "1", x: { deep: [1] } }
    const place = "#/methods/0/result/schema"
    const lost: ReadonlyArray<readonly [keyword: string, schema: object, notices: ReadonlyArray<string>]> = [
      ["additionalProperties", { ...own, additionalProperties: { type: "object" } }, [
        `${place}: additionalProperties is not checked`
      ]],
      ["patternProperties", { ...own, patternProperties: { "^x": { type: "object" } } }, [
        `${place}: patternProperties is not checked`
      ]],
      ["if, then, else", { ...own, if: { required: ["id"] }, then: { properties: { x: {} } }, else: false }, [
        `${place}: if is not checked`,
        `${place}: then is not checked`,
        `${place}: else is not checked`
      ]],
      ["dependentSchemas", { ...own, dependentSchemas: { id: { properties: { x: {} } } } }, [
        `${place}: dependentSchemas is not checked`
      ]],
      ["unevaluatedProperties", { ...own, unevaluatedProperties: { type: "object" } }, [
        `${place}: unevaluatedProperties is not checked`
      ]],
      ["a constant object", { ...own, const: value }, [`${place}: const is not checked`]],
      ["one beside a reference", { $ref: "#/components/schemas/Own", dependentRequired: { id: ["x"] } }, [
        `${place}: dependentRequired is not checked`
      ]],
      ["one within", { type: "object", properties: { x: { not: { type: "string" } } } }, [
        `${place}/properties/x: not is not checked`
      ]],
      ["a word that is none", { ...own, additionalProperties: true, discriminator: "kind" }, [
        `${place}: discriminator is no keyword of JSON Schema, and is left out`
      ]],
      ["one whose value is none", { ...own, additionalProperties: true, required: "id" }, [
        `${place}: required is not checked`
      ]]
    ]
    for (const [keyword, schema, notices] of lost) {
      it.effect(`says that it does not check ${keyword}, and keeps the members`, () =>
        Effect.gen(function*() {
          const found = yield* generate(schema, { Own: { ...own, additionalProperties: true } })
          assert.deepStrictEqual(found.notices, notices)
          for (const notice of notices) assert.include(found.text, ` * - ${notice}`)
          const given = keyword === "one within" ? { x: value.x } : value
          if (keyword !== "one beside a reference") assert.deepStrictEqual(found.roundTrip(given), given)
        }))
    }

    it.effect("takes tuples of which the end may be left out, in circles and among alternatives", () =>
      Effect.gen(function*() {
        const tree = { type: "array", items: [{ type: "null" }, { $ref: "#/components/schemas/Tree" }] }
        const found = yield* generate({ $ref: "#/components/schemas/Tree" }, {
          Tree: { anyOf: [tree, { type: "null" }] }
        })
        for (const given of [null, [], [null], [null, [null, null]]]) {
          assert.deepStrictEqual(found.roundTrip(given), given)
        }
        assert.throws(() => found.roundTrip([null, [1]]))
      }))

    it.effect("checks the properties beside others whose type it does not check", () =>
      Effect.gen(function*() {
        const list = { type: "array", items: { type: "object", properties: { name: { type: "string" } } } }
        const found = yield* generate({ properties: { own: list }, additionalProperties: { ...list, minItems: 1 } })
        const given = { own: [{ name: "x" }], other: [{ name: "y" }] }
        assert.deepStrictEqual(found.roundTrip(given), given)
        assert.throws(() => found.roundTrip({ own: [{ name: 1 }] }))
        assert.deepStrictEqual(found.notices, [`${place}: additionalProperties is not checked`])
      }))

    it.effect("keeps the members that only an unchecked keyword describes", () =>
      Effect.gen(function*() {
        const kept = { properties: { y: { type: "integer" } } }
        const found = yield* generate({ type: "object", properties: { x: { type: "integer" } }, if: {}, then: kept })
        assert.deepStrictEqual(found.roundTrip({ x: 1, y: 2 }), { x: 1, y: 2 })
        const beside = yield* generate({ allOf: [own, { if: { required: ["id"] }, then: kept }] })
        assert.deepStrictEqual(beside.roundTrip({ id: "1", y: 2 }), { id: "1", y: 2 })
      }))

    it.effect("checks nothing where two alternatives describe one member in two ways", () =>
      Effect.gen(function*() {
        const inner = (name: string) => ({ properties: { x: { properties: { [name]: { type: "integer" } } } } })
        const found = yield* generate({ anyOf: [inner("a"), inner("b")] })
        const given = { x: { a: 1, b: 2 } }
        assert.deepStrictEqual(found.roundTrip(given), given)
        assert.deepStrictEqual(found.notices, [`${place}: anyOf is not checked`])
      }))

    it.effect("keeps members where a value fits two alternatives", () =>
      Effect.gen(function*() {
        const found = yield* generate({ anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] })
        assert.deepStrictEqual(found.roundTrip({ a: 1, b: 2 }), { a: 1, b: 2 })
        assert.deepStrictEqual(found.notices, [])
      }))
  })
})
