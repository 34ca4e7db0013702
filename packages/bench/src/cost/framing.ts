/**
 * Framings against hand-written floors, interleaved in one run: `node packages/bench/src/cost/framing.ts`.
 *
 * `lines` and `clDeframe` are those of the floor. They know no limits, no invalid UTF-8 and no foreign protocol.
 * `values` is a byte-wise scanner of the same kind for `concatenated`.
 */
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import { Buffer } from "node:buffer"
import { StringDecoder } from "node:string_decoder"
import * as floor from "../floor/floor.ts"

type On = (text: string) => void

const lines = (on: On): (chunk: Buffer) => void => {
  const decoder = new StringDecoder("utf8")
  const push = floor.lines(on)
  return (chunk) => push(decoder.write(chunk))
}

/** A floor that searches bytes: a list of chunks, one concat per line. */
const byteLines = (on: On): (chunk: Buffer) => void => {
  let chunks: Array<Buffer> = []
  return (chunk) => {
    let i
    let p = 0
    while ((i = chunk.indexOf(10, p)) >= 0) {
      if (chunks.length === 0) on(chunk.toString("utf8", p, i))
      else {
        chunks.push(chunk.subarray(p, i))
        on(Buffer.concat(chunks).toString())
        chunks = []
      }
      p = i + 1
    }
    if (p < chunk.length) chunks.push(chunk.subarray(p))
  }
}

const values = (on: On): (chunk: Buffer) => void => {
  let chunks: Array<Buffer> = []
  let depth = 0
  let quoted = false
  let escaped = false
  return (chunk) => {
    let p = 0
    for (let i = 0; i < chunk.length; i++) {
      const b = chunk[i]
      if (escaped) escaped = false
      else if (quoted) {
        if (b === 34) quoted = false
        else if (b === 92) escaped = true
      } else if (b === 34) quoted = true
      else if (b === 123 || b === 91) depth++
      else if (b === 125 || b === 93) {
        if (--depth === 0) {
          if (chunks.length === 0) on(chunk.toString("utf8", p, i + 1))
          else {
            chunks.push(chunk.subarray(p, i + 1))
            on(Buffer.concat(chunks).toString())
            chunks = []
          }
          p = i + 1
        }
      }
    }
    if (p < chunk.length) chunks.push(chunk.subarray(p))
  }
}

const ours = (framing: Framing.Framing) => (on: On): (chunk: Buffer) => void => {
  const splitter = framing.splitter(Limits.defaults)
  return (chunk) => {
    for (const frame of splitter.push(chunk)) if (typeof frame === "string") on(frame)
  }
}

const request = (note: string) => (id: number): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "echo", params: { user: "alice@example.org", op: "lookup", note }, id })

const cut = (bytes: Uint8Array, size: number): Array<Buffer> => {
  const buffer = Buffer.from(bytes)
  return Array.from({ length: Math.ceil(buffer.length / size) }, (_, i) => buffer.subarray(i * size, (i + 1) * size))
}

const texts = (count: number, note = "hello"): Array<string> =>
  Array.from({ length: count }, (_, i) => request(note)(i))

interface Case {
  readonly name: string
  /** Texts that one call of `run` moves. */
  readonly count: number
  readonly runs: { readonly [name: string]: () => void }
}

let moved = 0
const sink: On = (text) => {
  moved += text.length
}

const splitting = (
  name: string,
  framing: Framing.Framing,
  what: ReadonlyArray<string>,
  size: number,
  floors: { readonly [name: string]: (on: On) => (chunk: Buffer) => void }
): Case => {
  const chunks = cut(framing.join(what), size)
  const runs = Object.entries({ ours: ours(framing), ...floors }).map(([of, make]) => {
    const push = make(sink)
    return [of, () => chunks.forEach(push)] as const
  })
  return { name: `${framing.name} split, ${name}`, count: what.length, runs: Object.fromEntries(runs) }
}

const joining = (name: string, framing: Framing.Framing, what: ReadonlyArray<string>, floor: On): Case => ({
  name: `${framing.name} join, ${name}`,
  count: what.length,
  runs: {
    ours: () => {
      moved += framing.join(what).length
    },
    floor: () => floor("")
  }
})

const withLength = (what: ReadonlyArray<string>) => () => {
  let s = ""
  for (const t of what) s += `Content-Length: ${Buffer.byteLength(t)}\r\n\r\n${t}`
  moved += Buffer.from(s).length
}

const withNewline = (what: ReadonlyArray<string>) => () => {
  let s = ""
  for (const t of what) s += t + "\n"
  moved += Buffer.from(s).length
}

const small = texts(64)
const accents = texts(64, "héllo ✓")
const mega = [request("x".repeat(1 << 20))(1)]
const wide = [request("xxxé".repeat(1 << 18))(1)]
const quotes = [
  JSON.stringify({ jsonrpc: "2.0", id: 1, params: Array.from({ length: 10_000 }, (_, i) => request("x")(i)) })
]
const KiB64 = 65_536
const all = 1 << 30
const line = { "string floor": lines, "byte floor": byteLines }
const counted = { floor: floor.clDeframe }
const scanned = { floor: values }

const cases: ReadonlyArray<Case> = [
  splitting("64 of 100 B per chunk", Framing.line, small, all, line),
  splitting("1 of 100 B per chunk", Framing.line, small.slice(0, 1), all, line),
  splitting("100 B in cuts of 1,000", Framing.line, small, 1000, line),
  splitting("64 with accents", Framing.line, accents, all, line),
  splitting("1 MB in 64 KiB", Framing.line, mega, KiB64, line),
  splitting("1 MB with accents", Framing.line, wide, KiB64, line),
  splitting("64 of 100 B per chunk", Framing.contentLength, small, all, counted),
  splitting("1 of 100 B per chunk", Framing.contentLength, small.slice(0, 1), all, counted),
  splitting("100 B in cuts of 1,000", Framing.contentLength, small, 1000, counted),
  splitting("64 with accents", Framing.contentLength, accents, all, counted),
  splitting("1 MB in 64 KiB", Framing.contentLength, mega, KiB64, counted),
  splitting("1 MB with accents", Framing.contentLength, wide, KiB64, counted),
  splitting("64 of 100 B per chunk", Framing.concatenated, small, all, scanned),
  splitting("1 of 100 B per chunk", Framing.concatenated, small.slice(0, 1), all, scanned),
  splitting("64 with accents", Framing.concatenated, accents, all, scanned),
  splitting("1 MB in 64 KiB", Framing.concatenated, mega, KiB64, scanned),
  splitting("1 MB of quotes", Framing.concatenated, quotes, KiB64, scanned),
  joining("64 of 100 B", Framing.line, small, withNewline(small)),
  joining("1 of 100 B", Framing.line, small.slice(0, 1), withNewline(small.slice(0, 1))),
  joining("64 with accents", Framing.line, accents, withNewline(accents)),
  joining("1 MB", Framing.line, mega, withNewline(mega)),
  joining("64 of 100 B", Framing.contentLength, small, withLength(small)),
  joining("1 of 100 B", Framing.contentLength, small.slice(0, 1), withLength(small.slice(0, 1))),
  joining("64 with accents", Framing.contentLength, accents, withLength(accents)),
  joining("1 MB", Framing.contentLength, mega, withLength(mega))
]

/** Nanoseconds per text: the median of rounds in which every contestant has its turn. */
const measure = (one: Case): { readonly [name: string]: number } => {
  const names = Object.keys(one.runs)
  const times = new Map(names.map((name) => [name, new Array<number>()]))
  const calls = one.runs["ours"] === undefined ? 1 : callsPerRound(one.runs["ours"])
  for (let round = 0; round < 21; round++) {
    for (const name of names) {
      const run = one.runs[name]!
      const start = process.hrtime.bigint()
      for (let call = 0; call < calls; call++) run()
      times.get(name)!.push(Number(process.hrtime.bigint() - start) / calls / one.count)
    }
  }
  return Object.fromEntries(names.map((name) => [name, times.get(name)!.sort((a, b) => a - b)[10]!]))
}

/** As many as take about ten milliseconds, after a warm-up of a hundred. */
const callsPerRound = (run: () => void): number => {
  const start = process.hrtime.bigint()
  let calls = 0
  while (process.hrtime.bigint() - start < 100_000_000n) {
    run()
    calls++
  }
  return Math.max(1, Math.floor(calls / 10))
}

const nanos = (value: number): string => value >= 10_000 ? `${(value / 1000).toFixed(0)} µs` : `${value.toFixed(0)} ns`

const only = process.argv[2] ?? ""
console.log("| what | ours | floors | floor's time / ours |\n| --- | --- | --- | --- |")
for (const one of cases.filter(({ name }) => name.includes(only))) {
  const { ours: mine = NaN, ...rest } = measure(one)
  const floors = Object.entries(rest)
  const times = floors.map(([name, time]) => `${name} ${nanos(time)}`).join(", ")
  const ratios = floors.map(([, time]) => (time / mine).toFixed(2)).join(", ")
  console.log(`| ${one.name} | ${nanos(mine)} | ${times} | ${ratios} |`)
}
if (moved === 0) throw new Error("nothing was measured")
