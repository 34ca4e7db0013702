/** Notifications of one method, for so many listeners that take none: each listener is offered each notification. */
import * as Peer from "@parley/peer/Peer"
import * as Effect from "effect/Effect"
import type { Open, Subjects } from "../Row.ts"
import { item } from "./ticker.ts"
import { immediate, raw, scoped } from "./wire.ts"

/** Notifications of a turn. */
const together = 64

const over = (count: number, say: (texts: ReadonlyArray<string>) => void) => {
  let last = 0
  return async () => {
    say(Array.from({ length: together }, () => item(1, ++last)))
    await immediate()
    return together * count
  }
}

/** What a listener does: it looks at the params, and takes nothing. */
const offered = () => {
  let seen = 0
  return (params: unknown): boolean => {
    if (params !== undefined) seen++
    return seen < 0
  }
}

const parley: Open = async (count) => {
  const { say, transport } = raw(() => {})
  const [, close] = await scoped(Effect.gen(function*() {
    const peer = yield* Peer.make(transport)
    for (let listener = 0; listener < count; listener++) yield* peer.listen("tick", { take: offered(), end: () => {} })
  }))
  return { turn: over(count, say), close }
}

const floor: Open = async (count) => {
  const listeners = Array.from({ length: count }, offered)
  const take = (text: string) => {
    const { params } = JSON.parse(text)
    for (const listener of listeners) if (listener(params)) return
  }
  return { turn: over(count, (texts) => texts.forEach(take)), close: () => {} }
}

export const subjects: Subjects = { parley, floor }
