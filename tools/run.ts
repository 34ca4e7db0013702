/**
 * `node tools/run.ts PLAN…` runs the steps of the plans one after the other, whatever the earlier ones said, and ends
 * with a summary and one line `N passed, N failed`. A step counts the tests it reports by such a line, else itself; the
 * lines before it that name what failed stand in the summary again, where they are found.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { compileCache } from "./compileCache.ts"

const check = {
  format: "dprint check --incremental=false",
  lint: "oxlint --deny-warnings",
  types: "tsc -b"
}

const plans: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  check,
  test: { ...check, tests: "vitest run", mutants: "node tools/mutants/main.ts" },
  slow: { "slow tests": "SLOW=1 vitest run" }
}

interface Outcome {
  readonly step: string
  readonly seconds: number
  readonly passed: number
  readonly failed: number
  readonly failures: ReadonlyArray<string>
}

const root = join(import.meta.dirname, "..")

const run = async (step: string, command: string): Promise<Outcome> => {
  console.log(`\n── ${step}: ${command}`)
  const start = performance.now()
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
      NODE_COMPILE_CACHE: compileCache,
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {})
    }
  })
  // The line that counts is the last; only the end of what is printed needs to be kept.
  let tail = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    process.stdout.write(text)
    tail = (tail + text).slice(-10_000)
  })
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  const seconds = (performance.now() - start) / 1000
  const counts = [...tail.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1)
  const passed = counts === undefined ? Number(code === 0) : Number(counts[1])
  const failed = counts === undefined ? Number(code !== 0) : Number(counts[2])
  const failures = [...tail.matchAll(/^(?:FAILED|BROKEN|GREEN) .*$/gm)].map(([line]) => line)
  return { step, seconds, passed, failed: code === 0 ? failed : Math.max(failed, 1), failures }
}

const chosen = process.argv.slice(2).flatMap((plan) => Object.entries(plans[plan] ?? {}))
if (chosen.length === 0) {
  console.error(`usage: node tools/run.ts ${Object.keys(plans).join(" | ")}`)
  process.exit(64)
}

const outcomes: Array<Outcome> = []
for (const [step, command] of chosen) outcomes.push(await run(step, command))

console.log("\n── summary")
for (const { failed, failures, passed, seconds, step } of outcomes) {
  const time = `${seconds.toFixed(1)} s`.padStart(8)
  console.log(`${failed === 0 ? "ok    " : "FAILED"}  ${step.padEnd(10)} ${time}  ${passed} passed, ${failed} failed`)
  for (const failure of failures) console.log(`        ${failure}`)
}
const sum = (of: "passed" | "failed" | "seconds") => outcomes.reduce((total, outcome) => total + outcome[of], 0)
console.log(`${sum("seconds").toFixed(1)} s\n\n${sum("passed")} passed, ${sum("failed")} failed`)
process.exitCode = sum("failed") === 0 ? 0 : 1
