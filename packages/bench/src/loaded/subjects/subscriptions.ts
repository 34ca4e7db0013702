/**
 * Items of subscriptions that are open at the same time on one connection. They come by turns, each to a consumer of its
 * own.
 */
import * as Peer from "@parley/peer/Peer"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Load, Open, Subjects } from "../Row.ts"
import { idOf, item, Ticker } from "./ticker.ts"
import { counter, immediate, opening, raw, scoped } from "./wire.ts"

/** Items of one chunk of the wire. */
const together = 64

/** From one item to the next: a prime, so that neighbours are not opened one after the other. */
const step = 7_919

/** A turn brings a chunk, and waits until each item has come to its consumer. */
const byTurns = (
  count: number,
  { wait }: ReturnType<typeof counter>,
  say: (texts: ReadonlyArray<string>) => void
): Load["turn"] => {
  let last = 0
  return async () => {
    const taken = wait(together)
    say(Array.from({ length: together }, () => item(1 + (step * last++) % count, last)))
    await taken
    await immediate()
    return together
  }
}

const parley: Open = async (count) => {
  const items = counter()
  let opened = 0
  const open = opening((texts) => {
    opened++
    say(texts)
  })
  const { say, transport } = raw(open)
  const [, close] = await scoped(Effect.gen(function*() {
    const { ticks } = Ticker.client(yield* Peer.make(transport))
    const consume = Stream.runForEach(ticks(undefined), () => Effect.sync(() => items.come()))
    for (let subscription = 0; subscription < count; subscription++) yield* Effect.forkScoped(consume)
  }))
  while (opened < count) await immediate()
  await immediate()
  return { turn: byTurns(count, items, say), close }
}

/** A callback for each id. */
const floor: Open = async (count) => {
  const items = counter()
  const consumers = new Map(Array.from({ length: count }, (_, at) => [idOf(at + 1), (_item: unknown) => items.come()]))
  const turn = byTurns(count, items, (texts) => {
    for (const text of texts) {
      const { params } = JSON.parse(text)
      queueMicrotask(() => consumers.get(params.subscription)?.(params.result))
    }
  })
  return { turn, close: () => consumers.clear() }
}

export const subjects: Subjects = { parley, floor }
