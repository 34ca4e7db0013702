/** The pictures of the pages are drawn from what is so now, and can be read. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { barsOf, charts, inFlight } from "../src/drawing/benchmarks.ts"
import { toSvg } from "../src/drawing/Drawing.ts"
import * as Drawings from "../src/drawing/drawings.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

describe("the pictures of the pages", () => {
  it.each(Drawings.all(root))("$name is as it would be drawn now, or else run: pnpm site --draw", (drawing) => {
    assert.strictEqual(read(Drawings.fileOf(drawing)), toSvg(drawing))
  })

  it.each(Drawings.all(root))(
    "$name says in words what it shows, and stands on a page",
    ({ description, name, title }) => {
      assert.isAbove(title.length, 10)
      assert.isAbove(description.length, 100)
      const pages = globSync(["ARCHITECTURE.md", "docs/**/*.md"], { cwd: root })
      assert.isTrue(pages.some((page) => read(page).includes(`images/${name}.svg)`)))
    }
  )

  it("the packages stand above all that they import", () => {
    const { description } = Drawings.all(root)[0]!
    for (const name of ["protocol", "transport", "peer", "mcp", "node", "redis"]) {
      assert.include(description, `${name} imports`)
    }
    assert.include(description, "peer imports transport.")
  })
})

describe("the bars of the benchmarks", () => {
  /** The ratio in the cell of a subject with so many calls in flight. */
  const ratioOnPage = (subject: string): string | undefined => {
    const lines = read("docs/reference/benchmarks.md").split("\n")
    const row = lines.findIndex((line) => line.startsWith(`| \`${subject}\` |`))
    const head = lines.slice(0, row).findLast((line) => line.includes("in flight |"))
    const column = head?.split(" | ").findIndex((cell) => cell.startsWith(`${inFlight} in flight`)) ?? -1
    return /\(([\d.]+),/.exec(lines[row]?.split(" | ")[column] ?? "")?.[1]
  }

  it.each(charts)("of $name have the ratios of the page", (chart) => {
    const bars = barsOf(root, chart).flatMap(([, bars]) => bars)
    assert.isAbove(bars.length, 10)
    assert.deepStrictEqual(
      bars.map(({ ratio, subject }) => [subject, ratio.toFixed(2)]),
      bars.map(({ subject }) => [subject, ratioOnPage(subject)])
    )
  })
})
