/** The page of costs under load has what is stored, and its numbers mean what their names say. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cell, path, stored, toMarkdown } from "../../src/loaded/page.ts"
import { merge, type Point, type Stored, targets } from "../../src/loaded/results.ts"
import { rows } from "../../src/loaded/rows.ts"
import { isMet } from "../../src/results.ts"

const root = join(import.meta.dirname, "../../../..")

const point = (column: string, count: number, cpu: number): Point => ({ row: "sliding", column, count, cpu, held: 80 })

it("the page is what the stored results give, or else run: node packages/bench/src/loaded/page.ts", () => {
  expect(readFileSync(join(root, path), "utf8")).toBe(toMarkdown(stored()))
})

it("each row is stored, as it is now and as it was before", () => {
  const found = stored().points.map(({ column, row }) => `${row} ${column}`)
  for (const { isNew, name } of rows) {
    for (const column of isNew === true ? ["now"] : ["now", "before"]) expect(found).toContain(`${name} ${column}`)
  }
})

describe("results under load", () => {
  const run = { node: "v24", processors: 2, date: "2026-02-02" }
  const before: Stored = {
    node: "v22",
    processors: 1,
    dates: { sliding: "2026-01-01", chunk: "2026-01-01" },
    before: "0123abcd",
    rows: [],
    points: [point("now", 64, 3), point("before", 64, 4)]
  }

  it("of a run take the place of what is stored, and leave an earlier checkout that was not measured", () => {
    expect(merge(before, { points: [point("now", 64, 2)], before: undefined }, run)).toMatchObject({
      node: "v24",
      dates: { sliding: "2026-02-02", chunk: "2026-01-01" },
      before: "0123abcd",
      points: [point("before", 64, 4), point("now", 64, 2)]
    })
  })

  it("compare the highest cost with the lowest, where there are many", () => {
    const ratios = (...points: ReadonlyArray<Point>) =>
      targets(points).map((target) => [target.measured, isMet(target)])
    expect(ratios(point("now", 10, 90), point("now", 100, 3), point("now", 1_000, 6), point("before", 1_000, 99)))
      .toEqual([[2, true]])
    expect(ratios(point("now", 100, 3), point("now", 1_000, 7))).toEqual([[7 / 3, false]])
    expect(ratios({ row: "sliding", column: "now", count: 100, over: 30 }, point("now", 1_000, 7)))
      .toEqual([[Infinity, false]])
    expect(ratios()).toEqual([])
  })

  it("say what a unit costs, and what is held where there are many", () => {
    const sliding = rows.find(({ name }) => name === "sliding")!
    const cells = [point("now", 10, 3.456), point("now", 100, 12.34), point("now", 1_000, 1234.5)]
    expect(cells.map((one) => cell(sliding, one))).toEqual(["3.46 µs", "12.3 µs, 80 B", "1235 µs, 80 B"])
    expect(cell(sliding, { row: "sliding", column: "now", count: 10, over: 30 })).toBe("more than 30 s")
  })
})
