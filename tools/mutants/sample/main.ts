/**
 * `pnpm mutants:sample FILE…` tries every mutant of Stryker of these sources; without files it tries the sample of each
 * target. It ends with code 1 when one survives that `accepted.ts` does not name.
 */
import { existsSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { accepted } from "./accepted.ts"
import { seedOf } from "./draw.ts"
import { run } from "./run.ts"
import { isAccepted, show } from "./Survivor.ts"
import { targetOf, targets } from "./Target.ts"

const root = join(import.meta.dirname, "../../..")
const files = process.argv.slice(2).map((file) => relative(root, resolve(file)))
const missing = files.filter((file) => !existsSync(join(root, file)))
if (missing.length > 0) {
  console.error(`usage: pnpm mutants:sample FILE…, with sources that exist; found no ${missing.join(", ")}`)
  process.exit(64)
}

const seed = seedOf(root)
console.log(`seed ${seed} (MUTANTS_SEED sets another)`)
let passed = 0
let failed = 0
for (const target of files.length > 0 ? [targetOf(root, files)] : targets) {
  const { late, survivors, tried } = await run(root, target, seed)
  const found = survivors.filter((survivor) => !isAccepted(accepted, survivor))
  for (const survivor of found) console.log(`SURVIVED  ${show(survivor)}`)
  const known = survivors.length - found.length
  console.log(
    `${target.name}: ${tried} tried, ${late} out of time, ${survivors.length} survived, of which ${known} are accepted`
  )
  passed += tried - found.length
  failed += found.length
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
