/**
 * The calls that wait for a connection: in the order they came, bounded in
 * number, each within its own time.
 *
 * Resumption is synchronous, so an entry is gone before its call is resumed, and
 * a call that is admitted has gone out before the next one is.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Disconnected } from "../../CallerError.ts"
import type { Log } from "../runtime/Host.ts"
import { DeadlineQueue, Timer } from "../timer/DeadlineQueue.ts"

/** What a call that is admitted goes on with. @internal */
export interface Admitted<A> {
  readonly to: A
  /** Milliseconds that are left of its time. */
  readonly left: number
}

/** A call that waits, and its errors where nobody admits it. @internal */
export interface Waits<E> {
  /** Calls that it counts for. */
  readonly size: number
  /** How long it may wait, in milliseconds. */
  readonly milliseconds: number
  /** The error when its time is over. */
  readonly late: () => E
  /** The error when there is no room. */
  readonly full: () => E
}

/** @internal */
export interface ConnectQueue<A> {
  /** Waits for `admit`. */
  readonly enter: <E>(waits: Waits<E>) => Effect.Effect<Admitted<A>, E | Disconnected>
  /**
   * Admits the calls that wait now, one after the other. Calls that enter meanwhile stay, because a call that always
   * re-enters would never let this end.
   */
  readonly admit: (to: A) => void
  /** Fails all, waiting or later. */
  readonly close: (error: Disconnected) => void
}

/** A call that waits. */
interface Entry<A> {
  readonly timer: Timer
  readonly size: number
  readonly due: number
  readonly resume: (exit: Exit.Exit<Admitted<A>, Disconnected>) => void
}

/** @internal */
export const make = <A>(context: Context.Context<never>, limit: number, log: Log): ConnectQueue<A> => {
  const timers = new DeadlineQueue(context)
  const clock = Context.get(context, Clock.Clock)
  const entries = new Set<Entry<A>>()
  let size = 0
  let closed: Exit.Exit<never, Disconnected> | undefined

  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const leave = (entry: Entry<A>): boolean => {
    if (!entries.delete(entry)) return false
    size -= entry.size
    timers.cancel(entry.timer)
    return true
  }

  /** Resumes a call. If that throws, the next call still gets its turn. */
  const resume = (entry: Entry<A>, exit: Exit.Exit<Admitted<A>, Disconnected>) => {
    try {
      if (leave(entry)) entry.resume(exit)
    } catch (defect) {
      log("who waited for a connection threw", Cause.die(defect))
    }
  }

  const enter: ConnectQueue<A>["enter"] = ({ full, late, milliseconds, size: needed }) =>
    Effect.callback((resumed) => {
      if (closed !== undefined) return resumed(closed)
      if (size + needed > limit) return resumed(Exit.fail(full()))
      const entry: Entry<A> = {
        timer: new Timer(() => {
          if (leave(entry)) resumed(Exit.fail(late()))
        }),
        size: needed,
        due: now() + milliseconds,
        resume: resumed
      }
      entries.add(entry)
      size += needed
      if (milliseconds !== Number.POSITIVE_INFINITY) timers.set(entry.timer, milliseconds)
      return Effect.sync(() => leave(entry))
    })

  return {
    enter,
    admit: (to) => {
      for (const entry of [...entries]) resume(entry, Exit.succeed({ to, left: Math.max(0, entry.due - now()) }))
    },
    close: (error) => {
      closed = Exit.fail(error)
      for (const entry of entries) resume(entry, closed)
    }
  }
}
