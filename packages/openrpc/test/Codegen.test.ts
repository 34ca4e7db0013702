import { assert, describe, it } from "@effect/vitest"
import { Codegen, OpenRpc } from "@parley/openrpc"
import { Effect, Result } from "effect"
import * as Bank from "./support/Bank.ts"
import * as Modules from "./support/Modules.ts"

const read = (json: object): OpenRpc.Document =>
  Result.getOrThrow(
    OpenRpc.decode({ openrpc: "1.3.2", info: { title: "T", version: "1" }, methods: [], ...json })
  )

const method = (json: object, more: object = {}) => read({ methods: [{ name: "a", params: [], ...json }], ...more })

const textOf = (document: OpenRpc.Document, options?: Codegen.CodegenOptions): string =>
  Result.getOrThrow(Codegen.toModule(document, options))

const failureOf = (document: OpenRpc.Document) => Result.getOrThrow(Result.flip(Codegen.toModule(document)))

describe("toModule", () => {
  const modules = Modules.make("codegen")

  it("writes text that a person would", () => {
    const text = textOf(OpenRpc.fromContract(Bank.Bank, { description: "Accounts" }))
    assert.include(
      text,
      `/**
 * Bank, version 0.0.0.
 *
 * Accounts
 *`
    )
    assert.include(
      text,
      `
/** Money, and whose it is */
export const Account = Schema.Struct({
  id: Schema.String,
  balance: Schema.Int,
  owner: Schema.optionalKey(Schema.String)
}).annotate({ description: "Money, and whose it is", identifier: "Account" })
export type Account = typeof Account.Type
`
    )
    assert.include(
      text,
      `
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.String }) {}
`
    )
    assert.include(
      text,
      `
  /**
   * Opens an account
   *
   * Not *\\/ the end.
   * Another line.
   */
  open: Method.make({
`
    )
    assert.include(
      text,
      `    errors: {
      7: Method.error(Schema.Struct({ why: Schema.String }), "why"),
      404: Method.error(NotFound, "no such owner"),
      "-32010": Locked
    },
    order: "concurrent",
    deadline: 5000,
    idempotent: true,
`
    )
    assert.include(
      text,
      `
  class: Notification.make(),
  watch: Subscription.make({ params: { id: Schema.String }, item: Account, errors: { 404: NotFound } }),
`
    )
    assert.deepStrictEqual(text.split("\n").filter((line) => line.length > 120), [])
  })

  it("imports what it uses, and nothing else", () => {
    const imports = (text: string) => text.split("\n").filter((line) => line.startsWith("import "))
    assert.deepStrictEqual(imports(textOf(method({ summary: "Schema.String" }))), [
      `import * as Contract from "@parley/contract/Contract"`,
      `import * as Notification from "@parley/contract/Notification"`
    ])
  })

  it.effect("takes the name that it is given, that of the document, or its title", () =>
    Effect.gen(function*() {
      const named = read({ info: { title: "A bank!", version: "1" } })
      const identifierOf = (text: string) =>
        Effect.map(modules.load(text), (module) => (Modules.exportedBy(module) as { identifier: string }).identifier)
      assert.strictEqual(yield* identifierOf(textOf(named)), "A bank!")
      assert.strictEqual(yield* identifierOf(textOf({ ...named, "x-parley-contract": "Bank" })), "Bank")
      assert.strictEqual(yield* identifierOf(textOf(named, { name: "Own" })), "Own")
      assert.include(textOf(named), "export class ABank extends Contract.make(\"A bank!\", {}) {}")
    }))

  it.effect("writes names that no module can have, twice, or already has", () =>
    Effect.gen(function*() {
      const names = [
        "Schema",
        "schema",
        "Array",
        "class",
        "a b",
        "a-b",
        "Ab",
        "1",
        "ü",
        "",
        "T",
        "ReadonlyArray",
        "__proto__"
      ]
      const document = read({
        components: {
          schemas: Object.fromEntries(
            names.map((name) => [name, { title: name, type: "array", items: { type: "string" } }])
          )
        },
        methods: names.filter((name) => name !== "").map((name) => ({
          name,
          params: [{ name: "p", schema: { $ref: `#/components/schemas/${encodeURIComponent(name)}` } }, {
            name: "__proto__x",
            schema: {}
          }],
          result: { name: "r", schema: { $ref: `#/components/schemas/${encodeURIComponent(name)}` } },
          errors: [{ code: 1, message: name }, { code: 2, message: "Schema" }]
        }))
      })
      const { found } = yield* Modules.regenerate(modules, document)
      assert.isTrue("members" in found)
      assert.sameMembers(
        Object.keys((found as OpenRpc.AnyPair & { members: object }).members),
        names.filter((name) => name !== "")
      )
    }))

  it.effect("declares Schemas before those that need them, and takes circles", () =>
    Effect.gen(function*() {
      const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
      const record = (members: object) => ({ type: "object", properties: members })
      const document = method({ result: { name: "result", schema: ref("1") } }, {
        components: {
          schemas: {
            // Names that an object puts first.
            1: { type: "array", items: ref("Tree") },
            Tree: record({ root: ref("Branch"), owner: ref("2") }),
            Branch: record({ leaves: { type: "array", items: ref("Leaf") }, tree: ref("Tree"), next: ref("Branch") }),
            Leaf: record({ colour: ref("Colour"), on: ref("Branch") }),
            2: record({ favourite: ref("Colour") }),
            Colour: { type: "string", enum: ["green", "red"] }
          }
        }
      })
      const { document: again } = yield* Modules.regenerate(modules, document)
      assert.deepStrictEqual(again.components, document.components)
    }))

  it("keeps the order of params that an object would not", () => {
    const params = [{ name: "b", schema: {}, required: true }, { name: "1", schema: { type: "string" } }]
    assert.include(
      textOf(method({ params })),
      `params: [Schema.Json.annotateKey({ title: "b" }), Schema.optionalKey(Schema.String).annotateKey({ title: "1" })]`
    )
  })

  it("takes errors whose data is told by a JSON Schema, by a value, or not at all", () => {
    const text = textOf(method({
      result: { name: "r", schema: {} },
      errors: [
        { code: 3, message: "execution reverted", data: { type: "string" } },
        { code: 4, message: "Pruned history unavailable" },
        { code: 5, message: "Other", data: { detail: "more" } },
        { code: 6, message: "Lost", data: { type: "object", properties: { id: { type: "integer" } } } },
        { code: 7, message: "Named", data: { type: "object", properties: { message: { type: "integer" } } } },
        { code: 4, message: "the second of one code" }
      ]
    }))
    assert.match(text, /\("ExecutionReverted", \{\s*data: Schema\.String\s*\}\)/)
    assert.include(text, `3: Method.error(ExecutionReverted, { message: "execution reverted", dataField: "data" }),`)
    assert.include(text, `export class PrunedHistoryUnavailable extends Schema.TaggedError<PrunedHistoryUnavailable>()`)
    assert.include(text, `4: Method.error(PrunedHistoryUnavailable, "Pruned history unavailable"),`)
    assert.include(text, `5: Other,`)
    assert.include(text, `("Lost", { id: Schema.optionalKey(Schema.Int) }) {}`)
    assert.include(
      text,
      `export const Named = Schema.TaggedStruct("Named", { message: Schema.optionalKey(Schema.Int) })`
    )
    assert.notInclude(text, "the second of one code")
  })

  it("keeps what JSON Schema says and Effect cannot check, without checking more for it", () => {
    const filter = {
      oneOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"], not: { required: ["b"] } },
        { $ref: "#/components/schemas/Other" }
      ]
    }
    const components = {
      schemas: {
        Other: { type: "object", properties: { b: { $ref: "#/components/schemas/Id" } } },
        Id: { type: "string" }
      }
    }
    const text = textOf(method({ result: { name: "result", schema: filter } }, { components }))
    assert.include(text, `"x-parley-unchecked-1": { schema: { not: { required: ["b"] } } }`)
    assert.notInclude(text, "mode: \"oneOf\"")
    const kept = textOf(
      method({ result: { name: "result", schema: { not: { $ref: "#/components/schemas/Id" } } } }, { components })
    )
    assert.include(kept, `components: { Id: { type: "string" } }`)
  })

  it.effect("keeps the components that only such a JSON Schema refers to", () =>
    Effect.gen(function*() {
      const schema = { not: { $ref: "#/components/schemas/Id" } }
      const components = { schemas: { Id: { type: "string" } } }
      const document = method({ result: { name: "result", schema } }, { components })
      const again = yield* Modules.regenerate(modules, document)
      assert.deepStrictEqual(again.document.methods[0]?.result?.schema, schema)
      assert.deepStrictEqual(again.document.components, components)
    }))

  it("leaves out an example that does not fit, and says so", () => {
    const text = textOf(method({
      params: [{ name: "n", required: true, schema: { type: "integer" } }],
      result: { name: "result", schema: { type: "object", properties: { a: { type: "string" } } } },
      examples: [
        { name: "good", params: [{ name: "other", value: 1 }], result: { name: "r", value: { a: "x", more: 1 } } },
        { name: "bad */", params: [{ name: "n", value: "1" }], result: { name: "r", value: {} } }
      ]
    }))
    assert.include(text, `examples: [{ name: "good", params: { n: 1 }, result: { a: "x" } }]`)
    assert.include(text, `the example "bad *\\/" does not fit the method, and is left out: Expected number`)
  })

  it("does not fail for links, servers, tags and external documentation", () => {
    const server = { url: "http://localhost" }
    const text = textOf(method(
      { links: [{ method: "a" }], servers: [server], tags: [{ name: "t" }], externalDocs: { url: "http://a.b" } },
      { servers: [server], externalDocs: { url: "http://a.b" } }
    ))
    assert.include(text, "a: Notification.make()")
  })

  it.effect("gives a protocol where there are two directions, and its dialect", () =>
    Effect.gen(function*() {
      const text = textOf(OpenRpc.fromPair(Bank.Editor))
      assert.include(
        text,
        `
export const EditorServerProtocol = ContractPair.make({
  client: EditorClient,
  server: EditorServer,
  dialect: Dialect.make({
    name: "lsp",
    framing: "contentLength",
    traceContext: undefined,
    nullParams: "absent",
    batches: "refuse"
  })
})
`
      )
      const protocol = Modules.exportedBy(yield* modules.load(text)) as OpenRpc.AnyPair
      assert.deepStrictEqual(protocol.dialect, Bank.Editor.dialect)
    }))

  it("takes a dialect that says only where it differs", () => {
    const text = textOf(read({
      "x-parley-protocol": { client: "C", server: "S", dialect: { name: "own", nullParams: "absent", progress: null } }
    }))
    assert.include(text, `dialect: Dialect.make({ name: "own", progress: undefined, nullParams: "absent" })`)
  })

  it("has no params where a method has none, however they would go", () => {
    for (const paramStructure of ["by-name", "by-position", "either", undefined]) {
      assert.include(
        textOf(method({ params: [], ...(paramStructure && { paramStructure }) })),
        "a: Notification.make()"
      )
    }
    assert.include(textOf(method({ params: [], "x-parley-params": "tuple" })), "a: Notification.make({ params: [] })")
  })

  const wrong: ReadonlyArray<readonly [string, OpenRpc.Document, string, string, string]> = [
    [
      "a schema that refers to nothing",
      method({ params: [{ name: "p", schema: { items: { $ref: "#/components/schemas/No" } } }] }),
      "#/methods/0/params/0/schema",
      "UnresolvedReference",
      "there is nothing at #/components/schemas/No"
    ],
    [
      "a component that refers to nothing",
      method({}, { components: { schemas: { A: { $ref: "#/definitions/B" } } } }),
      "#/components/schemas/A",
      "UnresolvedReference",
      "#/definitions/B"
    ],
    [
      "a schema that is only itself",
      method({ result: { name: "r", schema: { $ref: "#/components/schemas/A" } } }, {
        components: { schemas: { A: { $ref: "#/components/schemas/A" } } }
      }),
      "#/components/schemas/A",
      "UnsupportedSchema",
      "circular"
    ],
    [
      "a schema that asks itself",
      method({}, {
        components: {
          schemas: {
            A: { anyOf: [{ type: "string" }, { $ref: "#/components/schemas/B" }] },
            B: { allOf: [{ $ref: "#/components/schemas/A" }] }
          }
        }
      }),
      "#/components/schemas/A",
      "UnsupportedSchema",
      "circular"
    ],
    [
      "a dialect that is none",
      read({ "x-parley-protocol": { client: "C", server: "S", dialect: { nullId: "maybe" } } }),
      "#/x-parley-protocol/dialect",
      "Malformed",
      "nullId"
    ],
    [
      "a dialect with a member that none has",
      read({ "x-parley-protocol": { client: "C", server: "S", dialect: { nullid: "refuse" } } }),
      "#/x-parley-protocol/dialect",
      "Malformed",
      "nullid"
    ],
    [
      "a reverse method that is none",
      read({
        methods: [{ name: "a", params: [], "x-parley-reverse": { name: "a" } }],
        "x-parley-protocol": { client: "C", server: "S" }
      }),
      "#/methods/0/x-parley-reverse/params",
      "Malformed",
      "Missing key"
    ]
  ]
  for (const [what, document, path, reason, message] of wrong) {
    it(`refuses ${what}, and says where`, () => {
      const error = failureOf(document)
      assert.deepStrictEqual([error.path, error.reason._tag], [path, reason])
      assert.include(error.message, message)
    })
  }

  it("refuses what is nested deeper than its stack", () => {
    let schema: OpenRpc.JsonSchema = {}
    for (let depth = 0; depth < 20_000; depth++) schema = { items: schema }
    const document = { ...method({}), methods: [{ name: "a", params: [], result: { name: "r", schema } }] }
    assert.strictEqual(failureOf(document).reason._tag, "Malformed")
  })

  it("gives modules that compile in strict mode", () => {
    assert.deepStrictEqual(modules.compile(), [])
  })
})
