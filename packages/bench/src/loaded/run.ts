/**
 * Measures the rows, each load in a process of its own, one after the other, and prints each as soon as it is measured.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { median } from "../rounds.ts"
import type { Cost } from "./load.ts"
import { cell } from "./page.ts"
import type { Column, Found, Point } from "./results.ts"
import type { Row } from "./Row.ts"
import { rows } from "./rows.ts"

/** Seconds that a load may take. What takes longer is not tried with more. */
const limit = 30

/** Where Node.js keeps what it has compiled of Effect. */
const compileCache = fileURLToPath(new URL("../../../../.tmp/compiled", import.meta.url))

const script = fileURLToPath(new URL("./load.ts", import.meta.url))

/** Measures one load. Returns `undefined` where it takes too long. */
const costOf = (row: Row, subject: string, count: number, root: string | undefined): Cost | undefined => {
  const args = ["--expose-gc", script, row.name, subject, String(count), ...root === undefined ? [] : [root]]
  const { error, signal, status, stdout } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: limit * 1000,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache }
  })
  if (signal !== null) return undefined
  if (error !== undefined || status !== 0) throw new Error(`${row.name}/${subject} with ${count} ended with ${status}`)
  // What the script prints.
  return JSON.parse(stdout) as Cost
}

/** The medians of what several measurements have found; `undefined` where one took too long. */
const medianOf = (costs: ReadonlyArray<Cost | undefined>): Cost | undefined => {
  const found = costs.filter((cost) => cost !== undefined)
  const of = (part: keyof Cost) => median(found.map((cost) => cost[part]))
  return found.length < costs.length ? undefined : { cpu: of("cpu"), held: of("held"), peak: of("peak") }
}

/** The columns of a row, each with its subject. Without another checkout there is none before. */
const columnsOf = (row: Row, before: string | undefined): ReadonlyArray<readonly [Column, string, string?]> =>
  row.subjects.flatMap((subject): ReadonlyArray<readonly [Column, string, string?]> =>
    subject !== "parley"
      ? [[subject, subject]]
      : before === undefined
      ? [["now", subject]]
      : [["now", subject], ["before", subject, before]]
  )

/**
 * Measures the rows whose names are chosen, and beside them the Parley of another checkout. Hands over each row when all
 * its points are measured, so that a run that is cut short leaves the rows before.
 */
export const measure = (
  chosen: (name: string) => boolean,
  before: string | undefined,
  print: (line: string) => void,
  take: (found: Found) => void
): void => {
  const commit = before === undefined
    ? undefined
    : execFileSync("git", ["-C", before, "rev-parse", "--short=8", "HEAD"], { encoding: "utf8" }).trim()
  for (const row of rows.filter(({ name }) => chosen(`loaded/${name}`))) {
    const points: Array<Point> = []
    const slow = new Set<Column>()
    for (const count of row.counts) {
      const columns = columnsOf(row, before).filter(([column]) => !slow.has(column))
      const rounds = Array.from(
        { length: row.rounds ?? 1 },
        () => columns.map(([, subject, root]) => costOf(row, subject, count, root))
      )
      const costs = columns.map(([column], place) => {
        const cost = medianOf(rounds.map((round) => round[place]))
        if (cost === undefined) slow.add(column)
        const point = { row: row.name, column, count, ...cost ?? { over: limit } }
        points.push(point)
        return `${column} ${cell(row, point)}`
      })
      print(`loaded/${row.name}, ${count}: ${costs.join("; ")}`)
    }
    take({ points, before: commit })
  }
}
