/**
 * The targets of MCP, beside what was measured.
 */
import { least, most, type Sessions, type Target } from "../results.ts"
import { compare, type Outcomes, rateOver } from "../rounds.ts"
import type { Outcome } from "../turn.ts"

const cpuOver = (own: Outcome, other: Outcome): number => own.cpu / other.cpu

export const mcpTargets = (outcomes: Outcomes): ReadonlyArray<Target> => {
  const measured = (own: string, other: string, inFlight: number, by: typeof rateOver) =>
    compare(outcomes.get(own)?.get(inFlight), outcomes.get(other)?.get(inFlight), by)
  const over = (own: string, other: string, inFlight: number, needed: number) =>
    least(`${own} over ${other}, ${inFlight} in flight`, needed, measured(own, other, inFlight, rateOver))
  const counts = [1, 64]
  return [
    // Messages of the newest revision are more than twice as long.
    ...counts.map((count) => over("mcp-mem/parley", "mcp-mem/sdk-v2-modern", count, 2.5)),
    ...counts.map((count) => over("mcp-mem/parley-legacy", "mcp-mem/sdk-v2", count, 2.5)),
    ...counts.flatMap((count) =>
      ["parley", "parley-legacy"].map((own) => over(`mcp-mem/${own}`, "mcp-mem/sdk-v1", count, 1))
    ),
    over("mcp-stdio/parley", "mcp-stdio/sdk-v1", 64, 1.3),
    over("mcp-stdio/parley-legacy", "mcp-stdio/sdk-v1", 64, 1.3),
    over("mcp-http/parley", "mcp-http/sdk-v2", 64, 7),
    over("mcp-http/parley", "mcp-http/mcp-lite", 64, 1),
    over("mcp-http/parley-legacy", "mcp-http/mcp-lite", 64, 1),
    over("mcp-http-list/parley", "mcp-http-list/mcp-lite", 64, 1),
    ...["sdk-v1", "sdk-v2"].flatMap((sdk) =>
      counts.map((count) =>
        most(
          `processor time of mcp-client/parley over that of mcp-client/${sdk}, ${count} in flight`,
          1 / 3,
          measured("mcp-client/parley", `mcp-client/${sdk}`, count, cpuOver)
        )
      )
    )
  ].filter(({ measured }) => !Number.isNaN(measured))
}

export const sessionTargets = (sessions: Sessions): ReadonlyArray<Target> => {
  const measured = sessions["parley, 50 tools"]?.heap
  return measured === undefined
    ? []
    : [{ name: "live heap per open session, 50 tools", needed: 6_000, atMost: true, unit: "bytes", measured }]
}

export const toolsTargets = (tools: number | undefined): ReadonlyArray<Target> =>
  tools === undefined ? [] : [{
    name: "a call of MCP over HTTP, where there are 500 tools instead of one",
    needed: 0.5,
    atMost: true,
    unit: "µs",
    measured: tools
  }]

const gatewayNeeds = [
  ["memory small", "a small call", 50],
  ["memory records", "131 kB of records", 1_200],
  ["memory text", "one text of 131 kB", 300]
] as const

export const gatewayTargets = (gateway: { readonly [what: string]: number }): ReadonlyArray<Target> =>
  gatewayNeeds.flatMap(([what, result, needed]) => {
    const measured = gateway[what]
    const name = `processor time that a gateway in memory adds to ${result}`
    return measured === undefined ? [] : [{ name, needed, atMost: true, unit: "µs", measured }]
  })
