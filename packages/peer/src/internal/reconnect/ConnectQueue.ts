/**
 * The calls that wait for a connection: in the order they came, bounded in
 * number, each within its own time.
 *
 * Resumption is synchronous, so an entry is gone before its call is resumed, and
 * a call that is admitted has gone out before the next one is.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Disconnected } from "../../CallerError.ts"
import type { Host } from "../runtime/Host.ts"
import { Timer } from "../timer/DeadlineQueue.ts"

/** Why a call may not wait: its time is over, or there is no room. @internal */
export type Refusal = "late" | "full"

/** A call that waits. @internal */
export interface Waits<A, B, E, R> {
  /** Calls that it counts for. */
  readonly size: number
  /** How long it may wait, in milliseconds. */
  readonly milliseconds: number
  /** What it does when it is admitted, with the milliseconds that are left of its time. */
  readonly admitted: (to: A, left: number) => Effect.Effect<B, E, R>
  readonly refused: (refusal: Refusal) => Effect.Effect<B, E, R>
}

interface Entry<A> {
  readonly timer: Timer
  readonly size: number
  readonly resume: (exit: Exit.Exit<A, Disconnected>) => void
}

/** @internal */
export class ConnectQueue<A> {
  /** Calls that may wait. */
  readonly limit: number
  readonly #host: Pick<Host, "log" | "timers">
  readonly #entries = new Set<Entry<A>>()
  #size = 0
  #closed: Exit.Exit<never, Disconnected> | undefined = undefined

  constructor(host: Pick<Host, "log" | "timers">, limit: number) {
    this.#host = host
    this.limit = limit
  }

  /** Waits for `admit`. */
  enter<B, E, R>({ admitted, milliseconds, refused, size }: Waits<A, B, E, R>): Effect.Effect<B, E | Disconnected, R> {
    return Effect.callback((resume) => {
      if (this.#closed !== undefined) return resume(this.#closed)
      if (this.#size + size > this.limit) return resume(refused("full"))
      const { timers } = this.#host
      const due = timers.now() + milliseconds
      const entry: Entry<A> = {
        timer: new Timer(() => {
          if (this.#leave(entry)) resume(refused("late"))
        }),
        size,
        resume: (exit) => resume(Effect.flatMap(exit, (to) => admitted(to, Math.max(0, due - timers.now()))))
      }
      this.#entries.add(entry)
      this.#size += size
      if (milliseconds !== Number.POSITIVE_INFINITY) timers.set(entry.timer, milliseconds)
      return Effect.sync(() => this.#leave(entry))
    })
  }

  /**
   * Admits the calls that wait now, one after the other. Calls that enter meanwhile stay, because a call that always
   * re-enters would never let this end.
   */
  admit(to: A): void {
    for (const entry of [...this.#entries]) this.#resume(entry, Exit.succeed(to))
  }

  /** Fails all, waiting or later. */
  close(error: Disconnected): void {
    this.#closed = Exit.fail(error)
    for (const entry of this.#entries) this.#resume(entry, this.#closed)
  }

  #leave(entry: Entry<A>): boolean {
    if (!this.#entries.delete(entry)) return false
    this.#size -= entry.size
    this.#host.timers.cancel(entry.timer)
    return true
  }

  /** Resumes a call. If that throws, the next call still gets its turn. */
  #resume(entry: Entry<A>, exit: Exit.Exit<A, Disconnected>): void {
    try {
      if (this.#leave(entry)) entry.resume(exit)
    } catch (defect) {
      this.#host.log("what waited for a connection of `Reconnecting` threw", Cause.die(defect))
    }
  }
}
