import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Started from "../specimens/Started.ts"

const program = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/server-memory/dist/index.js")

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("@modelcontextprotocol/server-memory", () => {
  it.live(
    "has what was created, has not what was deleted, and keeps its schemas",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const env = { MEMORY_FILE_PATH: join(yield* folder, "memory.jsonl") }
        const target = Started.stdio([process.execPath, program], { env })
        const { results } = yield* Conform.run(target, { only: ["schema", "stateful"], write: true })
        const verdicts = new Map(results.map(({ id, verdict }) => [id, verdict]))
        for (
          const id of ["stateful/created", "stateful/deletes", "stateful/deleted", "schema/refuses", "schema/result"]
        ) {
          assert.strictEqual(verdicts.get(id), "pass", id)
        }
        const others = results.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
        assert.deepStrictEqual(others, [])
      })),
    60_000
  )
})
