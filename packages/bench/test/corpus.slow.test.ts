/** The stored results of the corpus are those of the libraries that are installed. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Corpus } from "../src/comparison/tables.ts"
import { scoresOf } from "../src/corpus/results.ts"
import { servers } from "../src/corpus/servers.ts"

const stored: Corpus = JSON.parse(readFileSync(join(import.meta.dirname, "../results/corpus.json"), "utf8"))

describe("the corpus", () => {
  it("was put to every library", () => {
    expect(Object.keys(stored.libraries)).toEqual(Object.keys(servers))
  })

  it.each(Object.entries(servers))("is answered by %s as it is stored", { timeout: 240_000 }, async (name, make) => {
    const server = await make()
    expect(await scoresOf(server)).toEqual(stored.libraries[name])
    await server.close()
  })
})
