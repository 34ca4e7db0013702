import { assert, describe, it } from "@effect/vitest"
import { Weight } from "@parley/protocol/shared"
import { once } from "node:events"
import { setFlagsFromString } from "node:v8"
import { Worker } from "node:worker_threads"

const array = (count: number, member: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => member(index)).join(",")}]`

const word = (index: number) => `k${index.toString(36)}`

const hostile: ReadonlyArray<readonly [string, () => string]> = [
  ["empty objects", () => array(20_000, () => "{}")],
  ["empty arrays", () => array(20_000, () => "[]")],
  ["nested arrays", () => array(500, () => "[".repeat(100) + "]".repeat(100))],
  ["nested objects", () => array(500, () => `${"{\"a\":".repeat(100)}1${"}".repeat(100)}`)],
  ["a key of its own in each object", () => array(20_000, (index) => `{"${word(index)}":0.5}`)],
  ["two keys of their own in each object", () => array(15_000, (index) => `{"${word(index)}":1,"l${word(index)}":2}`)],
  ["arrays behind keys of their own", () => array(20_000, (index) => `{"a":[],"${word(index)}":[]}`)],
  ["one object with many keys", () => `{${array(20_000, (index) => `"${word(index)}":1`).slice(1, -1)}}`],
  ["one object with many numbers as keys", () => `{${array(20_000, (index) => `"${index * 1009}":1`).slice(1, -1)}}`],
  ["a number as the key of each object", () => array(20_000, (index) => `{"${index % 1_000}":1}`)],
  ["strings of few characters", () => array(20_000, (index) => `"${word(index)}"`)],
  ["strings beyond Latin-1", () => array(20_000, (index) => `"\u2713${word(index)}"`)],
  ["long strings that an escape makes wide", () => array(20, (index) => `"\\u2713${word(index).repeat(50_000)}"`)],
  ["numbers that need a box", () => array(20_000, (index) => index % 2 === 0 ? "0.5" : "null")]
]

const ordinary: ReadonlyArray<readonly [string, () => string]> = [
  ["digits", () => array(100_000, (index) => String(index % 10))],
  ["fractions", () => array(100_000, (index) => String(Math.sqrt(index)))],
  ["long strings", () => array(20, (index) => `"${word(index).repeat(50_000)}"`)],
  ["objects of one shape", () => array(15_000, (a) => JSON.stringify({ a, b: 1, c: 2, d: 3 }))],
  ["requests", () =>
    array(3_000, (id) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "echo",
        params: { user: "alice@example.org", key: "k-0123456789", flags: [1, 2, 3], note: "hello world" }
      }))],
  [
    "rows of a table",
    () => array(3_000, (id) => JSON.stringify({ id, name: `name ${id}`, price: id * 1.01, tags: ["a", "b"] }))
  ]
]

/**
 * Bytes that the parsed JSON of a text keeps alive. A worker measures them, because its heap is new: the shapes that
 * this process already knows, and the memory that it lets go meanwhile, do not count. Nor does what a worker itself is
 * still setting up: it measures twice for nothing first.
 */
const heapOf = async (text: string): Promise<number> => {
  setFlagsFromString("--expose-gc")
  const worker = new Worker(measurement, { eval: true, workerData: text })
  const [bytes] = await once(worker, "message")
  return bytes
}

const measurement = `
  const { parentPort, workerData } = require("node:worker_threads")
  const collect = require("node:vm").runInNewContext("gc")
  const used = () => {
    for (let times = 0; times < 3; times++) collect()
    return process.memoryUsage().heapUsed
  }
  for (let times = 0; times < 2; times++) used()
  const before = used()
  globalThis.kept = JSON.parse(workerData)
  parentPort.postMessage(used() - before)
`

describe("Weight", () => {
  it.each(hostile)("%s weigh no more than estimated", async (_, make) => {
    const text = make()
    assert.isAtMost(await heapOf(text), Weight.ofText(text))
  })

  it.each(ordinary)("%s weigh no more than estimated, and at least a quarter of it", async (_, make) => {
    const text = make()
    const bytes = await heapOf(text)
    assert.isAtMost(bytes, Weight.ofText(text))
    assert.isAtLeast(bytes, Weight.ofText(text) / 4)
  })

  it("a short text is estimated by its length", () => {
    assert.strictEqual(Weight.ofText(""), 0)
    assert.strictEqual(Weight.ofText("{}"), 64)
    assert.strictEqual(Weight.ofText(`"${"x".repeat(1_022)}"`), 32 * 1_024)
  })

  it("brackets, commas and keys within strings weigh their characters", () => {
    const inside = (text: string) => Weight.ofText(JSON.stringify(text.repeat(1_000)))
    assert.strictEqual(inside("[{,x"), inside("xxxx"))
    assert.strictEqual(inside("\",\""), inside("\"x\""))
  })
})

it("a text that waits weighs what V8 keeps: two bytes where a character is beyond Latin-1, and a constant", () => {
  const empty = Weight.ofWaiting("")
  assert.isAtLeast(empty, 64)
  assert.strictEqual(Weight.ofWaiting("x".repeat(1_000)) - empty, 2_000)
  assert.strictEqual(Weight.ofWaiting("x".repeat(100_000)) - empty, 100_000)
  assert.strictEqual(Weight.ofWaiting(`${"x".repeat(99_999)}中`) - empty, 200_000)
})
