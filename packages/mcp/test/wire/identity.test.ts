import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, type Result } from "effect"
import type * as Listing from "../../src/payload/Listing.ts"
import type * as Results from "../../src/payload/Results.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"
import type * as WireIssue from "../../src/wire/WireIssue.ts"
import { read, travel } from "./support/reading.ts"
import * as Values from "./support/values.ts"

/** Every kind of value that travels both ways: as JSON, and back. */
const kinds = (codec: RevisionCodec.RevisionCodec) => {
  const { decode, encode } = codec
  const way = <A>(
    values: Arbitrary.Arbitrary<A>,
    there: (value: A) => unknown,
    back: (json: unknown) => Result.Result<A | Results.InputRequired, WireIssue.WireIssue>
  ) =>
    Arbitrary.map(values, (value) => ({
      value: travel(value),
      sent: travel(there(value)),
      received: () => back(travel(there(value))),
      again: () => travel(there(read(back(travel(there(value)))) as A))
    }))
  const page = { cache: { ttlMs: 5, cacheScope: "public" } } as const
  return {
    callToolResult: way(Values.callToolResult, encode.callToolResult, decode.callToolResult),
    readResourceResult: way(
      Arbitrary.map(Values.readResourceResult, (result) => ({ ttlMs: 1, cacheScope: "private" as const, ...result })),
      encode.readResourceResult,
      decode.readResourceResult
    ),
    getPromptResult: way(Values.getPromptResult, encode.getPromptResult, decode.getPromptResult),
    completeResult: way(Values.completeResult, encode.completeResult, decode.completeResult),
    toolPage: way(
      Arbitrary.map(Values.tool, (tool): Listing.ToolPage => ({ tools: [tool], ...page.cache })),
      ({ tools }) => encode.page("tools", tools.map(encode.tool), page),
      decode.toolPage
    ),
    resourcePage: way(
      Arbitrary.map(Values.resource, (info): Listing.ResourcePage => ({ resources: [info], ...page.cache })),
      ({ resources }) => encode.page("resources", resources.map(encode.resource), page),
      decode.resourcePage
    ),
    promptPage: way(
      Arbitrary.map(Values.prompt, (info): Listing.PromptPage => ({ prompts: [info], ...page.cache })),
      ({ prompts }) => encode.page("prompts", prompts.map(encode.prompt), page),
      decode.promptPage
    ),
    sampleResult: way(Values.sampleResult, encode.sampleResult, decode.sampleResult),
    elicitResult: way(Values.elicitResult, encode.elicitResult, decode.elicitResult),
    rootsResult: way(Values.rootsResult, encode.rootsResult, decode.rootsResult),
    serverCapabilities: way(Values.serverCapabilities, encode.serverCapabilities, decode.serverCapabilities)
  }
}

/** Fewer than usual: each value is a tree, and there are many kinds. */
/** The slow tests try four times as many. */
const runs = { arbitrary: { runs: process.env["SLOW"] === "1" ? 40 : 10 } }

describe.each(Revision.all)("wire of %s", (revision) => {
  for (const [name, values] of Object.entries(kinds(RevisionCodec.of(revision)))) {
    it.effect.prop(
      `decode after encode loses no more than encode did: ${name}`,
      { values },
      ({ values }) =>
        Effect.sync(() => {
          assert.deepStrictEqual(values.again(), values.sent)
        }),
      runs
    )
  }
})

const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const isObjectSchema = (json: unknown): boolean => isRecord(json) && json["type"] === "object"

/** What the newest legacy revision can say of a value: everything but these. */
const sayable = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(sayable)
  if (!isRecord(json)) return json
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key, value]) =>
        key !== "cacheScope" &&
        !(key === "ttlMs" && Object.hasOwn(json, "cacheScope")) &&
        !(key === "structuredContent" && !isRecord(value)) &&
        !(key === "outputSchema" && !isObjectSchema(value))
      )
      .map(([key, value]) => [
        key,
        key === "properties" && isRecord(value)
          ? Object.fromEntries(
            Object.entries(value).map(([name, property]) => [
              name,
              property === true ? {} : property === false ? { not: {} } : property
            ])
          )
          : sayable(value)
      ])
  )
}

/** What the newest revision can say of a value: everything but the tasks of the one before it. */
const sayableNow = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(sayableNow)
  if (!isRecord(json)) return json
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key, value]) => !(key === "execution" || (key === "tasks" && isRecord(value))))
      .map(([key, value]) => [key, sayableNow(value)])
  )
}

describe("the newest wires", () => {
  for (const [name, values] of Object.entries(kinds(RevisionCodec.latest))) {
    it.effect.prop(`decode after encode is the identity: ${name}`, { values }, ({ values }) =>
      Effect.sync(() => {
        assert.deepStrictEqual(travel(read<unknown>(values.received())), sayableNow(values.value))
      }), runs)
  }
  for (const [name, values] of Object.entries(kinds(RevisionCodec.of(Revision.latestLegacy)))) {
    it.effect.prop(
      `decode after encode is the identity in all that the legacy era can say: ${name}`,
      { values },
      ({ values }) =>
        Effect.sync(() => {
          assert.deepStrictEqual(travel(read<unknown>(values.received())), sayable(values.value))
        }),
      runs
    )
  }
})
