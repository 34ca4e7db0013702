/**
 * All deadlines of a connection on one fiber.
 *
 * A deadline costs an entry in a Set, not a timer: alarms that fall due within
 * the same ten milliseconds share a bucket, and the fiber sleeps on `Clock`
 * until the earliest bucket. It does not exist while nothing is due, so that an
 * idle connection keeps no process alive.
 *
 * Promise: an alarm never goes off early, and at most 10 ms of clock time late.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** Something that happens unless it is cancelled in time. @internal */
export interface Alarm {
  /** Owned by the sweeper. */
  bucket: Bucket | undefined
  readonly ring: () => void
}

/** The alarms of the same ten milliseconds. @internal */
export interface Bucket {
  readonly due: number
  readonly alarms: Set<Alarm>
}

/** @internal */
export interface Sweeper {
  readonly set: (alarm: Alarm, milliseconds: number) => void
  readonly cancel: (alarm: Alarm) => void
  /** Forgets all alarms. */
  readonly clear: () => void
}

/** How many milliseconds share a bucket. */
const grain = 10

/** The longest sleep that runtimes' timers take. */
const longest = 2 ** 31 - 1

/** @internal */
export const make = (context: Context.Context<never>): Sweeper => {
  const clock = Context.get(context, Clock.Clock)
  const fork = Effect.runForkWith(context)
  const buckets = new Map<number, Bucket>()
  let newest: Bucket | undefined
  let set = 0
  let fiber: Fiber.Fiber<void> | undefined
  // When the fiber wakes up; while it rings, nothing may wake it earlier.
  let wakes = Number.NEGATIVE_INFINITY
  let asked = false

  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const earliest = () => {
    let first = Number.POSITIVE_INFINITY
    for (const { alarms, due } of buckets.values()) if (alarms.size > 0 && due < first) first = due
    return first
  }

  const ringDue = () => {
    const time = now()
    const due = [...buckets.values()].filter((bucket) => bucket.due <= time).sort((a, b) => a.due - b.due)
    for (const bucket of due) {
      // Ringing may cancel others of the same bucket, which a Set's iterator respects.
      for (const alarm of bucket.alarms) {
        forget(alarm)
        alarm.ring()
      }
    }
  }

  const bucketAt = (due: number): Bucket => {
    if (newest !== undefined && newest.alarms.size === 0) buckets.delete(newest.due)
    newest = buckets.get(due) ?? { due, alarms: new Set() }
    buckets.set(due, newest)
    return newest
  }

  const forget = (alarm: Alarm) => {
    const bucket = alarm.bucket
    if (bucket === undefined) return
    alarm.bucket = undefined
    bucket.alarms.delete(alarm)
    set--
    // The newest bucket is about to be filled again.
    if (bucket.alarms.size === 0 && bucket !== newest) buckets.delete(bucket.due)
  }

  const sweep: Effect.Effect<void> = Effect.suspend(() => {
    wakes = Number.NEGATIVE_INFINITY
    ringDue()
    wakes = earliest()
    if (wakes === Number.POSITIVE_INFINITY) {
      fiber = undefined
      return Effect.void
    }
    const pause = Math.min(Math.max(wakes - now(), 0), longest)
    return Effect.flatMap(clock.sleep(Duration.millis(pause)), () => sweep)
  })

  const restart = () => {
    fiber?.interruptUnsafe()
    fiber = fork(sweep)
  }

  const stop = () => {
    fiber?.interruptUnsafe()
    fiber = undefined
  }

  /** Stops the fiber unless the turn that emptied the sweeper fills it again, as a caller in a loop does. */
  const stopSoon = () => {
    if (asked) return
    asked = true
    queueMicrotask(() => {
      asked = false
      if (set === 0) stop()
    })
  }

  return {
    set: (alarm, milliseconds) => {
      const due = Math.ceil((now() + milliseconds) / grain) * grain
      const bucket = newest?.due === due ? newest : bucketAt(due)
      bucket.alarms.add(alarm)
      alarm.bucket = bucket
      set++
      if (fiber === undefined || due < wakes) restart()
    },
    cancel: (alarm) => {
      forget(alarm)
      if (set === 0) stopSoon()
    },
    clear: () => {
      for (const bucket of buckets.values()) for (const alarm of bucket.alarms) alarm.bucket = undefined
      buckets.clear()
      newest = undefined
      set = 0
      stop()
    }
  }
}
