/**
 * Measures one load in a process of its own, and prints what it found as a line of JSON:
 * `node --expose-gc load.ts calls parley 64 [ROOT]`, where `ROOT` is another checkout whose Parley is measured.
 */
import { registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Subjects } from "./Row.ts"

/** What a load costs. */
export interface Cost {
  /** Microseconds of processor time per unit: the median of the slices. */
  readonly cpu: number
  /** Bytes of heap that one of so many holds, after a collection. */
  readonly held: number
  /** Bytes by which the resident memory has grown at its peak, for each of so many. */
  readonly peak: number
}

/** Milliseconds of turns that are not measured: V8 takes more than a second to compile all that a load runs. */
const warmUp = 2_000

/** A slice has turns for so many milliseconds, or a single one that takes longer. */
const slice = 50

/** There are so many slices at least, until their milliseconds are over. */
const slices = 3
const enough = 500
const tooLong = 4_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Effect is that of the Parley that is measured. */
const importing = (root: string): void => {
  const parentURL = pathToFileURL(join(root, "packages/bench/src/main.ts")).href
  registerHooks({
    resolve: (specifier, context, next) =>
      /^(@parley|effect|@effect)\//.test(specifier) && context.parentURL?.includes("/src/loaded/") === true
        ? next(specifier, { ...context, parentURL })
        : next(specifier, context)
  })
}

const heap = async (): Promise<number> => {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.()
    await pause(20)
  }
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const measured = async (open: Subjects[string], count: number): Promise<Cost> => {
  const before = await heap()
  const resident = process.memoryUsage().rss
  const load = await open(count)
  await load.warmUp?.()
  await load.prepare?.()
  const total = load.total ?? count
  const held = (await heap() - before) / total
  let isPrepared = true
  /** Processor time and units of the turns of so many milliseconds. */
  const turns = async (milliseconds: number) => {
    let units = 0
    let spent = 0
    const start = performance.now()
    do {
      if (!isPrepared) await load.prepare?.()
      isPrepared = false
      // What the preparation has left is not of the turn.
      if (load.prepare !== undefined) globalThis.gc?.({ type: "minor", execution: "sync" })
      const before = process.cpuUsage()
      units += await load.turn()
      const { system, user } = process.cpuUsage(before)
      spent += system + user
    } while (performance.now() - start < milliseconds)
    return spent / units
  }
  await turns(warmUp)
  const costs: Array<number> = []
  const start = performance.now()
  let past = 0
  do {
    costs.push(await turns(slice))
    past = performance.now() - start
  } while (past < tooLong && (past < enough || costs.length < slices))
  const sorted = costs.toSorted((a, b) => a - b)
  const peak = (process.resourceUsage().maxRSS * 1024 - resident) / total
  return { cpu: sorted[sorted.length >> 1] ?? NaN, held, peak }
}

if (import.meta.main) {
  const [row = "", subject = "", count = "1", root] = process.argv.slice(2)
  if (root !== undefined) importing(root)
  // What `subjects/` has.
  const { subjects } = await import(`./subjects/${row}.ts`) as { readonly subjects: Subjects }
  const open = subjects[subject]
  if (open === undefined) throw new Error(`no subject ${subject} of ${row}`)
  process.stdout.write(`${JSON.stringify(await measured(open, Number(count)))}\n`, () => process.exit())
}
