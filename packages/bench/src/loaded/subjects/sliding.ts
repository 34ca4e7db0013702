/**
 * Items of a subscription whose consumer takes none, and whose sliding queue is full: each item drops the oldest one.
 */
import * as Peer from "@parley/peer/Peer"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Open, Subjects } from "../Row.ts"
import { item, Ticker } from "./ticker.ts"
import { immediate, opening, raw, scoped } from "./wire.ts"

/** Items of one chunk of the wire. */
const together = 100

/** Brings as many items as the queue keeps, and then a chunk in each turn. */
const filling = async (count: number, say: (texts: ReadonlyArray<string>) => void) => {
  let last = 0
  const chunk = async (length: number) => {
    say(Array.from({ length }, () => item(1, ++last)))
    await immediate()
    return length
  }
  while (last < count) await chunk(Math.min(together, count - last))
  return () => chunk(together)
}

const parley: Open = async (count) => {
  const { say, transport } = raw(opening((texts) => say(texts)))
  let isTaken = false
  const [, close] = await scoped(Effect.gen(function*() {
    const { ticks } = Ticker.client(yield* Peer.make(transport))
    const takesOne = () => Effect.andThen(Effect.sync(() => void (isTaken = true)), Effect.never)
    const items = ticks(undefined, { capacity: count, strategy: "sliding" })
    yield* Effect.forkScoped(Stream.runForEach(items, takesOne))
  }))
  while (!isTaken) {
    say([item(1, 0)])
    await immediate()
  }
  return { turn: await filling(count, say), close }
}

/** A ring of parsed items. */
const floor: Open = async (count) => {
  const ring: Array<unknown> = []
  let at = 0
  const take = (text: string) => {
    ring[at] = JSON.parse(text).params.result
    at = (at + 1) % count
  }
  return { turn: await filling(count, (texts) => texts.forEach(take)), close: () => void ring.splice(0) }
}

export const subjects: Subjects = { parley, floor }
