/** A correct server has neither a failure nor anything that could not be decided; one with one defect has this one. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import * as Specimen from "./Specimen.ts"

describe("a whole run", () => {
  for (const place of Specimen.places) {
    const more = place.language === "TypeScript" ? ["mcp --batches", "mcp --tasks"] : []
    for (const server of ["mcp", "mcp --resources", "plain", ...more]) {
      it.live(`finds nothing in the correct ${server} in ${place.language} over ${place.wire}`, () =>
        Effect.gen(function*() {
          const report = yield* Conform.run(yield* Specimen.start(server, place), { write: true })
          assert.isAbove(report.results.filter(({ verdict }) => verdict === "pass").length, 30)
          assert.deepStrictEqual(Specimen.blemishes(report.results), [])
        }))
    }
  }

  it.live("finds in a server with one tool its one defect alone: it serves every origin", () =>
    Effect.gen(function*() {
      const target = yield* Specimen.start("forecast", { language: "TypeScript", wire: "HTTP" })
      const { results } = yield* Conform.run(target)
      assert.deepStrictEqual(Specimen.blemishes(results), ["fail mcp/http/origin"])
    }))
})
