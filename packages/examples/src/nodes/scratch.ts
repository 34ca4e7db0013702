import { Effect } from "effect"
import * as Judge from "./Judge.ts"
import { befall } from "./Faults.ts"
import * as Trial from "./Trial.ts"
import * as fs from "node:fs"
const [,, guests = "60", rate = "30", faulty = "", seed = "1"] = process.argv
const kinds = faulty.split(",") as any
fs.rmSync("/tmp/nodes-last", { recursive: true, force: true })
const trial = await Effect.runPromise(Trial.run({ seed, engine: (process.env.ENGINE ?? "redis") as any, guests: Number(guests), rate: Number(rate), faults: (cluster) => Effect.gen(function*() {
  yield* Effect.addFinalizer(() => Effect.sync(() => fs.cpSync(cluster.folder, "/tmp/nodes-last", { recursive: true })))
  if (faulty === "") { yield* Effect.sleep("8 seconds"); return [] }
  yield* Effect.sleep("3 seconds")
  return yield* Effect.forEach(kinds, (kind: any) => Effect.tap(befall(cluster, kind), () => Effect.sleep("5 seconds")))
}) as any }))
console.log(trial.rate, trial.answered, trial.heap, trial.calls.length)
const lat = trial.calls.filter((c) => c.tool === "tell").map((c) => c.to - c.from).sort((a, b) => a - b)
console.log("tell p50", lat[lat.length >> 1], "p99", lat[Math.floor(lat.length * .99)])
const v = Judge.judge(trial)
const t0 = trial.faults[0]?.from ?? 0
console.log(JSON.stringify(trial.faults.map((f) => [f.kind, f.node, f.from - t0, f.to - t0])), JSON.stringify(trial.notices.map((n) => [n.node, n.at - t0])))
const by: any = {}
for (const c of trial.calls) if (c.error) (by[c.error] ??= []).push(`${c.tool}${c.id}@${c.from - t0}-${c.to - t0}/${c.guest}`)
for (const k in by) console.log(k, by[k].length, by[k].slice(0, 12).join(" "))
console.log(v.costs.map(({ fault, ...r }) => JSON.stringify({ ...r, kind: fault.kind })).join("\n"))
console.log(v.broken.length, v.broken.slice(0, 20), v.answered)
for (const c of trial.calls) if (c.error === "RequestTimeout") console.log(c.id, c.guest, c.from, c.to, JSON.stringify(trial.passages.filter((p) => p.guest === c.guest && p.to >= c.from && p.from <= c.to).map((p) => [p.node, p.from - c.from, p.to - c.from])), [...trial.ledgers].flatMap(([n, es]) => es.filter((e: any) => e.call === c.id).map((e: any) => n + " " + (e.at - c.from))).join())
