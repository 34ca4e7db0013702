/**
 * Parley beside floors and other libraries: `pnpm bench [--only REGEX] [--rounds N] [--ms N] [--in-flight 1,64,1024]`.
 *
 * `--against DIR` measures another checkout of Parley beside this one, and nothing else: `against.ts`.
 *
 * `--only` chooses subjects (`^mem/`, `tcp/parley$`, `^mcp`), and then nothing is written to the documentation; `1mb`
 * (`1mb-ws/parley`), `deadline`, `typed`, `typecheck`, `heap`, `mcp-sessions`,
 * `mcp-tools` and `startup` are subjects, too. `--update` chooses them as well, and writes what is found in place of what is
 * stored: a whole run takes an hour of a quiet machine.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { against } from "./against.ts"
import * as comparison from "./comparison/page.ts"
import { mcpTargets, sessionTargets, toolsTargets } from "./mcp/results.ts"
import { toMarkdown } from "./report.ts"
import {
  callTargets,
  deadlineTargets,
  heapTargets,
  largeTargets,
  merge,
  type Results,
  rowsOf,
  type Sessions,
  startupTargets,
  typecheckTargets,
  typedTargets
} from "./results.ts"
import { measure, median, type Options, type Outcomes } from "./rounds.ts"
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
    rounds: { type: "string", default: "9" },
    ms: { type: "string", default: "150" },
    "in-flight": { type: "string", default: "1,64,1024" }
  }
})

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

if (values.against !== undefined) {
  const other = resolve(values.against)
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

/** Wire by wire, because all processes of a wire run side by side. */
const byWire = async (
  title: string,
  chosen: (name: string) => boolean,
  options: Options,
  among: ReadonlyArray<Subject["wire"]> = wires
): Promise<Outcomes> => {
  const all = new Map<string, ReadonlyMap<number, ReadonlyArray<Outcome>>>()
  for (const wire of among) {
    const subjects = (await over(wire)).filter(({ name }) => chosen(name))
    if (subjects.length === 0) continue
    console.error(`${title}${wire} …`)
    for (const [name, outcomes] of await measure(subjects.map((subject) => ({ subject })), options)) {
      all.set(name, outcomes)
    }
  }
  return all
}

const small = await byWire("", (name) => chosen(name) && !onlyLarge.test(name), {
  payload: "small",
  inFlight,
  rounds,
  milliseconds
}, [...wires, ...await engineWires()])

const mcp = await byWire("", chosen, { payload: "small", inFlight, rounds, milliseconds: ofMcp }, mcpWires)

const large = await byWire("1 MB, ", (name) => movesLarge.test(name) && chosen(`1mb-${name}`), {
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
    median([1, 2, 3].map(() => output("--expose-gc", script("cost/heap.ts"), kind, subject, "100000")))
  ])
)

const deadline = !chosen("deadline")
  ? {}
  : Object.fromEntries(inFlight.map((count) => [count, output(script("cost/deadline.ts"), String(count))]))

/** The line that has Schemas compiled. */
const jit = ["--import", import.meta.resolve("effect/schema/SchemaJITCompiler/enable")]

const typed = !chosen("typed")
  ? {}
  : Object.fromEntries(inFlight.flatMap((count) => [
    [`interpreted, ${count} in flight`, output(script("cost/typed.ts"), String(count))],
    [`compiled, ${count} in flight`, output(...jit, script("cost/typed.ts"), String(count))]
  ]))

const sessionsOf = (server: string, tools: number): Sessions[string] =>
  // What the script writes.
  JSON.parse(said(script("mcp/cost/sessions.ts"), server, String(tools), "2000")) as Sessions[string]

const sessions = !chosen("mcp-sessions") ? {} : Object.fromEntries(
  (["parley", "sdk-v1"] as const).flatMap((server) => [
    [`${server}, 1 tool`, sessionsOf(server, 1)] as const,
    [`${server}, 50 tools`, sessionsOf(server, 50)] as const
  ])
)

const tools = chosen("mcp-tools") ? output(script("mcp/cost/tools.ts")) : undefined

const typecheck = chosen("typecheck") ? output(script("cost/typecheck.ts")) : undefined

const startup = chosen("startup")
  ? median(Array.from({ length: 15 }, () => output(script("cost/startup.ts"))))
  : undefined

const found: Results = {
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
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
    ...toolsTargets(tools)
  ]
}

const latest = new URL("../results/latest.json", import.meta.url)
// This script has written it.
const stored = (): Results => JSON.parse(readFileSync(latest, "utf8")) as Results

const results = values.update === undefined ? found : merge(stored(), found)
const page = toMarkdown(results)
console.log(page)
if (only === undefined || values.update !== undefined) {
  writeFileSync(latest, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(new URL("../../../docs/reference/benchmarks.md", import.meta.url), page)
  comparison.write()
}
process.exit()
