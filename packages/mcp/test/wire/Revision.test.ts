import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"

describe("Revision", () => {
  it("has its revisions in order, and its eras apart", () => {
    assert.deepStrictEqual(Revision.all.toSorted(), [...Revision.all])
    assert.strictEqual(Revision.all.at(-1), Revision.latest)
    assert.strictEqual(Revision.ofEra("legacy")[0], Revision.latestLegacy)
    assert.deepStrictEqual(
      [...Revision.ofEra("modern"), ...Revision.ofEra("legacy")],
      Revision.all.toReversed()
    )
  })

  it("knows the texts that name one", () => {
    assert.isTrue(Revision.all.every(Revision.isKnown))
    assert.isFalse([undefined, 1, "", "2025-11-26", "constructor"].some(Revision.isKnown))
  })

  it("negotiates what was asked for where it is supported, and else the newest that shakes hands", () => {
    assert.strictEqual(Revision.negotiate("2025-03-26"), "2025-03-26")
    assert.strictEqual(Revision.negotiate("1999-01-01"), Revision.latestLegacy)
    assert.strictEqual(Revision.negotiate(Revision.latest), Revision.latestLegacy)
    assert.strictEqual(Revision.negotiate("2025-03-26", ["2024-11-05", "2025-06-18"]), "2025-06-18")
    assert.isUndefined(Revision.negotiate("2025-03-26", [Revision.latest]))
  })

  it("is named by the tables of revisions and the records only", () => {
    const sources = join(import.meta.dirname, "../../src")
    const naming = globSync("**/*.ts", { cwd: sources }).filter((path) => {
      // Examples in comments may ask for one.
      const text = readFileSync(join(sources, path), "utf8").replaceAll(/^ \*.*$/gm, "")
      return !/^(?:wire|payload|internal\/wire)\//.test(path) &&
        Revision.all.some((revision) => text.includes(`"${revision}"`))
    })
    assert.deepStrictEqual(naming, [])
  })

  it("has one wire for each, and always the same", () => {
    for (const revision of Revision.all) {
      assert.strictEqual(RevisionCodec.of(revision).revision, revision)
      assert.strictEqual(RevisionCodec.of(revision), RevisionCodec.of(revision))
    }
    assert.strictEqual(RevisionCodec.latest.revision, Revision.latest)
  })
})
