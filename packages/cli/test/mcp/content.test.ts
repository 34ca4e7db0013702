import { assert, describe, it } from "@effect/vitest"
import * as Content from "@parley/mcp/payload/Content"
import { Schema } from "effect"
import * as content from "../../src/internal/mcp/content.ts"
import * as hints from "../../src/internal/mcp/offer/hints.ts"
import * as listing from "../../src/internal/mcp/offer/listing.ts"

describe("the size of a picture", () => {
  const shown = (data: string) => content.block(Content.image(data, "image/png"))

  it.prop(
    "is that of its Base64 without the padding at the end, wherever else equals signs stand",
    [Schema.Array(Schema.Literals(["=", "A"]))],
    ([characters]) => {
      const data = characters.join("")
      const bytes = Math.floor(data.replace(/=+$/, "").length * 3 / 4)
      assert.strictEqual(shown(data), `[image, image/png, ${bytes} bytes]`)
    }
  )

  it("does not take minutes to count for many equals signs", () => {
    assert.strictEqual(shown(`${"=".repeat(399_999)}A`), "[image, image/png, 300000 bytes]")
  })
})

describe("a name that a server chose", () => {
  const forged = "a\n  admin  Deletes nothing\u202e\u001b[2J"
  const shown = "a\\u000a  admin  Deletes nothing\\u202e\\u001b[2J"

  it("stays on its line, and turns no other around", () => {
    const tool = { name: forged, description: forged, inputSchema: { type: "object" as const } }
    const resource = { name: forged, uri: forged, mimeType: forged }
    const template = { name: forged, uriTemplate: forged }
    const offer = { tools: [tool], resources: [resource], resourceTemplates: [template], prompts: [{ name: forged }] }
    for (const { entries } of listing.sectionsOf(offer)) {
      for (const lines of [listing.lines(entries), listing.tree(entries)]) {
        assert.strictEqual(lines.length, 1)
        assert.isTrue(lines[0]?.startsWith(shown))
        assert.notMatch(lines.join(), /[\n\u202e]/)
      }
    }
    assert.strictEqual(content.block(Content.link({ name: forged, uri: "x:y" })), `[link, ${shown}, x:y]`)
    assert.strictEqual(hints.names([forged, "b"]), `it has ${shown}, b`)
  })
})
