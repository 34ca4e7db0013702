/** A handful of what the slow tests hold of all specimens. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import * as Specimen from "./Specimen.ts"

const stdio = { language: "TypeScript", wire: "stdio" } as const
const python = { language: "Python", wire: "HTTP" } as const

/** The findings of a suite or a rule. */
const found = (server: string, place: Specimen.Place, only: string, ...more: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { results } = yield* Conform.run(yield* Specimen.start(server, place, more), { only: [only] })
    assert.isNotEmpty(results)
    return Specimen.blemishes(results)
  })

describe("specimens", () => {
  it.live("finds nothing in the correct plain servers", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* found("plain", python, "jsonrpc"), [])
      assert.deepStrictEqual(yield* found("plain", stdio, "framing"), [])
    }))

  it.live("finds the defect of a plain mutant, and says it in bytes", () =>
    Effect.gen(function*() {
      const target = yield* Specimen.start("plain", python, ["--mutant", "id-as-string"])
      const { results: [result] } = yield* Conform.run(target, { only: ["jsonrpc/id-same"] })
      assert.strictEqual(result?.verdict, "fail")
      assert.include(result?.findings[0]?.exchange.map(({ text }) => text).join("\n"), "\"id\": \"0\"")
    }))

  it.live("finds the one defect of a server with one tool over HTTP, and nothing beside it", () =>
    Effect.gen(function*() {
      const place = { language: "TypeScript", wire: "HTTP" } as const
      assert.deepStrictEqual(yield* found("forecast", place, "mcp/http"), ["fail mcp/http/origin"])
    }))
})
