/** Runs a sample in a copy of the checkout, and tells the mutants that no test noticed. */
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { withCopy } from "./Checkout.ts"
import type { Survivor } from "./Survivor.ts"
import { normalized } from "./Survivor.ts"
import type { Target } from "./Target.ts"
import { sourcesOf } from "./Target.ts"

export interface Request {
  readonly sources: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  readonly size: number
  readonly seed: string
}

export type Answer = ReadonlyArray<{
  readonly file: string
  /** Counts from 1. */
  readonly line: number
  readonly mutator: string
  readonly to: string
  readonly status: string
}>

export interface Outcome {
  readonly tried: number
  /** How many did not end in time: they count as noticed, though on a busy machine some only were slow. */
  readonly late: number
  readonly survivors: ReadonlyArray<Survivor>
}

/** Returns what Stryker says of an error, else the last that it said. */
const reasonOf = (end: string): string =>
  end.slice(Math.max(0, end.indexOf(" ERROR "))).trim().replaceAll(/\s*\n\s*/g, " | ")

export const run = async (root: string, target: Target, seed: string): Promise<Outcome> =>
  withCopy(root, async (folder) => {
    const { size, tests } = target
    const request: Request = { sources: sourcesOf(root, target), tests, size, seed }
    const [from, to] = [join(folder, "request.json"), join(folder, "answer.json")]
    writeFileSync(from, JSON.stringify(request))
    const program = join(folder, "tools/mutants/sample/stryker.ts")
    const child = spawn(process.execPath, [program, from, to], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    let end = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      process.stdout.write(text)
      end = (end + text).slice(-4_000)
    })
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
    // One line: the last line of a run of tests shows only the first of a message.
    if (code !== 0) throw new Error(`Stryker ended with code ${code}: ${reasonOf(end)}`)
    const answer: Answer = JSON.parse(readFileSync(to, "utf8"))
    const survived = answer.filter(({ status }) => status === "Survived" || status === "NoCoverage")
    return {
      tried: answer.length,
      late: answer.filter(({ status }) => status === "Timeout").length,
      survivors: survived.map(({ file, line, mutator, to }) => {
        const path = isAbsolute(file) ? relative(folder, file) : file
        const text = readFileSync(join(root, path), "utf8").split("\n")[line - 1] ?? ""
        return { file: path, at: line, mutator, line: normalized(text), to: normalized(to) }
      })
    }
  })
