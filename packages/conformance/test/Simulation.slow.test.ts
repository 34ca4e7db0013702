import { it } from "@effect/vitest"
import { Simulation } from "@parley/conformance"
import { retry } from "./support/retry.ts"

/** 20,000 in all, behind those of the ordinary tests. */
const seeds = 3_000

for (const kind of Simulation.kinds) {
  const law = Simulation.law(`no seed breaks a rule between sides of kind ${kind}`, { kind, from: 150, seeds, retry })
  it.effect(law.name, () => law.check, 300_000)
}
