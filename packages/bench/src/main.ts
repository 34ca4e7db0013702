/**
 * Parley beside floors and other libraries: `pnpm bench [--only REGEX] [--rounds N] [--ms N] [--in-flight 1,64,1024]`.
 *
 * It prints each row when it is measured, and the targets at the end.
 *
 * `--against DIR` measures another checkout of Parley beside this one, and nothing else: `against.ts`. Of the rows of
 * `^loaded` it measures all, and that checkout as what was before; `--update '^loaded' --against DIR` stores both.
 *
 * `--only` chooses subjects (`^mem/`, `tcp/parley$`, `^mcp`), and then nothing is written to the documentation; `1mb`
 * (`1mb-ws/parley`), `deadline`, `typed`, `typecheck`, `heap`, `mcp-sessions`,
 * `mcp-tools`, `mcp-gateway memory records`, `startup/` with a name and `loaded/calls` are subjects, too. `--update` chooses them as well, and writes what
 * is found in place of what is stored: a whole run takes an hour of a quiet machine.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { against } from "./against.ts"
import * as comparison from "./comparison/page.ts"
import * as LoadsPage from "./loaded/page.ts"
import * as LoadsResults from "./loaded/results.ts"
import * as Loads from "./loaded/run.ts"
import { gatewayTargets, mcpTargets, sessionTargets, toolsTargets } from "./mcp/results.ts"
import { lineOf, targetsTable, toMarkdown } from "./report.ts"
import {
  callTargets,
  deadlineTargets,
  heapTargets,
  largeTargets,
  merge,
  type Results,
  type Row,
  rowsOf,
  type Sessions,
  startupTargets,
  typecheckTargets,
  typedTargets
} from "./results.ts"
import { measure, median, type Options, type Outcomes } from "./rounds.ts"
import { measureStartups } from "./startup/startup.ts"
import { startups } from "./startup/subjects.ts"
import type { Subject } from "./Subject.ts"
import { engineWires, mcpWires, over, wires } from "./subjects.ts"
import type { Outcome } from "./turn.ts"

const { values } = parseArgs({
  // `pnpm bench -- --only x` passes the `--` on.
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  options: {
    only: { type: "string" },
    update: { type: "string" },
    against: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
    rounds: { type: "string", default: "9" },
    ms: { type: "string", default: "150" },
    "in-flight": { type: "string", default: "1,64,1024" }
  }
})

if (values.help) {
  console.log(`Usage: pnpm bench [flags]

Measures Parley beside floors and other libraries, prints each row when it is measured, and writes the pages of the
results. A whole run takes an hour of a quiet machine.

  --only REGEX       Measure the subjects whose names match, and write nothing
  --update REGEX     Measure them, and store what is found in place of what is stored
  --against DIR      Measure another checkout of Parley beside this one, and nothing else
  --rounds N         Turns of each subject (default: 9)
  --ms N             Milliseconds of a turn (default: 150)
  --in-flight N,…    How many calls wait at the same time (default: 1,64,1024)
  -h, --help         Print this, and measure nothing

Subjects have names such as tcp/parley, mem/floor, mcp, 1mb-ws/parley, deadline, heap and startup/mcp.`)
  process.exit()
}

const part = values.update ?? values.only
const only = part === undefined ? undefined : new RegExp(part)
const chosen = (name: string): boolean => only?.test(name) ?? true
const rounds = Number(values.rounds)
const milliseconds = Number(values.ms)
/** The first calls of a server are slow after a rest, so its turns are longer. */
const ofMcp = Math.max(500, milliseconds)
const inFlight = values["in-flight"].split(",").map(Number)

/** Only these move a megabyte at once. */
const movesLarge =
  /^((tcp|stdio)\/(floor-cl|parley|parley-cl|parley-concatenated)|(ws|http)\/(floor|parley|effect-rpc))$/
/** With small payloads its lines are those of `parley`. */
const onlyLarge = /parley-concatenated$/

const other = values.against === undefined ? undefined : resolve(values.against)

/** Whether what is found is stored, and the pages are written. */
const isStored = values.update !== undefined || (only === undefined && other === undefined)

const today = new Date().toISOString().slice(0, 10)

/** Rows of loads have a page of their own, which is written after each row. */
const loads: Array<LoadsResults.Point> = []
Loads.measure(chosen, other, (line) => console.log(line), (found) => {
  loads.push(...found.points)
  if (isStored) LoadsPage.store(found, { node: process.version, processors: availableParallelism(), date: today })
})
if (loads.length > 0) console.log(targetsTable(LoadsResults.targets(loads)))

if (other !== undefined) {
  for (const wire of [...wires, ...mcpWires]) {
    const subjects = (await over(wire)).filter(({ name }) =>
      chosen(name) && /\/parley/.test(name) && !onlyLarge.test(name)
    )
    // One at a time: each has three processes, and those that rest still take a share of a small machine.
    for (const subject of subjects) {
      const rows = await against(other, subject, {
        payload: "small",
        inFlight,
        rounds,
        milliseconds: wire.startsWith("mcp") ? ofMcp : milliseconds
      })
      for (const row of rows) console.log(row)
    }
  }
  process.exit()
}

const script = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url))

const said = (...args: ReadonlyArray<string>): string => execFileSync(process.execPath, args, { encoding: "utf8" })

const output = (...args: ReadonlyArray<string>): number => Number(said(...args).trim())

/** Prints a figure as soon as it is measured. */
const told = <A>(name: string, figure: A): A => {
  console.log(`${name}: ${typeof figure === "number" ? figure.toFixed(2) : JSON.stringify(figure)}`)
  return figure
}

/** Wire by wire, because all processes of a wire run side by side. */
const byWire = async (
  table: Row["table"],
  chosen: (name: string) => boolean,
  options: Options,
  among: ReadonlyArray<Subject["wire"]> = wires
): Promise<Outcomes> => {
  const all = new Map<string, ReadonlyMap<number, ReadonlyArray<Outcome>>>()
  for (const wire of among) {
    const subjects = (await over(wire)).filter(({ name }) => chosen(name))
    if (subjects.length === 0) continue
    console.error(`${table === "large" ? "1 MB, " : ""}${wire} …`)
    const measured = await measure(subjects.map((subject) => ({ subject })), options)
    for (const row of rowsOf(table, measured)) console.log(lineOf(row))
    for (const [name, outcomes] of measured) all.set(name, outcomes)
  }
  return all
}

const small = await byWire("calls", (name) => chosen(name) && !onlyLarge.test(name), {
  payload: "small",
  inFlight,
  rounds,
  milliseconds
}, [...wires, ...await engineWires()])

const mcp = await byWire("mcp", chosen, { payload: "small", inFlight, rounds, milliseconds: ofMcp }, mcpWires)

const large = await byWire("large", (name) => movesLarge.test(name) && chosen(`1mb-${name}`), {
  payload: "large",
  inFlight: [1, 4],
  rounds,
  milliseconds: Math.max(400, milliseconds)
})

const heapSubjects = [
  ["waiting", "floor"],
  ["waiting", "parley"],
  ["waiting", "parley-promise"],
  ["running", "floor"],
  ["running", "parley"]
] as const

const heap = !chosen("heap") ? {} : Object.fromEntries(
  heapSubjects.map(([kind, subject]) => [
    `${kind} ${subject}`,
    told(
      `heap ${kind} ${subject}`,
      median([1, 2, 3].map(() => output("--expose-gc", script("cost/heap.ts"), kind, subject, "100000")))
    )
  ])
)

const deadline = !chosen("deadline")
  ? {}
  : Object.fromEntries(
    inFlight.map((count) => [count, told(`deadline ${count}`, output(script("cost/deadline.ts"), String(count)))])
  )

/** The line that has Schemas compiled. */
const jit = ["--import", import.meta.resolve("effect/schema/SchemaJITCompiler/enable")]

const typed = !chosen("typed")
  ? {}
  : Object.fromEntries(
    inFlight.flatMap((count) => [
      [`interpreted, ${count} in flight`, () => output(script("cost/typed.ts"), String(count))] as const,
      [`compiled, ${count} in flight`, () => output(...jit, script("cost/typed.ts"), String(count))] as const
    ]).map(([how, cost]) => [how, told(`typed ${how}`, cost())])
  )

const sessionsOf = (server: string, tools: number): Sessions[string] =>
  // What the script writes.
  JSON.parse(said(script("mcp/cost/sessions.ts"), server, String(tools), "2000")) as Sessions[string]

const sessions = !chosen("mcp-sessions") ? {} : Object.fromEntries(
  (["parley", "sdk-v1"] as const).flatMap((server) => [
    [`${server}, 1 tool`, () => sessionsOf(server, 1)] as const,
    [`${server}, 50 tools`, () => sessionsOf(server, 50)] as const
  ]).map(([what, held]) => [what, told(`mcp-sessions ${what}`, held())])
)

const tools = chosen("mcp-tools") ? told("mcp-tools", output(script("mcp/cost/tools.ts"))) : undefined

const gateway = Object.fromEntries(
  ["memory", "http"].flatMap((wire) => ["small", "records", "text"].map((kind) => `${wire} ${kind}`))
    .filter((what) => chosen(`mcp-gateway ${what}`))
    .map((what) => [what, told(`mcp-gateway ${what}`, output(script("mcp/cost/gateway.ts"), ...what.split(" ")))])
)

const typecheck = chosen("typecheck") ? told("typecheck", output(script("cost/typecheck.ts"))) : undefined

const startup = measureStartups(startups.filter(({ name }) => chosen(`startup/${name}`)), 21, console.error)

const found: Results = {
  node: process.version,
  date: today,
  processors: availableParallelism(),
  rounds,
  milliseconds,
  rows: [...rowsOf("calls", small), ...rowsOf("large", large), ...rowsOf("mcp", mcp)],
  deadline,
  typed,
  typecheck,
  heap,
  sessions,
  tools,
  gateway,
  startup,
  targets: [
    ...callTargets(small),
    ...largeTargets(large),
    ...deadlineTargets(deadline),
    ...typedTargets(typed),
    ...typecheckTargets(typecheck),
    ...heapTargets(heap),
    ...startupTargets(startup),
    ...mcpTargets(mcp),
    ...sessionTargets(sessions),
    ...toolsTargets(tools),
    ...gatewayTargets(gateway)
  ]
}

const latest = new URL("../results/latest.json", import.meta.url)
// This script has written it.
const stored = (): Results => JSON.parse(readFileSync(latest, "utf8")) as Results

if (found.targets.length > 0) console.log(targetsTable(found.targets))
if (isStored && !(loads.length > 0 && found.targets.length === 0)) {
  const results = values.update === undefined ? found : merge(stored(), found)
  writeFileSync(latest, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(new URL("../../../docs/reference/benchmarks.md", import.meta.url), toMarkdown(results))
  comparison.write()
}
process.exit()
