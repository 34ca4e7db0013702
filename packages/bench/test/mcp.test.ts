/** What is measured of MCP does what it says, and what is said of it means what its name says. */
import { describe, expect, it } from "vitest"
import { gatewayTargets, mcpTargets, sessionTargets, toolsTargets } from "../src/mcp/results.ts"
import { isMet, rowsOf } from "../src/results.ts"
import { find, mcpWires, over } from "../src/subjects.ts"
import { open, take } from "../src/turn.ts"
import { answers } from "./support/echoes.ts"

const subjects = (await Promise.all(mcpWires.map(over))).flat()

const isQuick = (name: string) => name.startsWith("mcp-mem/") || name === "mcp-http/parley"

describe("what is measured of MCP calls its tool, and leaves nothing open", () => {
  it.each(subjects.filter(({ name }) => isQuick(name)))("$name", answers)
})

describe("a subject of MCP is found by its name", () => {
  it.each(subjects)("$name", async ({ name, wire }) => {
    expect(await find(name)).toMatchObject({ name, wire })
    expect(name.startsWith(`${wire}/`)).toBe(true)
  })
})

describe("a turn", () => {
  it("tells what the serving process has spent", async () => {
    const { client, spent, stop } = await open(await find("mcp-http/parley"))
    const outcome = await take(client, { payload: "small", inFlight: 4, milliseconds: 50 }, spent)
    await client.close()
    await stop()
    expect(outcome.rate).toBeGreaterThan(0)
    expect(outcome.serving).toBeGreaterThan(0)
  })
})

describe("results of MCP", () => {
  const outcome = (rate: number, cpu: number, serving: number) => new Map([[64, [{ rate, cpu, serving }]]])

  it("compare rates with both official SDKs, and processor time by who spends it", () => {
    const targets = mcpTargets(
      new Map([
        ["mcp-mem/parley", outcome(30, 1, 1)],
        ["mcp-mem/sdk-v2-modern", outcome(10, 1, 1)],
        ["mcp-http/parley", outcome(20, 9, 50)],
        ["mcp-http/mcp-lite", outcome(40, 9, 60)],
        ["mcp-client/parley", outcome(1, 20, 9)],
        ["mcp-client/sdk-v1", outcome(1, 80, 9)]
      ])
    )
    expect(targets.map((target) => [target.measured, target.atMost, isMet(target)])).toEqual([
      [3, false, true],
      [0.5, false, false],
      [0.25, true, true]
    ])
  })

  it("are put beside the official SDK, version 2", () => {
    const rows = rowsOf("mcp", new Map([["mcp-mem/parley", outcome(30, 1, 2)], ["mcp-mem/sdk-v2", outcome(10, 1, 1)]]))
    expect(rows.map(({ ratio, serving }) => [ratio, serving])).toEqual([[3, 2], [1, 1]])
  })

  it("hold what more tools cost against half a microsecond", () => {
    expect([toolsTargets(0.4), toolsTargets(0.6), toolsTargets(undefined)].map((all) => all.map(isMet))).toEqual([
      [true],
      [false],
      []
    ])
  })

  it("hold what a gateway adds against fifty microseconds, and more for long results", () => {
    const of = (all: { readonly [what: string]: number }) => gatewayTargets(all).map(isMet)
    expect(of({ "memory small": 49, "memory records": 1_201, "memory text": 299, "http small": 1 })).toEqual([
      true,
      false,
      true
    ])
    expect(of({})).toEqual([])
  })

  it("hold the heap of a session against six kilobytes", () => {
    const of = (heap: number) => sessionTargets({ "parley, 50 tools": { heap, resident: 1 } }).map(isMet)
    expect([of(5_999), of(6_001), sessionTargets({})]).toEqual([[true], [false], []])
  })
})
