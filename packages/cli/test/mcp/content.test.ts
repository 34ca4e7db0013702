import { assert, describe, it } from "@effect/vitest"
import * as Content from "@parley/mcp/payload/Content"
import { Schema } from "effect"
import * as content from "../../src/internal/mcp/content.ts"

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
