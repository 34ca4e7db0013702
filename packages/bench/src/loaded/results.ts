/**
 * What was found under load: a point for each row, column and count, and the targets.
 */
import { most, type Target } from "../results.ts"
import type { Row } from "./Row.ts"
import { rows } from "./rows.ts"

/** `now` is this checkout, `before` an earlier one; the others are libraries, and the floor. */
export type Column = "now" | "before" | string

/** The cost of one unit. Where `over` is given, the load took more than so many seconds. */
export interface Point {
  readonly row: string
  readonly column: Column
  readonly count: number
  /** Microseconds of processor time. */
  readonly cpu?: number
  /** Bytes of heap of one that is held. */
  readonly held?: number
  /** Bytes of resident memory for each of so many, at its peak. */
  readonly peak?: number
  readonly over?: number
}

/** What one run has found. */
export interface Found {
  readonly points: ReadonlyArray<Point>
  /** The commit of the earlier checkout, where it was measured. */
  readonly before: string | undefined
}

/** Where and when a run was. */
export interface Run {
  readonly node: string
  readonly processors: number
  readonly date: string
}

/** What is stored. */
export interface Stored {
  readonly node: string
  readonly processors: number
  /** The day on which a row was measured last. */
  readonly dates: Readonly<Record<string, string>>
  readonly before: string
  /** What the drawing says of each row. */
  readonly rows: ReadonlyArray<Pick<Row, "name" | "title" | "unit">>
  readonly points: ReadonlyArray<Point>
}

/** Puts the rows that a run has found in the place of what is stored. An earlier checkout that was not measured stays. */
export const merge = (stored: Stored | undefined, found: Found, run: Run): Stored => {
  const keyOf = ({ column, row }: Point) => `${row} ${column}`
  const measured = new Set(found.points.map(keyOf))
  return {
    node: run.node,
    processors: run.processors,
    dates: { ...stored?.dates, ...Object.fromEntries(found.points.map(({ row }) => [row, run.date])) },
    before: found.before ?? stored?.before ?? "",
    rows: rows.map(({ name, title, unit }) => ({ name, title, unit })),
    points: [...(stored?.points ?? []).filter((point) => !measured.has(keyOf(point))), ...found.points]
  }
}

/**
 * From how many on the cost of a unit is compared, unless the row says otherwise. With fewer, what comes once for all of
 * them counts.
 */
export const least = 64

/** How much more a unit may cost where it costs most than where it costs least. */
const needed = 2

export const targets = (points: ReadonlyArray<Point>): ReadonlyArray<Target> =>
  rows.flatMap(({ from = least, name, unit }) => {
    const own = points.filter(({ column, count, row }) => row === name && column === "now" && count >= from)
    const costs = own.map(({ cpu = Infinity }) => cpu)
    const target = most(
      `loaded/${name}: the highest cost per ${unit} over the lowest, from ${from} on`,
      needed,
      Math.max(...costs) / Math.min(...costs)
    )
    return own.length === 0 ? [] : [target]
  })
