/** What Stryker loads: a reporter that cuts its plan down to the sample, and counts along. */
import { relative } from "node:path"
import { draw } from "./draw.ts"

interface Plan {
  readonly mutant: {
    readonly fileName: string
    readonly location: unknown
    readonly mutatorName: string
    readonly replacement: string
    readonly status?: string
  }
}

interface Tested {
  readonly fileName: string
  readonly location: { readonly start: { readonly line: number } }
  readonly mutatorName: string
  readonly status: string
}

/** What `stryker.ts` sets before it starts. */
export const sample = { size: 0, seed: "" }

let planned = 0
let tested = 0

const reporter = {
  // Stryker has no sampling of its own. It goes on with this very array, which is ours to cut.
  onMutationTestingPlanReady({ mutantPlans }: { readonly mutantPlans: Array<Plan> }): void {
    const open = mutantPlans.filter(({ mutant }) => mutant.status === undefined)
    const drawn = draw(
      open,
      sample.size,
      sample.seed,
      ({ mutant: { fileName, location, mutatorName, replacement } }) =>
        [relative(process.cwd(), fileName), JSON.stringify(location), mutatorName, replacement].join("\n")
    )
    console.log(`${drawn.length} of ${open.length} mutants`)
    planned = drawn.length
    mutantPlans.splice(0, mutantPlans.length, ...drawn)
  },
  onMutantTested({ fileName, location, mutatorName, status }: Tested): void {
    tested += 1
    if (status === "Survived" || status === "NoCoverage") {
      console.log(`${relative(process.cwd(), fileName)}:${location.start.line} survived (${mutatorName})`)
    }
    if (tested % 25 === 0) console.log(`${tested} of ${planned} are done`)
  }
}

export const strykerPlugins = [{ kind: "Reporter", name: "sample", value: reporter }]
