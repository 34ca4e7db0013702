/**
 * The queue between the receive loop and a consumer. It is bounded, and the
 * consumer chooses what happens when it is full.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StreamOptions } from "../Client.ts"
import { Lagged } from "../ContractError.ts"

/** How a stream ends: `Cause.Done` is its end in order. */
export type End<E> = Effect.Effect<never, E | Cause.Done>

export interface Items<A, E> {
  /** Takes items in the receive loop. */
  readonly push: (items: ReadonlyArray<A>) => void
  /** Nothing more comes. The first end stands. */
  readonly end: (end: End<E | Lagged>) => void
  /** Reports that this many items were lost before they came here. */
  readonly lose: (count: number) => void
  /** All that waits, or the next that come. */
  readonly pull: Effect.Effect<NonEmptyReadonlyArray<A>, E | Lagged | Cause.Done>
  /** Drops what waits, and ends. */
  readonly close: () => void
}

export const make = <A, E>(
  method: string,
  { strategy = "suspend", ...options }: StreamOptions,
  pause: () => () => void
): Items<A, E> => {
  const capacity = Math.max(1, options.capacity ?? 1024)
  let waiting: Array<A> = []
  /** The place of the oldest item, where a sliding queue goes round: a full one puts the next item there. */
  let oldest = 0
  let ended: End<E | Lagged> | undefined
  let missed = 0
  let resume: (() => void) | undefined
  const waiters = new Set<() => void>()

  // A pause does not stop the reading while other calls wait for their responses: it may bring this many more.
  const most = strategy === "suspend" ? 2 * capacity : capacity

  /** Resuming reads at once, and may fill the queue, and so pause again, before it returns. */
  const goOn = () => {
    const resumed = resume
    resume = undefined
    resumed?.()
  }

  const inOrder = () => oldest === 0 ? waiting : [...waiting.slice(oldest), ...waiting.slice(0, oldest)]

  /** Puts items in the places of the oldest ones. */
  const slide = (items: ReadonlyArray<A>) => {
    if (waiting.length > capacity) waiting = waiting.slice(-capacity)
    for (const item of items) {
      waiting[oldest] = item
      oldest = (oldest + 1) % capacity
    }
  }

  /** What a pull gives now, if anything. */
  const take = (): Items<A, E>["pull"] | undefined => {
    if (waiting.length > 0) {
      // Its length was looked at.
      const items = inOrder() as unknown as NonEmptyReadonlyArray<A>
      waiting = []
      oldest = 0
      goOn()
      return Exit.succeed(items)
    }
    if (missed > 0) return Exit.fail(new Lagged({ method, missed }))
    return ended
  }

  const pull: Items<A, E>["pull"] = Effect.callback((resumed) => {
    const given = take()
    if (given !== undefined) return resumed(given)
    // A waiter pulls again when it is woken, so that an interrupted one leaves the items to the next pull.
    const waiter = () => resumed(pull)
    waiters.add(waiter)
    return Effect.sync(() => {
      waiters.delete(waiter)
    })
  })

  const wake = () => {
    if (waiters.size === 0 || (waiting.length === 0 && missed === 0 && ended === undefined)) return
    const all = [...waiters]
    waiters.clear()
    for (const waiter of all) waiter()
  }

  /** The items of one message are kept or lost together, so that the queue may exceed its bound by one message. */
  const keep = (items: ReadonlyArray<A>) => {
    // After a gap nothing more is kept: a consumer could not see where the gap was.
    if (missed > 0) missed += items.length
    // One by one, because the arguments of a spread are put on the stack, and a message may hold many items.
    else if (waiting.length < most) { for (const item of items) waiting.push(item) }
    else if (strategy === "sliding") slide(items)
    else if (strategy !== "dropping") missed = items.length
  }

  return {
    push: (items) => {
      if (ended !== undefined) return
      keep(items)
      wake()
      if (strategy === "suspend" && waiting.length >= capacity) resume ??= pause()
    },
    end: (end) => {
      ended ??= end
      goOn()
      wake()
    },
    lose: (count) => {
      // The other strategies lose items by intent.
      if (strategy === "suspend" || strategy === "fail") missed += count
      wake()
    },
    pull,
    close: () => {
      waiting = []
      ended ??= Exit.interrupt()
      goOn()
      wake()
    }
  }
}
