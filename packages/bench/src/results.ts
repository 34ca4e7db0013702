/**
 * What a run has found: rows of the tables, and the targets beside what was measured.
 */
import { compare, median, type Outcomes, rateOver } from "./rounds.ts"
import type { Startups } from "./startup/startup.ts"
import { startups, yardstick } from "./startup/subjects.ts"

export interface Row {
  readonly table: "calls" | "large" | "mcp"
  readonly subject: string
  readonly inFlight: number
  /** Calls per second. */
  readonly rate: number
  /** Microseconds of processor time per call, of the calling process. */
  readonly cpu: number
  /** The same of the serving process, where it could be asked. */
  readonly serving?: number | undefined
  /** Of the rate, to the floor's of the same round; of MCP to that of the official SDK, version 2. */
  readonly ratio: number
  /** The day of its run, where that was after the rest. */
  readonly date?: string | undefined
}

export interface Target {
  readonly name: string
  readonly needed: number
  readonly atMost: boolean
  readonly unit: string
  readonly measured: number
}

/** Bytes per open session of MCP, by server and number of tools. */
export interface Sessions {
  readonly [what: string]: { readonly heap: number; readonly resident: number }
}

export interface Results {
  readonly node: string
  /** The day of the run. */
  readonly date: string
  readonly processors: number
  readonly rounds: number
  readonly milliseconds: number
  readonly rows: ReadonlyArray<Row>
  /** Microseconds that a deadline costs each call in memory, by calls at once. */
  readonly deadline: { readonly [inFlight: string]: number }
  /** Microseconds that a contract on both sides costs each call in memory, by how Schemas run and calls at once. */
  readonly typed: { readonly [how: string]: number }
  /** Milliseconds to type-check a contract of 200 methods beyond one of a single method. */
  readonly typecheck: number | undefined
  /** Bytes per waiting call and per running handler. */
  readonly heap: { readonly [what: string]: number }
  /** Bytes per open session of MCP. */
  readonly sessions: Sessions
  /** Microseconds that a call of MCP costs more where there are 500 tools instead of one. */
  readonly tools: number | undefined
  /** Microseconds that a gateway adds to a call, by the wire and what the result is. */
  readonly gateway: { readonly [what: string]: number }
  readonly startup: Startups
  readonly targets: ReadonlyArray<Target>
}

/** Puts what a run of a part has found in the place of what is stored. */
export const merge = (stored: Results, found: Results): Results => {
  const inPlace = <A>(old: ReadonlyArray<A>, later: ReadonlyArray<A>, nameOf: (one: A) => string): ReadonlyArray<A> => [
    ...new Map([...old, ...later].map((one) => [nameOf(one), one])).values()
  ]
  const later = found.rows.map((row) => ({ ...row, date: found.date }))
  return {
    ...stored,
    rows: inPlace(stored.rows, later, ({ inFlight, subject, table }) => `${table} ${subject} ${inFlight}`),
    deadline: { ...stored.deadline, ...found.deadline },
    typed: { ...stored.typed, ...found.typed },
    typecheck: found.typecheck ?? stored.typecheck,
    heap: { ...stored.heap, ...found.heap },
    sessions: { ...stored.sessions, ...found.sessions },
    tools: found.tools ?? stored.tools,
    gateway: { ...stored.gateway, ...found.gateway },
    startup: { ...stored.startup, ...found.startup },
    targets: inPlace(stored.targets, found.targets, ({ name }) => name)
  }
}

export const isMet = ({ atMost, measured, needed }: Target): boolean => atMost ? measured <= needed : measured >= needed

const wireOf = (subject: string): string => subject.slice(0, subject.indexOf("/"))

/** What each subject is compared with. Streams of bytes have a floor for each framing. */
const floorOf = (table: Row["table"], subject: string): string => {
  const wire = wireOf(subject)
  if (table === "mcp") return `${wire}/sdk-v2`
  if (!streams.has(wire)) return `${wire}/floor`
  // The floor for newlines joins strings: only that for lengths moves large texts as bytes.
  return table === "large" || subject.endsWith("-cl") ? `${wire}/floor-cl` : `${wire}/floor-ndjson`
}

const streams = new Set(["tcp", "unix", "stdio"])

export const rowsOf = (table: Row["table"], outcomes: Outcomes): ReadonlyArray<Row> =>
  [...outcomes].flatMap(([subject, byCount]) =>
    [...byCount].map(([inFlight, all]) => ({
      table,
      subject,
      inFlight,
      rate: median(all.map(({ rate }) => rate)),
      cpu: median(all.map(({ cpu }) => cpu)),
      serving: all[0]?.serving === undefined ? undefined : median(all.map(({ serving = NaN }) => serving)),
      ratio: compare(all, outcomes.get(floorOf(table, subject))?.get(inFlight), rateOver)
    }))
  )

export const least = (name: string, needed: number, measured: number): Target => ({
  name,
  needed,
  measured,
  atMost: false,
  unit: "×"
})

export const most = (name: string, needed: number, measured: number): Target => ({
  ...least(name, needed, measured),
  atMost: true
})

/** The targets of calls. */
export const callTargets = (outcomes: Outcomes): ReadonlyArray<Target> => {
  const at = (subject: string, inFlight: number) => outcomes.get(subject)?.get(inFlight)
  const over = (subject: string, other: string, inFlight: number, needed: number) =>
    least(
      `${subject} over ${other}, ${inFlight} in flight`,
      needed,
      compare(at(subject, inFlight), at(other, inFlight), rateOver)
    )
  const counts = [1, 64, 1024]
  const libraries = ["vscode-jsonrpc", "json-rpc-2.0", "jayson", "effect-rpc"]
  const ofStream = (own: string, floor: string) => [
    over(own, floor, 1, 0.9),
    over(own, floor, 64, 0.75),
    over(own, floor, 1024, 0.6)
  ]
  const ofMessages = (wire: keyof typeof messages) => [
    ...counts.map((count) => over(`${wire}/parley`, `${wire}/floor`, count, messages[wire])),
    ...counts.map((count) => over(`${wire}/parley`, `${wire}/effect-rpc`, count, 2.5))
  ]
  return [
    over("mem/parley", "mem/floor", 1, 0.55),
    over("mem/parley", "mem/floor", 64, 0.75),
    over("mem/parley", "mem/floor", 1024, 0.75),
    over("mem/parley-schema", "mem/floor", 64, 0.38),
    ...counts.map((count) => over("mem/parley", "mem/effect-rpc", count, 3)),
    ...["tcp", "unix", "stdio"].flatMap((wire) => [
      ...ofStream(`${wire}/parley`, `${wire}/floor-ndjson`),
      ...ofStream(`${wire}/parley-cl`, `${wire}/floor-cl`),
      ...libraries.flatMap((library) => counts.map((count) => over(`${wire}/parley`, `${wire}/${library}`, count, 1)))
    ]),
    over("tcp/parley-schema", "tcp/floor-ndjson", 64, 0.5),
    over("unix/parley-schema", "unix/floor-ndjson", 64, 0.5),
    over("unix/parley-schema", "unix/floor-ndjson", 1024, 0.35),
    ...ofMessages("ws"),
    ...ofMessages("http"),
    over("redis/parley", "redis/floor", 1, 0.5),
    over("redis/parley", "redis/floor", 64, 0.25)
  ].filter(isMeasured)
}

/** Of the floor, where each message is one text to the wire. */
const messages = { ws: 0.8, http: 0.75 }

/** The targets of large payloads: every framing of a stream against the byte-wise floor, and messages as small ones. */
export const largeTargets = (outcomes: Outcomes): ReadonlyArray<Target> =>
  [...outcomes].flatMap(([subject, byCount]) => {
    const wire = wireOf(subject)
    const needed = wire === "ws" || wire === "http" ? messages[wire] : 0.95
    return !subject.includes("/parley") ? [] : [...byCount].map(([inFlight, own]) => {
      const floor = floorOf("large", subject)
      return least(
        `1 MB: ${subject} over ${floor}, ${inFlight} in flight`,
        needed,
        compare(own, outcomes.get(floor)?.get(inFlight), rateOver)
      )
    })
  }).filter(isMeasured)

/** Microseconds by calls at once. */
export const deadlineTargets = (deadline: Results["deadline"]): ReadonlyArray<Target> =>
  Object.entries(deadline).map(([inFlight, measured]) => ({
    name: `a deadline on a call in memory, ${inFlight} in flight`,
    needed: 0.5,
    atMost: true,
    unit: "µs",
    measured
  }))

export const typedTargets = (typed: Results["typed"]): ReadonlyArray<Target> =>
  Object.entries(typed).map(([how, measured]) => ({
    name: `a contract on both sides of a call in memory, Schemas ${how}`,
    needed: how.startsWith("compiled") ? 0.8 : 1.25,
    atMost: true,
    unit: "µs",
    measured
  }))

export const typecheckTargets = (typecheck: number | undefined): ReadonlyArray<Target> =>
  typecheck === undefined ? [] : [{
    name: "type-checking a contract of 200 methods, its client and its server",
    needed: 2000,
    atMost: true,
    unit: "ms",
    measured: typecheck
  }]

export const heapTargets = (heap: Results["heap"]): ReadonlyArray<Target> =>
  [
    ["waiting parley", "heap per waiting call, 100,000 waiting", 1400],
    ["running parley", "heap per running handler, 100,000 running", 1500]
  ].map(([what, name, needed]) => ({
    name: String(name),
    needed: Number(needed),
    atMost: true,
    unit: "bytes",
    measured: heap[String(what)] ?? NaN
  })).filter(isMeasured)

export const startupTargets = (startup: Startups): ReadonlyArray<Target> =>
  startups.flatMap(({ most: needed, name }) =>
    needed === undefined
      ? []
      : [most(`processor time to load ${name}, over ${yardstick.name}`, needed, startup[name]?.cpuRatio ?? NaN)]
  ).filter(isMeasured)

const isMeasured = ({ measured }: Target): boolean => !Number.isNaN(measured)
