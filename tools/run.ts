/**
 * `node tools/run.ts PLAN…` runs the stages of the plans one after the other, whatever the earlier ones said, and ends
 * with a summary and one line `N passed, N failed`. The steps of a stage run at once, and what they print stands one
 * after the other. A step counts the tests it reports by such a line, else itself; the lines before it that name what
 * failed stand in the summary again, where they are found.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { compileCache } from "./compileCache.ts"

type Stage = Readonly<Record<string, string>>

const check: Stage = {
  // Each checker knows the declarations of Effect for itself, so each of two projects at once has one.
  types: "tsc -b --checkers 1 --builders 2",
  format: "dprint check --incremental=false",
  lint: "oxlint --deny-warnings"
}

const plans: Readonly<Record<string, ReadonlyArray<Stage>>> = {
  check: [check],
  test: [check, { tests: "vitest run" }],
  slow: [{ "slow tests": "SLOW=1 vitest run" }, { mutants: "node tools/mutants/main.ts" }]
}

interface Outcome {
  readonly step: string
  readonly seconds: number
  readonly passed: number
  readonly failed: number
  readonly failures: ReadonlyArray<string>
}

const root = join(import.meta.dirname, "..")

/** Runs a step. What it prints waits for its turn. */
const run = async (step: string, command: string, turn: Promise<unknown>): Promise<Outcome> => {
  const start = performance.now()
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
      NODE_COMPILE_CACHE: compileCache,
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {})
    }
  })
  let waiting: string | undefined = `\n── ${step}: ${command}\n`
  const turned = turn.then(() => {
    process.stdout.write(waiting ?? "")
    waiting = undefined
  })
  // The line that counts is the last; only the end of what is printed needs to be kept.
  let tail = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      if (waiting === undefined) process.stdout.write(text)
      else waiting += text
      tail = (tail + text).slice(-10_000)
    })
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  const seconds = (performance.now() - start) / 1000
  await turned
  const counts = [...tail.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1)
  const passed = counts === undefined ? Number(code === 0) : Number(counts[1])
  const failed = counts === undefined ? Number(code !== 0) : Number(counts[2])
  const failures = [...tail.matchAll(/^(?:FAILED|BROKEN|GREEN) .*$/gm)].map(([line]) => line)
  return { step, seconds, passed, failed: code === 0 ? failed : Math.max(failed, 1), failures }
}

const chosen = process.argv.slice(2).flatMap((plan) => plans[plan] ?? [])
if (chosen.length === 0) {
  console.error(`usage: node tools/run.ts ${Object.keys(plans).join(" | ")}`)
  process.exit(64)
}

const begin = performance.now()
const outcomes: Array<Outcome> = []
for (const stage of chosen) {
  let turn: Promise<unknown> = Promise.resolve()
  const running = Object.entries(stage).map(([step, command]) => {
    const outcome = run(step, command, turn)
    turn = outcome
    return outcome
  })
  outcomes.push(...await Promise.all(running))
}

console.log("\n── summary")
for (const { failed, failures, passed, seconds, step } of outcomes) {
  const time = `${seconds.toFixed(1)} s`.padStart(8)
  console.log(`${failed === 0 ? "ok    " : "FAILED"}  ${step.padEnd(10)} ${time}  ${passed} passed, ${failed} failed`)
  for (const failure of failures) console.log(`        ${failure}`)
}
const seconds = (performance.now() - begin) / 1000
const sum = (of: "passed" | "failed") => outcomes.reduce((total, outcome) => total + outcome[of], 0)
console.log(`${seconds.toFixed(1)} s\n\n${sum("passed")} passed, ${sum("failed")} failed`)
process.exitCode = sum("failed") === 0 ? 0 : 1
