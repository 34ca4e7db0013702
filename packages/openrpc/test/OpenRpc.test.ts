import { assert, describe, it } from "@effect/vitest"
import { Contract, Method, Notification } from "@parley/contract"
import { OpenRpc } from "@parley/openrpc"
import { Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Effect, Layer, Option, Schema } from "effect"
import * as Bank from "./support/Bank.ts"
import * as MetaSchema from "./support/MetaSchema.ts"

const document = OpenRpc.fromContract(Bank.Bank)

const methodOf = ({ methods }: OpenRpc.Document, name: string): OpenRpc.Method => {
  const found = methods.find((method) => method.name === name)
  assert.isDefined(found)
  return found
}

const described = (members: Contract.Members) => OpenRpc.fromContract(Contract.make("Any", members))

describe("fromContract", () => {
  it("gives documents that the official meta-schema accepts", () => {
    assert.deepStrictEqual(MetaSchema.problems(document), [])
    assert.deepStrictEqual(MetaSchema.problems({ ...document, openrpc: "2.0.0" }).length, 1)
    const validate = MetaSchema.validators(document)
    for (const path of MetaSchema.schemaPaths(document)) assert.isFunction(validate(path))
  })

  it("says of itself what it is told, and keeps the name of the contract", () => {
    assert.deepStrictEqual(document.info, { title: "Bank", version: "0.0.0" })
    assert.notProperty(document, "x-parley-contract")
    const other = OpenRpc.fromContract(Bank.Bank, { title: "A bank", version: "1.2.3", license: { name: "MIT" } })
    assert.deepStrictEqual(other.info, { title: "A bank", version: "1.2.3", license: { name: "MIT" } })
    assert.strictEqual(other["x-parley-contract"], "Bank")
  })

  it("gives fields as params in their order, and says what a client must give", () => {
    assert.deepStrictEqual(methodOf(document, "open").params, [
      { name: "owner", description: "Whose it will be", required: true, schema: { type: "string" } },
      { name: "limit", schema: { type: "integer", minimum: 1, maximum: 9 } }
    ])
    assert.strictEqual(methodOf(document, "open").paramStructure, "either")
    assert.strictEqual(methodOf(document, "pair").paramStructure, "by-position")
  })

  it("gives tuples by position, with the titles of their items as names", () => {
    const { params, paramStructure, "x-parley-params": own } = methodOf(document, "transfer")
    assert.deepStrictEqual(params.map(({ name, required }) => [name, required]), [
      ["from", true],
      ["to", true],
      ["p2", undefined]
    ])
    assert.deepStrictEqual([paramStructure, own], ["by-position", "tuple"])
  })

  it("gives no name twice", () => {
    const item = (title: string) => Schema.String.annotate({ title })
    const { methods } = described({
      same: Method.make({ params: [item("a"), item("a"), item("b")] }),
      other: Method.make({ params: [item("p1"), Schema.Int] })
    })
    assert.deepStrictEqual(methods.map(({ params }) => params.map(({ name }) => name)), [
      ["p0", "p1", "b"],
      ["p0", "p1"]
    ])
  })

  it("gives any other Schema as a whole, beside the names that it tells", () => {
    const { "x-parley-params": record, params, paramStructure } = methodOf(document, "totals")
    assert.deepStrictEqual(record, { type: "object", additionalProperties: { type: "integer" } })
    assert.deepStrictEqual([params, paramStructure], [[], "by-name"])
    const register = methodOf(document, "register")
    assert.deepStrictEqual(register["x-parley-params"], { $ref: "#/components/schemas/Person" })
    assert.deepStrictEqual(register.params.map(({ name, required }) => [name, required]), [
      ["name", true],
      ["age", undefined]
    ])
    const { methods } = described({
      any: Method.make({ params: Schema.Tuple([Schema.Int, Schema.optionalKey(Schema.Int)]) })
    })
    assert.deepStrictEqual(methods[0]?.params.map(({ name, required }) => [name, required]), [
      ["p0", true],
      ["p1", undefined]
    ])
    assert.strictEqual(methods[0]?.paramStructure, "by-position")
  })

  it("gives a method without a result null, and a notification no result", () => {
    assert.deepStrictEqual(methodOf(document, "transfer").result, {
      name: "result",
      schema: { type: "null" },
      "x-parley-void": true
    })
    assert.deepStrictEqual(methodOf(document, "pair").result, { name: "result", schema: { type: "null" } })
    assert.notProperty(methodOf(document, "changed"), "result")
  })

  it("gives errors by their code, with data as it travels: without a tag", () => {
    const { errors, "x-parley-errors": tags } = methodOf(document, "open")
    assert.deepStrictEqual(errors, [
      { code: 7, message: "why", data: { type: "object", properties: { why: { type: "string" } }, required: ["why"] } },
      {
        code: 404,
        message: "no such owner",
        data: { type: "object", properties: { id: { type: "string" } }, required: ["id"] }
      },
      { code: -32010, message: "Locked" }
    ])
    assert.deepStrictEqual(tags, { 7: {}, 404: { tag: "NotFound" }, "-32010": { tag: "Locked" } })
    assert.notProperty(document.components?.schemas, "NotFound")
  })

  it("gives an error the message that its description is, as it has on the wire", () => {
    class Full extends Schema.TaggedError<Full>()("Full", {}, { description: "no room" }) {}
    assert.deepStrictEqual(described({ a: Method.make({ errors: { 1: Full } }) }).methods[0]?.errors, [
      { code: 1, message: "no room" }
    ])
  })

  it("says of each kind of member whether it calls back", () => {
    const { methods } = described({
      a: Method.make({ callsBack: true }),
      b: Notification.make({ callsBack: true }),
      c: Method.make()
    })
    assert.deepStrictEqual(methods.map((method) => method["x-parley-calls-back"]), [true, true, undefined])
  })

  it("gives each method the errors of its contract beside its own", () => {
    class Denied extends Schema.TaggedError<Denied>()("Denied", {}) {}
    const gate = Contract.make("Gate", { open: Method.make({ errors: { 1: Bank.Locked } }), close: Method.make() }, {
      errors: { 4010: Denied }
    })
    const { methods } = OpenRpc.fromContract(gate)
    assert.deepStrictEqual(methods.map(({ errors }) => errors?.map(({ code }) => code)), [[1, 4010], [4010]])
  })

  it("says how a client may call", () => {
    const { deprecated, "x-parley-deadline": deadline, "x-parley-idempotent": idempotent, "x-parley-order": order } =
      methodOf(document, "open")
    assert.deepStrictEqual([deprecated, deadline, idempotent, order], [undefined, 5000, true, "concurrent"])
    assert.strictEqual(methodOf(document, "transfer").deprecated, true)
    assert.strictEqual(methodOf(document, "register")["x-parley-deadline"], "Infinity")
    assert.notProperty(methodOf(document, "transfer"), "x-parley-order")
  })

  it("gives examples as they stand on the wire", () => {
    assert.deepStrictEqual(methodOf(document, "open").examples, [{
      name: "Ann",
      summary: "without a limit",
      params: [{ name: "owner", value: "Ann" }],
      result: { name: "result", value: { id: "1", balance: 0 } }
    }])
    assert.deepStrictEqual(methodOf(document, "transfer").examples?.[0]?.params, [
      { name: "from", value: "1" },
      { name: "to", value: "2" }
    ])
    assert.deepStrictEqual(methodOf(document, "totals").examples?.[0]?.["x-parley-params"], { a: 1, b: 2 })
  })

  it("refuses an example that does not fit", () => {
    const short = Method.make({
      params: { text: Schema.String.check(Schema.isMinLength(3)) },
      examples: [{ name: "two", params: { text: "ab" }, result: undefined }]
    })
    assert.throws(() => described({ short }), TypeError, "the example \"two\" of short does not fit it")
  })

  it("gives subscriptions their first response as a result, and their items", () => {
    const watch = methodOf(document, "watch")
    const item = { $ref: "#/components/schemas/Account" }
    assert.deepStrictEqual(watch.result, { name: "items", schema: { type: "array", items: item } })
    assert.deepStrictEqual(watch["x-parley-subscription"], { item, carrier: { _tag: "PartialResults" } })
    const heads = methodOf(document, "heads")
    assert.deepStrictEqual(heads.result, { name: "subscription", schema: { type: "string" } })
    assert.deepStrictEqual(heads["x-parley-subscription"]?.carrier, {
      _tag: "Notifications",
      notification: "eth_subscription",
      close: "eth_unsubscribe",
      id: "subscription",
      item: "result"
    })
  })

  it("gives Schemas with a name as components, a class by the name of the class", () => {
    assert.deepStrictEqual(Object.keys(document.components?.schemas ?? {}).toSorted(), ["Account", "Person", "Tree"])
    assert.deepStrictEqual(document.components?.schemas?.["Tree"], {
      type: "object",
      properties: {
        value: { type: "number" },
        children: { type: "array", items: { $ref: "#/components/schemas/Tree" } }
      },
      required: ["value", "children"]
    })
  })

  it("says one thing in one way", () => {
    const { methods } = described({
      a: Method.make({ params: { one: Schema.Literal("a"), other: Schema.Literals(["a"]) } })
    })
    assert.deepStrictEqual(methods[0]?.params.map(({ schema }) => schema), [
      { type: "string", enum: ["a"] },
      { type: "string", enum: ["a"] }
    ])
  })

  it("tells two Schemas of one name apart", () => {
    const one = Schema.Struct({ a: Schema.Int }).annotate({ identifier: "Same" })
    const other = Schema.Struct({ b: Schema.Int }).annotate({ identifier: "Same" })
    const { components, methods } = described({ a: Method.make({ params: { one, other } }) })
    assert.deepStrictEqual(methods[0]?.params.map(({ schema }) => schema), [
      { $ref: "#/components/schemas/Same" },
      { $ref: "#/components/schemas/Same_1" }
    ])
    assert.deepStrictEqual(Object.keys(components?.schemas ?? {}).toSorted(), ["Same", "Same_1"])
  })

  it("keeps what Effect's importer cannot read", () => {
    const { methods } = described({
      a: Method.make({
        result: Schema.StructWithRest(Schema.Struct({ a: Schema.Int }), [
          Schema.Record(Schema.TemplateLiteral(["x-", Schema.String]), Schema.Int)
        ])
      })
    })
    assert.deepStrictEqual(methods[0]?.result?.schema, {
      type: "object",
      properties: { a: { type: "integer" } },
      additionalProperties: true,
      required: ["a"],
      patternProperties: { "^x-[\\s\\S]*?$": { type: "integer" } }
    })
  })

  it("takes member names that are no words", () => {
    const names = ["__proto__", "constructor", "a b", ""]
    const members = Object.fromEntries(names.map((name) => [name, Notification.make()]))
    assert.deepStrictEqual(described(members).methods.map(({ name }) => name), names)
  })
})

describe("fromProtocol", () => {
  const editor = OpenRpc.fromPair(Bank.Editor)

  it("gives both directions, and a method of both once", () => {
    assert.deepStrictEqual(MetaSchema.problems(editor), [])
    assert.deepStrictEqual(editor.methods.map((method) => [method.name, method["x-parley-direction"]]), [
      ["ping", undefined],
      ["save", undefined],
      ["ask", "server-to-client"]
    ])
    const ping = methodOf(editor, "ping")
    assert.deepStrictEqual(ping.params.map(({ name }) => name), ["times"])
    assert.deepStrictEqual(ping["x-parley-reverse"], {
      name: "ping",
      params: [],
      result: { name: "result", schema: { type: "string" } }
    })
  })

  it("keeps the names of both sides, and a dialect that is not the default one", () => {
    const protocol = editor["x-parley-protocol"]
    assert.deepStrictEqual([protocol?.client, protocol?.server], ["EditorClient", "EditorServer"])
    assert.strictEqual(protocol?.dialect?.["framing"], "contentLength")
    assert.isNull(protocol?.dialect?.["traceContext"])
    const usual = OpenRpc.fromPair({ ...Bank.Editor, dialect: Dialect.jsonRpc })
    assert.deepStrictEqual(usual["x-parley-protocol"], { client: "EditorClient", server: "EditorServer" })
  })
})

describe("layerDiscover", () => {
  const discover = `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`

  it.effect("serves the document as rpc.discover, of a contract or a protocol", () =>
    Effect.gen(function*() {
      for (
        const [layer, expected] of [
          [OpenRpc.layerDiscover(Bank.Bank, { version: "2" }), OpenRpc.fromContract(Bank.Bank, { version: "2" })],
          [OpenRpc.layerDiscover(Bank.Editor), OpenRpc.fromPair(Bank.Editor)]
        ] as const
      ) {
        const reply = yield* Effect.provide(
          Effect.flatMap(Router.Router, ({ answer }) => answer(discover)),
          Router.layer(layer)
        )
        assert.deepStrictEqual(JSON.parse(Option.getOrElse(reply, () => "null")), {
          jsonrpc: "2.0",
          id: 1,
          result: JSON.parse(JSON.stringify(expected))
        })
      }
    }))

  it.effect("does not take the place of a handler that is there", () =>
    Effect.gen(function*() {
      const layer = Layer.provide(
        OpenRpc.layerDiscover(Bank.Bank),
        Router.layer({ [OpenRpc.discover]: () => Effect.succeed(null) })
      )
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.strictEqual(error._tag, "MethodTaken")
    }))
})
