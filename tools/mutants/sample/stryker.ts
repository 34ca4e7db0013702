/**
 * `node tools/mutants/sample/stryker.ts REQUEST ANSWER` runs Stryker on the checkout that it stands in, whose sources it
 * mutates in their place: so only ever in a copy.
 */
import { Stryker } from "@stryker-mutator/core"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sample } from "./plugin.ts"
import type { Answer, Request } from "./run.ts"

const [from, to] = process.argv.slice(2)
const request: Request = JSON.parse(readFileSync(from!, "utf8"))
Object.assign(sample, { size: request.size, seed: request.seed })
process.env["MUTANTS_TESTS"] = request.tests.join("\n")

const results = await new Stryker({
  mutate: [...request.sources],
  mutator: { excludedMutations: ["StringLiteral"], plugins: null },
  testRunner: "vitest",
  vitest: { configFile: join(import.meta.dirname, "vitest.config.ts"), related: false },
  plugins: ["@stryker-mutator/vitest-runner", join(import.meta.dirname, "plugin.ts")],
  reporters: ["sample"],
  inPlace: true,
  disableTypeChecks: false,
  coverageAnalysis: "perTest",
  // What only runs while a module loads would need a worker of its own for each mutant.
  ignoreStatic: true,
  concurrency: 2,
  // The first run counts which test passes where: that takes many times as long.
  dryRunTimeoutMinutes: 10,
  timeoutMS: 2_000,
  timeoutFactor: 1,
  allowConsoleColors: false
}).runMutationTest()

const answer: Answer = results.map(({ fileName, location, mutatorName, replacement, status }) => ({
  file: fileName,
  line: location.start.line,
  mutator: mutatorName,
  to: replacement ?? "",
  status
}))
writeFileSync(to!, JSON.stringify(answer))
