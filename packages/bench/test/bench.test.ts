/** What is measured does what it says: every implementation echoes, and the numbers mean what their names say. */
import { describe, expect, it } from "vitest"
import { isMet, least, merge, type Target } from "../src/results.ts"
import { compare, median, rateOver } from "../src/rounds.ts"
import { find, over, wires } from "../src/subjects.ts"
import { open, take } from "../src/turn.ts"
import { distinct, echoes, isQuick } from "./support/echoes.ts"

const subjects = (await Promise.all(wires.map(over))).flat()

describe("what is measured echoes, and leaves nothing open", () => {
  it.each(distinct(subjects).filter(isQuick))("$name", echoes)
})

describe("a subject is found by its name", () => {
  it.each(subjects)("$name", async ({ name, wire }) => {
    expect(await find(name)).toMatchObject({ name, wire })
    expect(name.startsWith(`${wire}/`)).toBe(true)
  })

  it("and one that is not there is said to be missing", async () => {
    await expect(find("tcp/nobody")).rejects.toThrow("no subject tcp/nobody")
  })
})

describe("a turn", () => {
  it.each(subjects.filter(({ wire }) => wire === "mem"))("of $name counts its calls", async (subject) => {
    const { client } = await open(subject)
    const outcome = await take(client, { payload: "small", inFlight: 4, milliseconds: 100 })
    await client.close()
    expect(outcome.rate).toBeGreaterThan(0)
    expect(outcome.cpu).toBeGreaterThan(0)
  })
})

describe("results", () => {
  it("of a part take the place of what is stored, with their day", () => {
    const row = (subject: string, rate: number) =>
      ({ table: "mcp", subject, inFlight: 1, rate, cpu: 1, ratio: 1 }) as const
    const run = {
      node: "v24",
      processors: 2,
      rounds: 9,
      milliseconds: 150,
      deadline: {},
      typed: {},
      heap: {},
      sessions: {},
      gateway: {}
    }
    const none = { typecheck: undefined, tools: undefined, startup: {} }
    const start = { wall: 4, cpu: 4, wallRatio: 1, cpuRatio: 1 }
    const stored = {
      ...run,
      ...none,
      date: "2026-01-01",
      rows: [row("a", 1), row("b", 1)],
      tools: 3,
      startup: { a: start },
      targets: [least("a", 1, 1), least("b", 1, 1)]
    }
    const found = {
      ...run,
      ...none,
      date: "2026-02-02",
      rows: [row("b", 2)],
      startup: { b: start },
      targets: [least("b", 1, 2)]
    }
    expect(merge(stored, found)).toEqual({
      ...stored,
      rows: [row("a", 1), { ...row("b", 2), date: "2026-02-02" }],
      startup: { a: start, b: start },
      targets: [least("a", 1, 1), least("b", 1, 2)]
    })
  })

  const outcomes = (...rates: ReadonlyArray<number>) => rates.map((rate) => ({ rate, cpu: 1 }))
  const target = (needed: number, measured: number, atMost: boolean): Target => ({
    name: "",
    unit: "",
    needed,
    measured,
    atMost
  })

  it("take the median", () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  it("compare what happened in the same round", () => {
    expect(compare(outcomes(10, 1, 6), outcomes(20, 2, 6), rateOver)).toBe(0.5)
    expect(compare(outcomes(1), undefined, rateOver)).toBeNaN()
  })

  it("tell a target that is met from one that is missed", () => {
    expect(isMet(target(0.75, 0.8, false))).toBe(true)
    expect(isMet(target(0.75, 0.7, false))).toBe(false)
    expect(isMet(target(0.5, 0.4, true))).toBe(true)
    expect(isMet(target(0.5, 0.6, true))).toBe(false)
  })
})
