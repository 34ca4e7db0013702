/** The drawing of a terminal in the README. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { draw } from "../src/terminal/Picture.ts"
import { record } from "../src/terminal/Session.ts"

const drawn = readFileSync(new URL("../../../docs/images/terminal.svg", import.meta.url), "utf8")

/** All but the time of day, and how long an answer took. */
const timeless = (svg: string) => svg.replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, "TIME").replaceAll(/>\d+\sms</g, ">TOOK<")

describe("the recorded terminal session", () => {
  it("shows what the commands print today; node packages/site/src/terminal/main.ts records it anew", async () => {
    assert.strictEqual(timeless(await draw(await record())), timeless(drawn))
  })

  it("is small, runs nothing, and loads nothing", () => {
    assert.isBelow(drawn.length, 60_000)
    assert.notMatch(drawn, /<script|<foreignObject|href=|url\(|@import| on\w+=/)
  })
})
