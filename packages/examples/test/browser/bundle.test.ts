import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { weighClient } from "../../src/browser/pages.ts"

describe("the bundle of the smallest client", () => {
  it("weighs what its page says, within two percent, and brings nothing of Node.js", async () => {
    const page = readFileSync(new URL("../../../../docs/reference/bundle-size.md", import.meta.url), "utf8")
    const [, minified, gzipped] = /\*\*([\d.]+) kB minified, ([\d.]+) kB with gzip/.exec(page) ?? []
    const bundle = await weighClient()
    assert.closeTo(bundle.minified / 1000, Number(minified), Number(minified) * 0.02)
    assert.closeTo(bundle.gzipped / 1000, Number(gzipped), Number(gzipped) * 0.02)
    assert.sameMembers(bundle.packages.map(([name]) => name), [
      "effect",
      "@parley/contract",
      "@parley/peer",
      "@parley/protocol",
      "@parley/transport",
      "@parley/examples"
    ])
  })
})
