import { assert, describe, it } from "@effect/vitest"
import { Result, type Schema } from "effect"
import { ContractDiff, Lock } from "../../src/index.ts"
import { Equality } from "../../src/internal/diff/containment/equality.ts"
import * as Judge from "./Judge.ts"
import { Dice } from "./RandomSchema.ts"
import { agents, chains, devtools, pairs, type Release, wallets } from "./Releases.ts"
import { SentValues } from "./SentValues.ts"

/** Values that are sent to each pair of contracts. */
const samples = 100_000

const read = (json: unknown): ContractDiff.Surface => Result.getOrThrow(ContractDiff.fromJson(json))

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

const members = [["named", "params"], ["positional", "params"], ["result", "result"], ["item", "items"]] as const

/** Places that say the same in both contracts, of which some are looked at where there are no others. */
const mostSame = 40

/** The places of two contracts where nothing breaks, with who sends there: those that have changed come first. */
const compatible = (
  before: ContractDiff.Surface,
  after: ContractDiff.Surface,
  changes: ContractDiff.ContractDiff["changes"]
) => {
  const breaks = changes.filter(({ verdict }) => verdict !== "compatible")
  const broken = new Set(breaks.map(({ operation, place }) => `${operation} ${place.split(/[.[]/)[0]}`))
  // A part that operations share may stand anywhere in the others.
  const shared = new Set(breaks.flatMap(({ others }) => others))
  const places = Array.from(before.operations).flatMap(([key, old]) => {
    const now = after.operations.get(key)
    return members.flatMap(([member, place]) => {
      if (old[member] === undefined || now?.[member] === undefined) return []
      if (broken.has(`${key} ${place}`) || shared.has(key)) return []
      const isOfClient = (old.direction === "client-to-server") === (place === "params")
      const pointer = `/operations/${escaped(key)}/${member}`
      return [{ pointer, isOfClient, isSame: isSame(before, after, pointer) }]
    })
  })
  const changed = places.filter(({ isSame }) => !isSame)
  return [...changed, ...places.filter(({ isSame }) => isSame).slice(0, Math.max(0, mostSame - changed.length))]
}

const isSame = (before: ContractDiff.Surface, after: ContractDiff.Surface, pointer: string): boolean =>
  new Equality().areEqual(before.nodes.at(pointer), after.nodes.at(pointer))

const hold = (pair: ReadonlyArray<readonly [Release, Release]>, count: number) => {
  let all = 0
  let unknown = 0

  for (const [one, other] of pair) {
    it(`holds between ${one.name} and ${other.name}`, { timeout: 120_000 }, () => {
      const before = read(one.document())
      const after = read(other.document())
      const { changes } = ContractDiff.compare(before, after)
      all += changes.length
      unknown += changes.filter(({ verdict }) => verdict === "unknown").length
      const [accepts, refuses] = [Judge.make(before), Judge.make(after)]
      Judge.holdWitnesses({ surface: before, judge: accepts }, { surface: after, judge: refuses }, changes)
      const places = compatible(before, after, changes)
      const documents = [before, after].map((surface): Schema.Json => JSON.parse(Lock.toText(surface)))
      const writers = documents.map((document) => new SentValues(document, new Dice(1)))
      let sent = 0
      for (let at = 0; sent < samples && at < samples * 2; at++) {
        const place = places[at % places.length]
        if (place === undefined) break
        const writer = writers[place.isOfClient ? 0 : 1]
        const value = writer?.write({ $ref: `#${place.pointer}` }) ?? null
        const [sender, receiver] = place.isOfClient ? [accepts, refuses] : [refuses, accepts]
        if (!sender(place.pointer, value)) continue
        sent++
        if (!receiver(place.pointer, value)) assert.fail(`${place.pointer}: ${JSON.stringify(value)}`)
      }
      assert.strictEqual(sent, samples)
    })
  }

  it(`compares ${count} pairs, and leaves at most 5 % of the changes open`, () => {
    assert.lengthOf(pair, count)
    assert.isAbove(all, 0)
    assert.isAtMost(unknown / all, 0.05)
  })
}

describe("diff of the DevTools protocol", () => {
  hold(pairs(devtools), 10)
})

describe("diff of the Agent Client Protocol", () => {
  hold(pairs(agents), 10)
})

describe("diff of the API of MetaMask", () => {
  hold(pairs(wallets), 8)
})

describe("diff of the API of MetaMask for several chains", () => {
  hold(pairs(chains), 6)
})
