import { describe, expect, it } from "@effect/vitest"
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
    expect(changes(before, after)).toEqual([
      ["diff/method-removed", "", "breaking", { method: "a", params: { n: 0 } }],
      ["diff/kind", "", "breaking", { method: "c", params: {} }],
      ["diff/method-added", "", "compatible", undefined]
    ])
  })

  it("tells what servers may ask of clients from what clients may ask", () => {
    const request = document({ name: "ask", ...reverse })
    const notification = document({ name: "tell", result: null, ...reverse })
    expect(changes(document(), request)).toEqual([["diff/method-added", "", "breaking", { method: "ask", params: {} }]])
    expect(changes(document(), notification)).toEqual([["diff/method-added", "", "compatible", undefined]])
    expect(changes(request, document())).toEqual([["diff/method-removed", "", "compatible", undefined]])
    const [wide, narrow] = [number, integer].map((schema) =>
      document({ name: "ask", params: [param("n", schema)], result: schema, ...byName, ...reverse })
    )
    expect(changes(narrow, wide)).toEqual([
      ["diff/param-widened", "params.n", "breaking", 0.5],
      ["diff/result-widened", "result", "compatible", 0.5]
    ])
    expect(changes(wide, narrow)).toEqual([
      ["diff/param-narrowed", "params.n", "compatible", 0.5],
      ["diff/result-narrowed", "result", "breaking", 0.5]
    ])
  })

  it("finds params that are new, gone, needed or optional", () => {
    const of = (...params: ReadonlyArray<Param>) => document({ params, ...byName })
    const a = param("a", number)
    expect(changes(of(a), of(a, param("b", number)))).toEqual([
      ["diff/param-required", "params.b", "breaking", { a: 0 }]
    ])
    expect(changes(of(a), of(a, param("b", number, false)))).toEqual([
      ["diff/param-added", "params.b", "compatible", undefined]
    ])
    expect(changes(of(a, param("b", number, false)), of(a))).toEqual([
      ["diff/param-removed", "params.b", "breaking", { a: 0, b: 0 }]
    ])
    expect(changes(of(param("a", number, false)), of(a))).toEqual([["diff/param-required", "params.a", "breaking", {}]])
    expect(changes(of(a), of(param("a", number, false)))).toEqual([
      ["diff/param-optional", "params.a", "compatible", undefined]
    ])
  })

  it("finds params that are sent in another structure or at another position", () => {
    const of = (structure: object, ...params: ReadonlyArray<Param>) => document({ params, ...structure })
    const [a, b] = [param("a", number), param("b", { type: "string" })]
    expect(changes(of({}, a, b), of({}, b, a))).toEqual([["diff/param-moved", "params", "breaking", [0, ""]]])
    expect(changes(of(byPosition, a), of(byPosition, { ...a, name: "c" }))).toEqual([])
    expect(changes(of({}, a), of(byPosition, a))).toEqual([["diff/param-structure", "params", "breaking", { a: 0 }]])
    expect(changes(of(byPosition, a), of({}, a))).toEqual([])
    expect(changes(of(byPosition, a), of(byPosition, a, b))).toEqual([
      ["diff/param-narrowed", "params", "breaking", [0]],
      ["diff/param-widened", "params", "compatible", [0, ""]]
    ])
  })

  it("finds what results may be, member by member", () => {
    const of = (result: Schema.Json) => document({ result })
    const object = (properties: Schema.JsonObject, ...required: ReadonlyArray<string>) =>
      of({ type: "array", items: { type: "object", properties, required } })
    expect(changes(object({ a: number, b: number }, "a", "b"), object({ a: number, c: number }, "c"))).toEqual([
      ["diff/result-optional", "result[].a", "breaking", { c: 0 }],
      ["diff/result-removed", "result[].b", "breaking", { c: 0 }],
      ["diff/result-added", "result[].c", "compatible", undefined]
    ])
    expect(changes(of({ enum: ["a", "b"] }), of({ enum: ["a", "c"] }))).toEqual([
      ["diff/value-added", "result", "breaking", "c"],
      ["diff/value-removed", "result", "compatible", "b"]
    ])
    expect(changes(of(integer), of(number))).toEqual([["diff/result-widened", "result", "breaking", 0.5]])
    expect(
      changes(
        of({ oneOf: [integer, { type: "null" }] }),
        of({ oneOf: [integer, { type: "null" }, { type: "string" }] })
      )
    )
      .toEqual([["diff/result-widened", "result", "breaking", ""]])
  })

  it("finds errors that are new and data that may be other", () => {
    const of = (...errors: ReadonlyArray<object>) => document({ errors })
    const broke = { code: 1, message: "Broke", data: { type: "object", properties: { by: integer }, required: ["by"] } }
    expect(changes(of(broke), of(broke, { code: 2, message: "Closed" }))).toEqual([
      ["diff/error-added", "errors.2", "breaking", { code: 2, message: "Closed" }]
    ])
    const other = { ...broke, data: { type: "object", properties: { by: number }, required: ["by"] } }
    expect(changes(of(broke), of(other))).toEqual([["diff/error-widened", "errors.1.data.by", "breaking", 0.5]])
    expect(changes(document({}), of(broke))).toEqual([])
  })

  it("reports a part that operations share once", () => {
    const shared = (schema: Schema.Json) => ({
      ...document({ name: "a", result: { $ref: "#/components/schemas/T" } }, {
        name: "b",
        result: { type: "array", items: { $ref: "#/components/schemas/T" } }
      }),
      components: { schemas: { T: { type: "object", properties: { n: schema }, required: ["n"] } } }
    })
    expect(compare(shared(integer), shared(number)).changes).toEqual([{
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
    expect(changes(tool(number), tool(integer))).toEqual([["diff/param-narrowed", "params.n", "breaking", 0.5]])
    expect(changes(tool(number), { ...tool(number), prompts: [] })).toEqual([
      ["diff/method-removed", "", "breaking", { method: "ask", params: {} }]
    ])
  })

  it("says that it does not know, and ends so", () => {
    const of = (pattern: string) => document({ params: [param("a", { type: "string", pattern })], ...byName })
    const diff = compare(of("^(?!a)"), of("^(?!a)(?!a)"))
    expect(diff.changes.map(({ rule, verdict }) => [rule, verdict])).toEqual([["diff/param-narrowed", "unknown"]])
    expect(ContractDiff.verdictOf(diff)).toBe("unknown")
  })

  it("refuses what is no contract, and says why", () => {
    expect(Result.getFailure(ContractDiff.fromJson({}))).toMatchObject({
      value: "it is no OpenRPC document, no list of tools, prompts or resources, and no lock file"
    })
    expect(Result.isFailure(ContractDiff.fromJson({ openrpc: "1.3.2" }))).toBe(true)
    expect(Result.isFailure(ContractDiff.fromJson({ parleyLock: 2, operations: {}, schemas: {} }))).toBe(true)
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
    expect(diff.changes.map(({ place, rule, witness }) => [rule, place, witness])).toEqual([
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
    expect(traffic(of(number, integer), of(integer, number))).toEqual([
      ["diff/param-narrowed", { calls: 2, example: call({ amount: 0.5 }) }],
      ["diff/result-widened", { calls: 3, example: call({ amount: 1 }) }]
    ])
    expect(traffic(of(number, {}), document({ name: "other" }))).toEqual([
      ["diff/method-added", undefined],
      ["diff/method-removed", { calls: 3, example: call({ amount: 1 }) }]
    ])
  })

  it("writes every format, and text for a changelog", () => {
    const of = (schema: Schema.Json) => document({ params: [param("n", schema)], ...byName })
    const diff = compare(of(number), of(integer), { before: "old.json", after: "new.json" })
    expect(ContractDiff.render(diff, "table")).toContain(
      "BREAKING  diff/param-narrowed  params.n may have fewer values"
    )
    expect(ContractDiff.render(diff, "table")).toContain("accepted before: 0.5")
    expect(JSON.parse(ContractDiff.render(diff, "json"))).toEqual(diff)
    expect(ContractDiff.render(diff, "junit")).toContain("<failure")
    const [run] = JSON.parse(ContractDiff.render(diff, "sarif", { artifact: "api.json" })).runs
    expect(run.tool.driver.rules[0].shortDescription.text).toBe("params may have fewer values")
    expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toBe("api.json")
    expect(ContractDiff.render(diff, "markdown")).toContain("BREAKING")
    expect(ContractDiff.render(diff, "html")).toContain("<title>parley diff old.json new.json</title>")
    expect(ContractDiff.changelog(diff)).toBe(
      "### Breaking\n\n- **method pay**: params.n may have fewer values, for example 0.5 is not accepted any more\n"
    )
  })

  it("hides nothing that a stranger wrote to drive a terminal", () => {
    const of = (schema: Schema.Json) =>
      document({ params: [param("\u001b[2Jn", schema)], name: "a\u001b[2J", ...byName })
    expect(ContractDiff.render(compare(of(number), of(integer)), "table")).not.toContain("\u001b")
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
    ({ seed }) => Effect.sync(() => expect(ContractDiff.compare(random(seed), random(seed)).changes).toEqual([]))
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
          expect(
            back.some((change) => change.place.startsWith(place) && change.verdict !== "unknown"),
            `${rule} ${place}`
          ).toBe(true)
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
    expect(Lock.toText(a)).toBe(Lock.toText(b))
    expect(Lock.toText(a).endsWith("}\n")).toBe(true)
  })

  it("reads what it writes", () => {
    const surface = read(
      document({ params: [param("n", number)], result: integer }, { name: "tell", result: null, ...reverse })
    )
    const again = Result.getOrThrow(Lock.fromJson(JSON.parse(Lock.toText(surface))))
    expect(Lock.toText(again)).toBe(Lock.toText(surface))
    expect(ContractDiff.compare(surface, again).changes).toEqual([])
  })
})
