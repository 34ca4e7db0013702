/**
 * Counts what some work looks at, without a clock: V8's coverage tells how often each block of our sources has run, and
 * its sampling heap profiler how many bytes were allocated, by copies among others. Methods of arrays have their loops
 * inside, so these count the elements that they pass.
 *
 * V8 counts only in functions that it compiled while it counts, so what is counted is imported afterwards, and V8 may not
 * find it in its cache of what this process has compiled before.
 */
import { Session } from "node:inspector/promises"
import { setFlagsFromString } from "node:v8"

/** What the work has looked at. */
export interface Looks {
  /** How often a block of our sources has run, and how many elements the methods of arrays have passed. */
  readonly steps: number
  /** The blocks that have run most often: the place to look at where there are too many. */
  readonly most: ReadonlyArray<string>
  /** The bytes that were allocated: an estimate, exact to a few percent. */
  readonly bytes: number
  /** Our files of which some code has run. */
  readonly files: ReadonlyArray<string>
}

export interface Counting {
  readonly count: (work: () => Promise<void>) => Promise<Looks>
  readonly stop: () => Promise<void>
}

const sources = /\/packages\/((?:protocol|transport|peer|contract|node)\/src\/[^?]*)/

interface SampleNode {
  readonly selfSize: number
  readonly children: ReadonlyArray<SampleNode>
}

const sizeOf = ({ children, selfSize }: SampleNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize)

/** Begins to count, in modules that are imported from now on. */
export const start = async (): Promise<Counting> => {
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  setFlagsFromString("--no-compilation-cache")
  return {
    count: async (work) => {
      await session.post("HeapProfiler.startSampling", {
        samplingInterval: 256,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true
      })
      await session.post("Profiler.takePreciseCoverage")
      const elements = await passing(work)
      const { result } = await session.post("Profiler.takePreciseCoverage")
      const { profile } = await session.post("HeapProfiler.stopSampling")
      const functions = result.flatMap(({ functions, url }) => {
        const file = sources.exec(url)?.[1]
        return file === undefined ? [] : functions.map(({ functionName, ranges }) => ({
          file,
          name: `${file}: ${functionName}`,
          steps: ranges.reduce((sum, { count }) => sum + count, 0)
        }))
      })
      return {
        steps: functions.reduce((sum, { steps }) => sum + steps, elements),
        most: functions.toSorted((a, b) => b.steps - a.steps).slice(0, 3).map(({ name, steps }) => `${name} ${steps}`),
        bytes: sizeOf(profile.head),
        files: [...new Set(functions.filter(({ steps }) => steps > 0).map(({ file }) => file))].toSorted()
      }
    },
    stop: async () => {
      setFlagsFromString("--compilation-cache")
      await session.post("Profiler.stopPreciseCoverage")
      session.disconnect()
    }
  }
}

type Method = (this: ReadonlyArray<unknown>, ...args: ReadonlyArray<never>) => unknown

/** How many elements a call of a method passes, by the length before, what it returned, and the length after. */
const passed: { readonly [method: string]: (before: number, result: unknown, after: number) => number } = {
  slice: (_, result) => lengthOf(result),
  concat: (_, result) => lengthOf(result),
  toSorted: (_, result) => lengthOf(result),
  toReversed: (_, result) => lengthOf(result),
  toSpliced: (_, result) => lengthOf(result),
  with: (_, result) => lengthOf(result),
  flat: (_, result) => lengthOf(result),
  join: (before) => before,
  reverse: (before) => before,
  sort: (before) => before,
  fill: (before) => before,
  copyWithin: (before) => before,
  shift: (before) => before,
  unshift: (_, __, after) => after,
  splice: (before) => before,
  indexOf: (before, result) => result === -1 ? before : Number(result) + 1,
  lastIndexOf: (before, result) => result === -1 ? before : before - Number(result),
  includes: (before) => before
}

const lengthOf = (value: unknown): number => Array.isArray(value) ? value.length : 0

/** Runs some work, and returns how many elements the methods of arrays have passed in it. */
const passing = async (work: () => Promise<void>): Promise<number> => {
  // The prototype has its methods by their names.
  const prototype = Array.prototype as unknown as Record<string, Method>
  const originals = Object.keys(passed).map((name) => [name, prototype[name]] as const)
  let elements = 0
  const replace = (name: string, value: unknown) =>
    Object.defineProperty(Array.prototype, name, { value, writable: true, configurable: true, enumerable: false })
  for (const [name, original] of originals) {
    const count = passed[name]
    if (original === undefined || count === undefined) continue
    replace(name, function(this: ReadonlyArray<unknown>, ...args: ReadonlyArray<never>) {
      const before = this.length
      const result = Reflect.apply(original, this, args)
      elements += count(before, result, this.length)
      return result
    })
  }
  try {
    await work()
  } finally {
    for (const [name, original] of originals) replace(name, original)
  }
  return elements
}
