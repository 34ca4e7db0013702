import { assert, describe, it } from "@effect/vitest"
import { Contract, Method, Notification } from "@parley/contract"
import { Recorder } from "@parley/traffic"
import { Effect, Result, Schema } from "effect"
import { ContractDiff, Lock } from "../../src/index.ts"
import { Dice, schema, whole } from "./RandomSchema.ts"

interface Param {
  readonly name: string
  readonly required?: boolean
  readonly schema?: Schema.Json
}

interface Described {
  readonly name?: string
  readonly params?: ReadonlyArray<Param>
  readonly result?: Schema.Json | null
  readonly [member: string]: unknown
}

const document = (...methods: ReadonlyArray<Described>) => ({
  openrpc: "1.3.2",
  info: { title: "Test", version: "1.0.0" },
  methods: methods.map(({ name = "pay", params = [], result = {}, ...rest }) => ({
    name,
    params: params.map((param) => ({ schema: {}, ...param })),
    ...result !== null && { result: { name: "result", schema: result } },
    ...rest
  }))
})

const read = (json: unknown): ContractDiff.Surface => Result.getOrThrow(ContractDiff.fromJson(json))

const compare = (before: unknown, after: unknown, options?: ContractDiff.CompareOptions) =>
  ContractDiff.compare(read(before), read(after), options)

/** The changes in short: rule, place, verdict and witness. */
const changes = (before: unknown, after: unknown, options?: ContractDiff.CompareOptions) =>
  compare(before, after, options).changes.map(({ place, rule, verdict, witness }) => [rule, place, verdict, witness])

const byName = { paramStructure: "by-name" }
const byPosition = { paramStructure: "by-position" }
const reverse = { "x-parley-direction": "server-to-client" }

const param = (name: string, schema: Schema.Json, required = true): Param => ({ name, required, schema })

const number = { type: "number" }
const integer = { type: "integer" }

describe("ContractDiff", () => {
  it("finds operations that are gone, new, or of another kind", () => {
    const before = document({ name: "a", params: [param("n", number)], ...byName }, { name: "b" }, {
      name: "c",
      result: null
    })
    const after = document({ name: "b" }, { name: "c" }, { name: "d" })
    assert.deepStrictEqual(changes(before, after), [
      ["diff/method-removed", "", "breaking", { method: "a", params: { n: 0 } }],
      ["diff/kind", "", "breaking", { method: "c", params: {} }],
      ["diff/method-added", "", "compatible", undefined]
    ])
  })

  it("tells what servers may ask of clients from what clients may ask", () => {
    const request = document({ name: "ask", ...reverse })
    const notification = document({ name: "tell", result: null, ...reverse })
    assert.deepStrictEqual(changes(document(), request), [["diff/method-added", "", "breaking", {
      method: "ask",
      params: {}
    }]])
    assert.deepStrictEqual(changes(document(), notification), [["diff/method-added", "", "compatible", undefined]])
    assert.deepStrictEqual(changes(request, document()), [["diff/method-removed", "", "compatible", undefined]])
    const [wide, narrow] = [number, integer].map((schema) =>
      document({ name: "ask", params: [param("n", schema)], result: schema, ...byName, ...reverse })
    )
    assert.deepStrictEqual(changes(narrow, wide), [
      ["diff/param-widened", "params.n", "breaking", 0.5],
      ["diff/result-widened", "result", "compatible", 0.5]
    ])
    assert.deepStrictEqual(changes(wide, narrow), [
      ["diff/param-narrowed", "params.n", "compatible", 0.5],
      ["diff/result-narrowed", "result", "breaking", 0.5]
    ])
  })

  it("finds params that are new, gone, needed or optional", () => {
    const of = (...params: ReadonlyArray<Param>) => document({ params, ...byName })
    const a = param("a", number)
    assert.deepStrictEqual(changes(of(a), of(a, param("b", number))), [
      ["diff/param-required", "params.b", "breaking", { a: 0 }]
    ])
    assert.deepStrictEqual(changes(of(a), of(a, param("b", number, false))), [
      ["diff/param-added", "params.b", "compatible", undefined]
    ])
    assert.deepStrictEqual(changes(of(a, param("b", number, false)), of(a)), [
      ["diff/param-removed", "params.b", "breaking", { a: 0, b: 0 }]
    ])
    assert.deepStrictEqual(changes(of(param("a", number, false)), of(a)), [[
      "diff/param-required",
      "params.a",
      "breaking",
      {}
    ]])
    assert.deepStrictEqual(changes(of(a), of(param("a", number, false))), [
      ["diff/param-optional", "params.a", "compatible", undefined]
    ])
  })

  it("finds params that are sent in another structure or at another position", () => {
    const of = (structure: object, ...params: ReadonlyArray<Param>) => document({ params, ...structure })
    const [a, b] = [param("a", number), param("b", { type: "string" })]
    assert.deepStrictEqual(changes(of({}, a, b), of({}, b, a)), [["diff/param-moved", "params", "breaking", [0, ""]]])
    assert.deepStrictEqual(changes(of(byPosition, a), of(byPosition, { ...a, name: "c" })), [])
    assert.deepStrictEqual(changes(of({}, a), of(byPosition, a)), [["diff/param-structure", "params", "breaking", {
      a: 0
    }]])
    assert.deepStrictEqual(changes(of(byPosition, a), of({}, a)), [])
    assert.deepStrictEqual(changes(of(byPosition, a), of(byPosition, a, b)), [
      ["diff/param-narrowed", "params", "breaking", [0]],
      ["diff/param-widened", "params", "compatible", [0, ""]]
    ])
  })

  it("finds what results may be, member by member", () => {
    const of = (result: Schema.Json) => document({ result })
    const object = (properties: Schema.JsonObject, ...required: ReadonlyArray<string>) =>
      of({ type: "array", items: { type: "object", properties, required } })
    assert.deepStrictEqual(changes(object({ a: number, b: number }, "a", "b"), object({ a: number, c: number }, "c")), [
      ["diff/result-optional", "result[].a", "breaking", { c: 0 }],
      ["diff/result-removed", "result[].b", "breaking", { c: 0 }],
      ["diff/result-added", "result[].c", "compatible", undefined]
    ])
    assert.deepStrictEqual(changes(of({ enum: ["a", "b"] }), of({ enum: ["a", "c"] })), [
      ["diff/value-added", "result", "breaking", "c"],
      ["diff/value-removed", "result", "compatible", "b"]
    ])
    assert.deepStrictEqual(changes(of(integer), of(number)), [["diff/result-widened", "result", "breaking", 0.5]])
    assert.deepStrictEqual(
      changes(
        of({ oneOf: [integer, { type: "null" }] }),
        of({ oneOf: [integer, { type: "null" }, { type: "string" }] })
      ),
      [["diff/result-widened", "result", "breaking", ""]]
    )
  })

  it("finds errors that are new and data that may be other", () => {
    const of = (...errors: ReadonlyArray<object>) => document({ errors })
    const broke = { code: 1, message: "Broke", data: { type: "object", properties: { by: integer }, required: ["by"] } }
    assert.deepStrictEqual(changes(of(broke), of(broke, { code: 2, message: "Closed" })), [
      ["diff/error-added", "errors.2", "breaking", { code: 2, message: "Closed" }]
    ])
    const other = { ...broke, data: { type: "object", properties: { by: number }, required: ["by"] } }
    assert.deepStrictEqual(changes(of(broke), of(other)), [["diff/error-widened", "errors.1.data.by", "breaking", 0.5]])
    assert.deepStrictEqual(changes(document({}), of(broke)), [])
  })

  it("reports a part that operations share once", () => {
    const shared = (schema: Schema.Json) => ({
      ...document({ name: "a", result: { $ref: "#/components/schemas/T" } }, {
        name: "b",
        result: { type: "array", items: { $ref: "#/components/schemas/T" } }
      }),
      components: { schemas: { T: { type: "object", properties: { n: schema }, required: ["n"] } } }
    })
    assert.deepStrictEqual(compare(shared(integer), shared(number)).changes, [{
      rule: "diff/result-widened",
      verdict: "breaking",
      direction: "gets",
      operation: "method a",
      others: ["method b"],
      place: "result.n",
      message: "result.n may have more values",
      witness: 0.5,
      reason: "it should be integer",
      schemas: { before: "/schemas/T/properties/n", after: "/schemas/T/properties/n" }
    }])
  })

  it("compares the lists of MCP servers", () => {
    const tool = (schema: Schema.Json) => ({
      tools: [{
        name: "add",
        description: "Adds",
        inputSchema: { type: "object", properties: { n: { $ref: "#/$defs/N" } }, $defs: { N: schema } }
      }],
      prompts: [{ name: "ask", arguments: [{ name: "topic" }] }]
    })
    assert.deepStrictEqual(changes(tool(number), tool(integer)), [["diff/param-narrowed", "params.n", "breaking", 0.5]])
    assert.deepStrictEqual(changes(tool(number), { ...tool(number), prompts: [] }), [
      ["diff/method-removed", "", "breaking", { method: "ask", params: {} }]
    ])
  })

  it("has a witness for results that are described no more, which is an object where the schema refuses one", () => {
    const tool = (outputSchema?: Schema.Json) => ({
      tools: [{ name: "add", inputSchema: { type: "object" }, ...outputSchema !== undefined && { outputSchema } }]
    })
    const object = { type: "object", properties: { n: number }, required: ["n"] }
    assert.containSubset(compare(tool(object), tool()).changes, [{
      rule: "diff/result-widened",
      verdict: "breaking",
      witness: {},
      reason: "n: it is missing"
    }])
    assert.deepStrictEqual(changes(tool({ type: "object" }), tool()), [
      ["diff/result-widened", "result", "breaking", null]
    ])
    assert.deepStrictEqual(changes(tool(true), tool()), [["diff/result-widened", "result", "compatible", undefined]])
    assert.deepStrictEqual(changes(tool(), tool(object)), [["diff/result-narrowed", "result", "compatible", undefined]])
  })

  it("has names in quotes in a place that could not be read otherwise", () => {
    const of = (schema: Schema.Json) => {
      const object = { type: "object", properties: { "": schema, "a.b": schema, "$c-d": schema } }
      return document({ params: [param("p", object)], ...byName })
    }
    assert.deepStrictEqual(changes(of(number), of(integer)).map(([, place]) => place), [
      `params.p.""`,
      `params.p."a.b"`,
      "params.p.$c-d"
    ])
    const inner = (schema: Schema.Json) => of({ type: "object", minProperties: 1, properties: { "": schema } })
    assert.strictEqual(compare(inner(number), inner(integer)).changes[0]?.reason, `"": it should be integer`)
  })

  it("says that it does not know, and ends so", () => {
    const of = (pattern: string) => document({ params: [param("a", { type: "string", pattern })], ...byName })
    const diff = compare(of("^(?!a)"), of("^(?!a)(?!a)"))
    assert.deepStrictEqual(diff.changes.map(({ rule, verdict }) => [rule, verdict]), [[
      "diff/param-narrowed",
      "unknown"
    ]])
    assert.strictEqual(ContractDiff.verdictOf(diff), "unknown")
  })

  it("refuses what is no contract, and says why", () => {
    assert.containSubset(Result.getFailure(ContractDiff.fromJson({})), {
      value: "it is no OpenRPC document, no list of tools, prompts or resources, and no lock file"
    })
    assert.isTrue(Result.isFailure(ContractDiff.fromJson({ openrpc: "1.3.2" })))
    assert.isTrue(Result.isFailure(ContractDiff.fromJson({ parleyLock: 2, operations: {}, schemas: {} })))
  })

  const Bank = Contract.make("Bank", {
    pay: Method.make({
      params: { account: Schema.String, amount: Schema.Int },
      result: Schema.Struct({ left: Schema.Int })
    }),
    paid: Notification.make({ params: { account: Schema.String } })
  })

  it("compares contracts", () => {
    const Later = Contract.make("Bank", {
      pay: Method.make({
        params: { account: Schema.NonEmptyString, amount: Schema.Int, note: Schema.optionalKey(Schema.String) },
        result: Schema.Struct({ left: Schema.Int })
      }),
      paid: Notification.make({ params: { account: Schema.String } })
    })
    const [before, after] = [Bank, Later].map((contract) => Result.getOrThrow(ContractDiff.fromContract(contract)))
    if (before === undefined || after === undefined) throw new Error("there are two")
    const diff = ContractDiff.compare(before, after)
    assert.deepStrictEqual(diff.changes.map(({ place, rule, witness }) => [rule, place, witness]), [
      ["diff/param-narrowed", "params.account", ""],
      ["diff/param-added", "params.note", undefined]
    ])
  })

  it("tells which recorded calls a change meets", () => {
    const call = (params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "pay", params })
    const recording = [
      ...[{ amount: 1 }, { amount: 0.5 }, { amount: 2.5 }].map((params) =>
        Recorder.toLine({ _tag: "Sent", time: 0, connection: 1, text: call(params) })
      ),
      Recorder.toLine({ _tag: "Received", time: 0, connection: 1, text: call({ amount: 0.5 }) }),
      "no line of a recording"
    ]
    const of = (schema: Schema.Json, result: Schema.Json) =>
      document({ params: [param("amount", schema)], result, ...byName })
    const traffic = (before: unknown, after: unknown) =>
      compare(before, after, { recording }).changes.map(({ rule, traffic }) => [rule, traffic])
    assert.deepStrictEqual(traffic(of(number, integer), of(integer, number)), [
      ["diff/param-narrowed", { calls: 2, example: call({ amount: 0.5 }) }],
      ["diff/result-widened", { calls: 3, example: call({ amount: 1 }) }]
    ])
    assert.deepStrictEqual(traffic(of(number, {}), document({ name: "other" })), [
      ["diff/method-added", undefined],
      ["diff/method-removed", { calls: 3, example: call({ amount: 1 }) }]
    ])
  })

  it("writes every format, and text for a changelog", () => {
    const of = (schema: Schema.Json) => document({ params: [param("n", schema)], ...byName })
    const diff = compare(of(number), of(integer), { before: "old.json", after: "new.json" })
    assert.include(ContractDiff.render(diff, "table"), "BREAKING  diff/param-narrowed  params.n may have fewer values")
    assert.include(ContractDiff.render(diff, "table"), "accepted before: 0.5")
    assert.deepStrictEqual(JSON.parse(ContractDiff.render(diff, "json")), diff)
    assert.include(ContractDiff.render(diff, "junit"), "<failure")
    const [run] = JSON.parse(ContractDiff.render(diff, "sarif", { artifact: "api.json" })).runs
    assert.strictEqual(run.tool.driver.rules[0].shortDescription.text, "params may have fewer values")
    assert.strictEqual(run.results[0].locations[0].physicalLocation.artifactLocation.uri, "api.json")
    assert.include(ContractDiff.render(diff, "markdown"), "BREAKING")
    assert.include(ContractDiff.render(diff, "html"), "<title>parley diff old.json new.json</title>")
    const strict = compare(of(number), of(integer), { isStrict: true })
    assert.include(ContractDiff.render(strict, "markdown"), "parley diff before after --strict")
    assert.strictEqual(
      ContractDiff.changelog(diff),
      "### Breaking\n\n- **method pay**: params.n may have fewer values, for example 0.5 is not accepted any more\n"
    )
  })

  it("hides nothing that a stranger wrote to drive a terminal", () => {
    const of = (schema: Schema.Json) =>
      document({ params: [param("\u001b[2Jn", schema)], name: "a\u001b[2J", ...byName })
    assert.notInclude(ContractDiff.render(compare(of(number), of(integer)), "table"), "\u001b")
  })

  const random = (seed: number) => {
    const dice = new Dice(seed)
    const { $defs, ...own } = whole(dice)
    const json = JSON.stringify({
      ...document({
        params: [param("a", own), param("b", schema(dice, 1), dice.chance(50))],
        result: schema(dice, 2),
        ...byName
      }),
      components: { schemas: $defs }
    })
    return read(JSON.parse(json.replaceAll("#/$defs/", "#/components/schemas/")))
  }

  it.effect.prop(
    "finds nothing between a contract and itself",
    { seed: Schema.Int },
    ({ seed }) =>
      Effect.sync(() => assert.deepStrictEqual(ContractDiff.compare(random(seed), random(seed)).changes, []))
  )

  const mirrored: Readonly<Record<string, string>> = {
    "diff/param-narrowed": "diff/param-widened",
    "diff/param-widened": "diff/param-narrowed",
    "diff/result-narrowed": "diff/result-widened",
    "diff/result-widened": "diff/result-narrowed",
    "diff/param-required": "diff/param-optional",
    "diff/result-required": "diff/result-optional"
  }

  it.effect.prop(
    "finds compatible the other way round what breaks one way alone",
    { a: Schema.Int, b: Schema.Int },
    (seeds) =>
      Effect.sync(() => {
        const [before, after] = [random(seeds.a), random(seeds.b)]
        const there = ContractDiff.compare(before, after).changes
        const back = ContractDiff.compare(after, before).changes
        for (const { place, rule, verdict } of there) {
          const other = mirrored[rule]
          const isWhole = !place.includes(".") && !place.includes("[")
          if (verdict !== "breaking" || other === undefined || !isWhole) continue
          assert.isTrue(
            back.some((change) => change.place.startsWith(place) && change.verdict !== "unknown"),
            `${rule} ${place}`
          )
        }
      }),
    { arbitrary: { runs: 100 } }
  )
})

describe("Lock", () => {
  it("writes one text for contracts that mean the same", () => {
    const tool = (name: string, text: string) => ({
      name,
      description: text,
      inputSchema: { type: "object", title: text }
    })
    const a = read({ tools: [tool("a", "One"), tool("b", "Two")] })
    const b = read({ tools: [tool("b", "Zwei"), tool("a", "Eins")] })
    assert.strictEqual(Lock.toText(a), Lock.toText(b))
    assert.isTrue(Lock.toText(a).endsWith("}\n"))
  })

  it("reads what it writes", () => {
    const surface = read(
      document({ params: [param("n", number)], result: integer }, { name: "tell", result: null, ...reverse })
    )
    const again = Result.getOrThrow(Lock.fromJson(JSON.parse(Lock.toText(surface))))
    assert.strictEqual(Lock.toText(again), Lock.toText(surface))
    assert.deepStrictEqual(ContractDiff.compare(surface, again).changes, [])
  })
})
