/**
 * All deadlines of a conversation on one fiber.
 *
 * Deadlines with the same wait fall due in the order they were set. So each wait
 * has a bucket of its own, and setting or cancelling a deadline moves a few
 * pointers instead of a timer. The fiber sleeps on `Clock` until the first
 * deadline of all buckets. It does not exist while nothing is due, so that an
 * idle connection keeps no process alive.
 *
 * Promise 21: a deadline never passes early, and at most 10 ms of clock time
 * late. One whose `expire` throws is logged and stops no other.
 */
import { Excerpt } from "@parley/protocol/shared"
import { Monotonic, Roster } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"

/** Something that happens unless it is cancelled in time. */
export abstract class Deadline implements Roster.Linked<Deadline> {
  /** The bucket it stands in. The queue owns this, and when it falls due. */
  bucket: Bucket | undefined = undefined
  due = 0
  earlier: Deadline | undefined = undefined
  later: Deadline | undefined = undefined

  abstract expire(): void
}

/** Deadlines of one wait, in the order they fall due. */
class Bucket extends Roster.Roster<Deadline> {
  readonly wait: number

  constructor(wait: number) {
    super()
    this.wait = wait
  }
}

/** A deadline that runs a function. */
export class Timer extends Deadline {
  readonly #run: () => void

  constructor(run: () => void) {
    super()
    this.#run = run
  }

  override expire() {
    this.#run()
  }
}

/** Waits and due times are rounded up to so many milliseconds: a deadline is late by less than two of these. */
const grain = 5

const roundUp = (milliseconds: number) => Math.ceil(milliseconds / grain) * grain

/** The longest sleep that the timers of the runtimes take. */
const longest = 2 ** 31 - 1

export class DeadlineQueue {
  readonly #context: Context.Context<never>
  readonly #clock: Clock.Clock
  #buckets: Map<number, Bucket> | undefined = undefined
  /** The bucket that was used last, which most often is the next one, too. It may be empty; others are not. */
  #current: Bucket | undefined = undefined
  #fiber: Fiber.Fiber<void> | undefined = undefined
  /** When the fiber wakes up. While deadlines expire, nothing wakes it earlier: it looks for the earliest afterwards. */
  #wakes = Number.POSITIVE_INFINITY
  #dispatcher: Scheduler.SchedulerDispatcher | undefined = undefined
  #willStop = false

  constructor(context: Context.Context<never>) {
    this.#context = context
    this.#clock = Context.get(context, Clock.Clock)
  }

  /** Milliseconds on the clock that `due` is of. It never goes back. */
  now(): number {
    return Monotonic.now(this.#clock)
  }

  set(deadline: Deadline, milliseconds: number): void {
    const wait = roundUp(milliseconds)
    const bucket = this.#current?.wait === wait ? this.#current : this.#bucketFor(wait)
    // A wait of 0 is over at once, whatever grain the others have.
    const due = wait === 0 ? this.now() : roundUp(this.now() + wait)
    deadline.bucket = bucket
    deadline.due = due
    bucket.add(deadline)
    if (due < this.#wakes) this.#wakeAt(due)
  }

  cancel(deadline: Deadline): void {
    if (deadline.bucket === undefined) return
    this.#remove(deadline)
    if (this.#isEmpty()) this.#stopSoon()
  }

  /** Forgets all deadlines. */
  clear(): void {
    for (const bucket of this.#buckets?.values() ?? []) {
      while (bucket.first !== undefined) this.#remove(bucket.first)
    }
    this.#stop()
  }

  #bucketFor(wait: number): Bucket {
    const buckets = this.#buckets ??= new Map()
    if (this.#current !== undefined && this.#current.first === undefined) buckets.delete(this.#current.wait)
    const bucket = buckets.get(wait) ?? new Bucket(wait)
    buckets.set(wait, bucket)
    return this.#current = bucket
  }

  #remove(deadline: Deadline): void {
    const { bucket } = deadline
    if (bucket === undefined) return
    bucket.delete(deadline)
    deadline.bucket = undefined
    if (bucket.first === undefined && bucket !== this.#current) this.#buckets?.delete(bucket.wait)
  }

  #isEmpty(): boolean {
    const count = this.#buckets?.size ?? 0
    return count === 0 || (count === 1 && this.#current?.first === undefined)
  }

  #earliest(): number {
    let due = Number.POSITIVE_INFINITY
    for (const { first } of this.#buckets?.values() ?? []) {
      if (first !== undefined && first.due < due) due = first.due
    }
    return due
  }

  #expireDue(): void {
    const time = this.now()
    const due: Array<Deadline> = []
    for (const { first } of this.#buckets?.values() ?? []) {
      for (let next = first; next !== undefined && next.due <= time; next = next.later) due.push(next)
    }
    due.sort((a, b) => a.due - b.due)
    for (const deadline of due) {
      // One that expired before may have cancelled this one, or set it again.
      if (deadline.bucket === undefined || deadline.due > time) continue
      this.#remove(deadline)
      this.#expire(deadline)
    }
  }

  #expire(deadline: Deadline): void {
    try {
      deadline.expire()
    } catch (defect) {
      this.#fork(Effect.logWarning("the `expire` of a deadline threw", Excerpt.cause(Cause.die(defect))))
    }
  }

  readonly #sweep: Effect.Effect<void> = Effect.suspend(() => {
    this.#wakes = Number.NEGATIVE_INFINITY
    this.#expireDue()
    this.#wakes = this.#earliest()
    if (this.#wakes < Number.POSITIVE_INFINITY) return this.#sleep(this.#wakes - this.now())
    this.#fiber = undefined
    return Effect.void
  })

  #sleep(milliseconds: number): Effect.Effect<void> {
    const pause = Math.min(Math.max(milliseconds, 0), longest)
    return Effect.flatMap(this.#clock.sleep(Duration.millis(pause)), () => this.#sweep)
  }

  #fork<A>(effect: Effect.Effect<A>): Fiber.Fiber<A> {
    return Effect.runForkWith(this.#context)(effect)
  }

  /** Wakes up at a time before the others. It looks at no other deadline, or calls with ever less time would cost more. */
  #wakeAt(due: number): void {
    const left = due - this.now()
    this.#fiber?.interruptUnsafe()
    this.#wakes = due
    this.#fiber = this.#fork(left > 0 ? this.#sleep(left) : this.#sweep)
  }

  #stop(): void {
    // While deadlines expire it stops by itself, if none is left.
    if (this.#wakes === Number.NEGATIVE_INFINITY) return
    this.#fiber?.interruptUnsafe()
    this.#fiber = undefined
    this.#wakes = Number.POSITIVE_INFINITY
  }

  /** Stops the fiber unless the turn that emptied the queue fills it again, as a caller in a loop does. */
  #stopSoon(): void {
    if (this.#willStop) return
    this.#willStop = true
    this.#dispatcher ??= Context.get(this.#context, Scheduler.Scheduler).makeDispatcher()
    this.#dispatcher.scheduleTask(() => {
      this.#willStop = false
      if (this.#isEmpty()) this.#stop()
    }, 0)
  }
}

/** A duration in milliseconds. A number is one already, so that a timeout computed once is not read for each call. @internal */
export const timeoutMillis = (duration: Duration.Input): number =>
  typeof duration === "number" && duration >= 0 ? duration : Duration.toMillis(Duration.fromInputUnsafe(duration))

/** The timeout of calls that set none, 30 seconds where their caller sets none either. @internal */
export const defaultTimeout = (timeout: Duration.Input | undefined): number =>
  timeout === undefined ? 30_000 : timeoutMillis(timeout)
