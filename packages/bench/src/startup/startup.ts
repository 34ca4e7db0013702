/**
 * Whole processes, from the spawn to the exit, that load modules as users install them: packed, from a project of its own.
 *
 * A subject runs in turn with `effect/Schema`, and only a pair is compared, so that a machine with other work changes both.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median } from "../rounds.ts"
import { type Startup, yardstick } from "./subjects.ts"

/** Milliseconds of one process, and their ratios to `effect/Schema`: medians. */
export interface Startups {
  readonly [name: string]: {
    readonly wall: number
    readonly cpu: number
    readonly wallRatio: number
    readonly cpuRatio: number
  }
}

const consumer = fileURLToPath(new URL("../../../../tools/pack/consumer.ts", import.meta.url))

/** Writes the processor time of its process to a descriptor of its own, when the process exits. */
const meter = `const { writeSync } = require("node:fs")
process.once("exit", () => {
  const { system, user } = process.cpuUsage()
  writeSync(3, String(user + system))
})
`

const run = (folder: string, file: string, args: ReadonlyArray<string>): { wall: number; cpu: number } => {
  const start = performance.now()
  const { error, output, status } = spawnSync(process.execPath, ["--require", "./meter.cjs", file, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe", "pipe"]
  })
  const wall = performance.now() - start
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${error ?? output[2]}`)
  return { wall, cpu: Number(output[3]) / 1000 }
}

/** Measures subjects one by one, and tells of each when it is measured. */
export const measureStartups = (
  subjects: ReadonlyArray<Startup>,
  rounds: number,
  tell: (row: string) => void
): Startups => {
  if (subjects.length === 0) return {}
  const folder = execFileSync(process.execPath, [consumer, "@modelcontextprotocol/sdk", "zod", ...ofEffect], {
    encoding: "utf8"
  }).trim()
  try {
    writeFileSync(join(folder, "meter.cjs"), meter)
    writeFileSync(join(folder, "yardstick.mjs"), yardstick.program)
    const found = subjects.map(({ args = [], name, program }, index) => {
      const file = `startup${index}.mjs`
      writeFileSync(join(folder, file), program)
      // The first run of each reads files that no cache has.
      const pairs = Array.from({ length: rounds + 1 }, () => ({
        own: run(folder, file, args),
        other: run(folder, "yardstick.mjs", [])
      })).slice(1)
      const startup = {
        wall: median(pairs.map(({ own }) => own.wall)),
        cpu: median(pairs.map(({ own }) => own.cpu)),
        wallRatio: median(pairs.map(({ other, own }) => own.wall / other.wall)),
        cpuRatio: median(pairs.map(({ other, own }) => own.cpu / other.cpu))
      }
      tell(startupRow(name, startup))
      return [name, startup] as const
    })
    return Object.fromEntries(found)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ofEffect = ["effect", "@effect/platform-node"]

const startupRow = (name: string, { cpu, cpuRatio, wall, wallRatio }: Startups[string]): string =>
  `startup/${name}: ${wall.toFixed(0)} ms (${wallRatio.toFixed(2)}), processor ${cpu.toFixed(0)} ms (${
    cpuRatio.toFixed(2)
  })`
