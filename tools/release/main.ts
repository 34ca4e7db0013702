/**
 * `node tools/release/main.ts [--dry-run]` packs every package that is not private, checks the tarballs, prints them, and
 * publishes them with provenance. A dry run publishes nothing.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { rules } from "../architecture/rules.ts"
import { pack } from "../pack/Published.ts"
import { refusals, situation } from "./Gate.ts"
import { faults } from "./Tarball.ts"

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } })

const root = join(import.meta.dirname, "../..")
/** A package follows those that it depends on. */
const order = Object.keys(rules.packages).map((folder) => `@parley/${folder}`)
const packages = pack(root, "release").toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))

const number = new Intl.NumberFormat("en")
for (const { files, integrity, name, size, version } of packages) {
  const columns = [
    `${name}@${version}`.padEnd(27),
    `${number.format(files)} files`.padStart(12),
    `${number.format(size)} bytes`.padStart(17)
  ]
  console.log(`${columns.join("")}  ${integrity}`)
}

const problems = (await Promise.all(packages.map(faults))).flat()
if (!values["dry-run"]) problems.push(...refusals(situation(root, packages)))
for (const problem of problems) console.error(problem)

if (problems.length > 0) {
  console.error(`Nothing was published: ${problems.length} problems.`)
  process.exitCode = 1
} else if (values["dry-run"]) {
  console.log(`${packages.length} packages may go out. Nothing was published.`)
} else {
  for (const { tarball } of packages) {
    execFileSync("npm", ["publish", tarball, "--provenance", "--access", "public"], { stdio: "inherit" })
  }
}
