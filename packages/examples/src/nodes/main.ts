/**
 * Proves on this machine what is promised when nodes fail, and prints the cost:
 *
 *     node packages/examples/src/nodes/main.ts --engine redis --seed 1
 *
 * `--guests` is the number of sessions, 500 by default, and `--rate` the calls a second, by default half of what the machine
 * carries. `--haproxy FILE` has HAProxy as the edge, with a configuration that binds a port of 127.0.0.1 and has three servers at
 * 127.0.0.1. It ends with 1 where a promise was not kept.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import * as Engine from "./cluster/Engine.ts"
import * as Haproxy from "./cluster/Haproxy.ts"
import * as Rotation from "./cluster/Rotation.ts"
import * as Faults from "./Faults.ts"
import * as Judge from "./Judge.ts"
import * as Trial from "./Trial.ts"

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "redis" },
    haproxy: { type: "string" },
    guests: { type: "string", default: "500" },
    rate: { type: "string" },
    seed: { type: "string", default: "1" }
  }
})

const engine = Engine.names.find((name) => name === values.engine)
if (engine === undefined) throw new TypeError(`--engine is one of ${Engine.names.join(", ")}, not ${values.engine}`)

/** The heaps may differ by a tenth. */
const heapBound = 1.1

const program = Effect.gen(function*() {
  const edge = values.haproxy === undefined ? Rotation.make : Haproxy.make(values.haproxy)
  // The configuration promises what a planned end may cost.
  const kinds = values.haproxy === undefined ? Faults.unplanned : Faults.kinds
  const options = { engine, edge, seed: values.seed, guests: Number(values.guests) }
  const rate = values.rate === undefined ? undefined : Number(values.rate)
  const calm = yield* Trial.run({ ...options, rate, faults: () => Effect.as(Effect.sleep("10 seconds"), []) })
  const trial = yield* Trial.run({ ...options, rate: calm.rate, faults: Faults.each(kinds) })
  const [before, { answered, broken, costs }] = [Judge.judge(calm), Judge.judge(trial)]

  console.log(`${engine}, seed ${values.seed}: ${calm.rate.toFixed(0)} calls a second, ${answered} answered`)
  console.log("| fault | node | lost | refused | told after | answered again after |")
  console.log("| ----- | ---- | ---- | ------- | ---------- | -------------------- |")
  for (const { fault, lost, pause, refused, told } of costs) {
    const times = [told, pause].map((time) => Number.isNaN(time) ? "" : `${time} ms`)
    console.log(`| ${[fault.kind, fault.node ?? "all", lost, refused, ...times].join(" | ")} |`)
  }
  const growth = trial.heap / calm.heap
  console.log(`the heap is ${(trial.heap / 2 ** 20).toFixed(1)} MiB, ${growth.toFixed(3)} of that without faults`)

  const all = [
    ...before.broken.map((sentence) => `without faults: ${sentence}`),
    ...broken,
    ...growth > heapBound ? [`the heap grew to ${growth.toFixed(3)} of that without faults`] : []
  ]
  for (const sentence of all) console.log(`broken: ${sentence}`)
  process.exitCode = all.length === 0 ? 0 : 1
})

await Effect.runPromise(program)
