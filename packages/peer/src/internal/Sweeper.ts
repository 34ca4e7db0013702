/**
 * All deadlines of a connection on one fiber.
 *
 * Alarms with the same time to go fall due in the order they were set. So each
 * such time has a line of its own, and setting or cancelling one is a few
 * pointers, not a timer. The fiber sleeps on `Clock` until the first of all lines
 * is due. It does not exist while nothing is due, so that an idle connection
 * keeps no process alive.
 *
 * Promise: an alarm never goes off early, and at most 10 ms of clock time late.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"

/** Something that happens unless it is cancelled in time. @internal */
export abstract class Alarm {
  /** Where it stands, and between which; owned by the sweeper. */
  line: Line | undefined = undefined
  due = 0
  earlier: Alarm | undefined = undefined
  later: Alarm | undefined = undefined

  abstract ring(): void
}

/** Alarms in the order they fall due. @internal */
export interface Line {
  readonly wait: number
  first: Alarm | undefined
  last: Alarm | undefined
}

/** @internal */
export const alarm = (ring: () => void): Alarm =>
  new class extends Alarm {
    ring() {
      ring()
    }
  }()

/** @internal */
export interface Sweeper {
  readonly set: (alarm: Alarm, milliseconds: number) => void
  readonly cancel: (alarm: Alarm) => void
  /** Forgets all alarms. */
  readonly clear: () => void
  /** Milliseconds on the clock that `due` is of. */
  readonly now: () => number
}

/** Milliseconds that times to go, and moments to ring, are rounded up to: an alarm is late by less than two of these. */
const grain = 5

const roundUp = (milliseconds: number) => Math.ceil(milliseconds / grain) * grain

/** The longest sleep that runtimes' timers take. */
const longest = 2 ** 31 - 1

/** A sweeper that is made when the first alarm is set: for who has many, and alarms in few. @internal */
export const lazy = (context: Context.Context<never>): Sweeper => {
  let sweeper: Sweeper | undefined
  const made = () => sweeper ??= make(context)
  return {
    set: (alarm, milliseconds) => made().set(alarm, milliseconds),
    cancel: (alarm) => sweeper?.cancel(alarm),
    clear: () => sweeper?.clear(),
    now: () => made().now()
  }
}

/** @internal */
export const make = (context: Context.Context<never>): Sweeper => {
  const clock = Context.get(context, Clock.Clock)
  const fork = Effect.runForkWith(context)
  const dispatcher = Context.get(context, Scheduler.Scheduler).makeDispatcher()
  const lines = new Map<number, Line>()
  // The line that was used last, which most often is the next one, too. It may be empty; others are not.
  let current: Line | undefined
  let fiber: Fiber.Fiber<void> | undefined
  // When the fiber wakes up; while it rings, nothing may wake it earlier.
  let wakes = Number.NEGATIVE_INFINITY
  let asked = false

  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const lineFor = (wait: number): Line => {
    if (current !== undefined && current.first === undefined) lines.delete(current.wait)
    current = lines.get(wait) ?? { wait, first: undefined, last: undefined }
    lines.set(wait, current)
    return current
  }

  const forget = (alarm: Alarm) => {
    const { earlier, later, line } = alarm
    if (line === undefined) return
    if (earlier === undefined) line.first = later
    else earlier.later = later
    if (later === undefined) line.last = earlier
    else later.earlier = earlier
    alarm.line = undefined
    alarm.earlier = undefined
    alarm.later = undefined
    if (line.first === undefined && line !== current) lines.delete(line.wait)
  }

  const isEmpty = () => lines.size === 0 || (lines.size === 1 && current?.first === undefined)

  const earliest = () => {
    let due = Number.POSITIVE_INFINITY
    for (const { first } of lines.values()) if (first !== undefined && first.due < due) due = first.due
    return due
  }

  const ringDue = () => {
    const time = now()
    const due: Array<Alarm> = []
    for (const line of lines.values()) {
      for (let alarm = line.first; alarm !== undefined && alarm.due <= time; alarm = alarm.later) due.push(alarm)
    }
    due.sort((a, b) => a.due - b.due)
    for (const alarm of due) {
      // Ringing one may have cancelled another, or set it again.
      if (alarm.line === undefined || alarm.due > time) continue
      forget(alarm)
      alarm.ring()
    }
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
    dispatcher.scheduleTask(() => {
      asked = false
      if (isEmpty()) stop()
    }, 0)
  }

  return {
    now,
    set: (alarm, milliseconds) => {
      const wait = roundUp(milliseconds)
      const line = current?.wait === wait ? current : lineFor(wait)
      const due = roundUp(now() + wait)
      const last = line.last
      alarm.line = line
      alarm.due = due
      alarm.earlier = last
      if (last === undefined) line.first = alarm
      else last.later = alarm
      line.last = alarm
      if (fiber === undefined || due < wakes) restart()
    },
    cancel: (alarm) => {
      forget(alarm)
      if (isEmpty()) stopSoon()
    },
    clear: () => {
      for (const line of lines.values()) while (line.first !== undefined) forget(line.first)
      lines.clear()
      current = undefined
      stop()
    }
  }
}
