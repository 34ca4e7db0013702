import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, type Schema } from "effect"
import * as Scripted from "../client/scripted.ts"

const warnings = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") lines.push([message].flat().join(" "))
  })
  return { lines, layer: Logger.layer([logger]) }
}

const served = (outputSchema: Schema.JsonObject, result: Schema.JsonObject) => ({
  "tools/list": Scripted.always({ tools: [{ name: "pay\n", inputSchema: { type: "object" }, outputSchema }] }),
  "tools/call": Scripted.always({ content: [], ...result })
})

const eras = [["2025-11-25", Scripted.legacy], ["2026-07-28", Scripted.modern]] as const

/** Schemas that nobody can check `{ "amount": "1e9" }` with. */
const uncheckable: ReadonlyArray<readonly [string, Schema.JsonObject, RegExp]> = [
  [
    "a misspelt reference",
    { properties: { amount: { $ref: "#/$defs/amuont" } } },
    /the \$ref "#\/\$defs\/amuont" of its/
  ],
  [
    "an address",
    { properties: { amount: { $ref: "https://a.example/a.json" } } },
    /at structuredContent.amount: the \$ref/
  ],
  ["a flag of Python", { properties: { amount: { pattern: "(?i)^[0-9]" } } }, /the pattern "\(\?i\)\^\[0-9\]" of its/],
  ["a group of Python", { properties: { amount: { pattern: "(?P<n>[0-9])" } } }, /cannot be run/],
  ["a back-reference", { properties: { amount: { pattern: "(.)\\1" } } }, /cannot be run/],
  ["names by such a pattern", { patternProperties: { "(?i)AMOUNT": false } }, /cannot be run/],
  [
    "a dialect that nobody knows",
    { $schema: "https://a.example/dialect", not: {} },
    /the dialect of its schema is none/
  ],
  ["a reference to itself", { $ref: "#" }, /1024 schemas in one another/],
  ["too much work", {
    $defs: {
      l0: true,
      ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`l${at + 1}`, {
        allOf: [{ $ref: `#/$defs/l${at}` }, { $ref: `#/$defs/l${at}` }]
      }]))
    },
    $ref: "#/$defs/l40"
  }, /steps to check/]
]

describe("results of a tool whose output schema cannot be checked", () => {
  for (const [revision, era] of eras) {
    for (const [name, schema, expected] of uncheckable) {
      it.effect(`pass with one warning for the tool, in ${revision}: ${name}`, () => {
        const { layer, lines } = warnings()
        return Effect.gen(function*() {
          const result = { structuredContent: { amount: "1e9" } }
          const { client } = yield* Scripted.connect(era(served({ type: "object", ...schema }, result)))
          for (let round = 0; round < 2; round++) {
            yield* client.listTools()
            for (let call = 0; call < 2; call++) {
              assert.deepStrictEqual((yield* client.callTool("pay\n")).structuredContent, { amount: "1e9" })
            }
          }
          assert.lengthOf(lines, 1)
          assert.match(lines[0] ?? "", /^results of the tool "pay\\n" pass without being checked: /)
          assert.match(lines[0] ?? "", expected)
        }).pipe(Effect.provide(layer))
      })

      it.effect(`are refused by a strict client, in ${revision}: ${name}`, () =>
        Effect.gen(function*() {
          const result = { structuredContent: { amount: "1e9" } }
          const handlers = era(served({ type: "object", ...schema }, result))
          const { client } = yield* Scripted.connect(handlers, { strict: true })
          yield* client.listTools()
          const error = yield* Effect.flip(client.callTool("pay\n"))
          assert.strictEqual(error._tag, "InvalidResult")
          assert.match(error.message, expected)
        }))
    }

    it.effect(`are refused where what can be checked does not fit, in ${revision}`, () => {
      const { layer, lines } = warnings()
      return Effect.gen(function*() {
        const schema = {
          type: "object",
          properties: { amount: { $ref: "#/$defs/none" }, to: { type: "string" } }
        }
        const result = { structuredContent: { amount: "1e9", to: 5 } }
        const { client } = yield* Scripted.connect(era(served(schema, result)))
        yield* client.listTools()
        const error = yield* Effect.flip(client.callTool("pay\n"))
        assert.deepInclude(error, { _tag: "InvalidResult", path: ["structuredContent", "to"] })
        assert.deepStrictEqual(lines, [])
      }).pipe(Effect.provide(layer))
    })
  }
})

describe("an output schema without `type`", () => {
  const schema = { properties: { amount: { type: "number" } }, required: ["amount"] }

  for (const revision of ["2025-06-18", "2025-11-25"]) {
    it.effect(`does not check results, also of text, and warns once, in ${revision}`, () => {
      const { layer, lines } = warnings()
      return Effect.gen(function*() {
        const content = [{ type: "text" as const, text: "5" }]
        for (const result of [{ content }, { content, structuredContent: { other: 1 } }]) {
          lines.length = 0
          const { client } = yield* Scripted.connect({
            ...Scripted.legacy(served(schema, result)),
            initialize: Scripted.always(Scripted.initialized(revision))
          })
          yield* client.listTools()
          yield* client.callTool("pay\n")
          assert.deepStrictEqual((yield* client.callTool("pay\n")).content, content)
          assert.deepStrictEqual(lines, [
            `results of the tool "pay\\n" pass without being checked: revision ${revision} has no output schema whose ` +
            "type is not object"
          ])
        }
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("checks results in 2026-07-28", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.modern(served(schema, { structuredContent: {} })))
      yield* client.listTools()
      const error = yield* Effect.flip(client.callTool("pay\n"))
      assert.deepInclude(error, { _tag: "InvalidResult", path: ["structuredContent", "amount"] })
    }))
})

describe("a form whose schema cannot be checked", () => {
  it.effect("is answered, and the log says so", () => {
    const { layer, lines } = warnings()
    return Effect.gen(function*() {
      const form = {
        mode: "form",
        message: "how much?",
        requestedSchema: { type: "object", properties: { amount: { type: "string", pattern: "(?i)^a" } } }
      }
      const { client } = yield* Scripted.connect(
        Scripted.legacy({
          "tools/call": ({ peer }) =>
            Effect.map(Effect.orDie(peer.request("elicitation/create", form)), (answer) => ({
              content: [{ type: "text", text: JSON.stringify(answer) }]
            }))
        }),
        { handlers: { elicit: () => Effect.succeed({ action: "accept", content: { amount: "A" } }) } }
      )
      const { content } = yield* client.callTool("ask")
      assert.deepStrictEqual(content, [{ type: "text", text: `{"action":"accept","content":{"amount":"A"}}` }])
      assert.lengthOf(lines, 1)
      assert.match(
        lines[0] ?? "",
        /^the answer to a form is sent without being checked: the pattern "\(\?i\)\^a" of its/
      )
    }).pipe(Effect.provide(layer))
  })
})
