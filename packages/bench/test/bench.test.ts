/** What is measured does what it says: every implementation echoes, and the numbers mean what their names say. */
import { describe, expect, it } from "vitest"
import { isMet, type Target } from "../src/results.ts"
import { compare, median, rateOver } from "../src/rounds.ts"
import { small } from "../src/Subject.ts"
import { load } from "../src/subjects.ts"
import { open, take } from "../src/turn.ts"

const subjects = await load(/^/)

/** Over streams, how a call is made and a handler written makes no difference that memory would not show. */
const distinct = subjects.filter(({ name, wire }) => wire === "mem" || !/-(fiber|promise|no-deadline)$/.test(name))

describe("every implementation echoes", () => {
  it.each(distinct)("$name", async (subject) => {
    const { client, close } = await open(subject)
    const echoed = await client.call(small)
    await close()
    expect(echoed).toEqual(small)
  })
})

describe("a turn", () => {
  it.each(subjects.filter(({ wire }) => wire === "mem"))("of $name counts its calls", async (subject) => {
    const { client, close } = await open(subject)
    const outcome = await take(client, { payload: "small", inFlight: 4, milliseconds: 5 })
    await close()
    expect(outcome.rate).toBeGreaterThan(0)
    expect(outcome.cpu).toBeGreaterThan(0)
  })
})

describe("results", () => {
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
