/**
 * What the codec costs over bare JSON: the median of interleaved rounds, in nanoseconds per message.
 *
 * `node packages/bench/src/cost/codec.ts [rounds] [messages per round]`
 */
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { small as params } from "../Subject.ts"

const request = JSON.stringify({ jsonrpc: "2.0", method: "echo", params, id: 12 })
const success = JSON.stringify({ jsonrpc: "2.0", result: params, id: 12 })
const numbers = JSON.stringify({
  jsonrpc: "2.0",
  method: "echo",
  params: Array.from({ length: 20_000 }, (_, index) => Math.sqrt(index)),
  id: 1
})
const rows = JSON.stringify({
  jsonrpc: "2.0",
  method: "echo",
  params: Array.from({ length: 2_000 }, () => params),
  id: 1
})

interface Contestant {
  readonly name: string
  /** The contestant that this one is measured against. */
  readonly floor?: string
  readonly weight?: number
  readonly run: (index: number) => unknown
}

const contestants: ReadonlyArray<Contestant> = [
  { name: "JSON.parse request", run: () => JSON.parse(request) },
  { name: "Message.decode request", floor: "JSON.parse request", run: () => Message.decode(request) },
  { name: "Batch.decode request", floor: "JSON.parse request", run: () => Batch.decode(request) },
  { name: "JSON.parse success", run: () => JSON.parse(success) },
  { name: "Message.decode success", floor: "JSON.parse success", run: () => Message.decode(success) },
  { name: "JSON.stringify request", run: (id) => JSON.stringify({ jsonrpc: "2.0", id, method: "echo", params }) },
  {
    name: "requestText",
    floor: "JSON.stringify request",
    run: (id) => Message.requestText(String(id), "echo", params)
  },
  { name: "JSON.stringify success", run: (id) => JSON.stringify({ jsonrpc: "2.0", id, result: params }) },
  { name: "successText", floor: "JSON.stringify success", run: (id) => Message.successText(String(id), params) },
  { name: "JSON.parse 370 KB of numbers", weight: 3_000, run: () => JSON.parse(numbers) },
  {
    name: "Message.decode 370 KB of numbers",
    floor: "JSON.parse 370 KB of numbers",
    weight: 3_000,
    run: () => Message.decode(numbers)
  },
  { name: "JSON.parse 220 KB of objects", weight: 3_000, run: () => JSON.parse(rows) },
  {
    name: "Message.decode 220 KB of objects",
    floor: "JSON.parse 220 KB of objects",
    weight: 3_000,
    run: () => Message.decode(rows)
  }
]

/** Keeps the results alive, so that no loop is optimized away. */
let sink: unknown

const round = ({ run, weight = 1 }: Contestant, messages: number): number => {
  const count = Math.max(1, Math.round(messages / weight))
  const start = performance.now()
  for (let index = 0; index < count; index++) sink = run(index)
  return (performance.now() - start) * 1e6 / count
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const measure = (rounds: number, messages: number): ReadonlyMap<string, ReadonlyArray<number>> => {
  const times = new Map(contestants.map(({ name }) => [name, new Array<number>()]))
  for (const contestant of contestants) round(contestant, messages)
  for (let index = 0; index < rounds; index++) {
    for (const contestant of contestants) times.get(contestant.name)?.push(round(contestant, messages))
  }
  return times
}

const print = (times: ReadonlyMap<string, ReadonlyArray<number>>): void => {
  console.log(`${"".padEnd(36)}${"ns".padStart(12)}${"over floor".padStart(12)}`)
  for (const { floor, name } of contestants) {
    const own = times.get(name) ?? []
    const beside = floor === undefined ? undefined : times.get(floor)
    // The difference is taken within each round, so that a slow moment of the machine hits both sides.
    const over = beside === undefined ? "" : median(own.map((ns, at) => ns - (beside[at] ?? Number.NaN))).toFixed(0)
    console.log(`${name.padEnd(36)}${median(own).toFixed(0).padStart(12)}${over.padStart(12)}`)
  }
}

const [rounds = 41, messages = 20_000] = process.argv.slice(2).map(Number)
print(measure(rounds, messages))
if (sink === undefined) process.exitCode = 1
