/**
 * Virtual time, and a scheduler that is a queue: a run is a pure function of what is put into it.
 *
 * There are two clocks over one time. The actions of the scenario are *work*; a sleep of the code under test is a
 * *deadline*. The world is at rest when no work is left and no deadline is near, so that a call that waits for nothing
 * but its timeout is told from one that is still served.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"

/** Something that happens at a time, unless it is cancelled. */
interface Event {
  readonly at: number
  readonly isWork: boolean
  run: (() => void) | undefined
}

/** Microtasks that may follow from each other before time goes on. */
const hops = 8

/** Events of one run. More never come to an end. */
const most = 400_000

/** @internal */
export class World {
  now = 0
  /** Whether there were more events than a scenario can have. */
  isEndless = false
  readonly context: Context.Context<never>
  /** The clock of handlers. */
  readonly work: Clock.Clock
  /** Runs after each event, when nothing moves before the next one. */
  onQuiet: () => void = () => {}
  /** The next event is the last one. */
  readonly #events: Array<Event> = []
  #work = 0
  #count = 0
  #tasks: Array<{ readonly run: () => void; readonly priority: number }> = []
  readonly #gates = new Map<number, Array<() => void>>()

  constructor() {
    this.work = this.#clock(true)
    const draw = random(1)
    this.context = Context.make(Clock.Clock, this.#clock(false)).pipe(
      Context.add(Scheduler.Scheduler, this.#scheduler()),
      Context.add(References.MinimumLogLevel, "None"),
      Context.add(Random.Random, { nextDoubleUnsafe: draw, nextIntUnsafe: () => Math.floor(draw() * 2 ** 32) })
    )
  }

  /** Runs an effect in this world. It begins at once. */
  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.context)(effect)
  }

  /** Does something later. Gives how to cancel it. */
  after(milliseconds: number, run: () => void, isWork = true): () => void {
    const event: Event = { at: this.now + Math.max(0, milliseconds), isWork, run }
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle]?.at ?? 0) > event.at) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, event)
    if (isWork) this.#work++
    return () => {
      if (event.run === undefined) return
      event.run = undefined
      if (isWork) this.#work--
    }
  }

  /** Waits for a moment. All who wait for the same one go on in the same turn. */
  readonly gate = (at: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      if (at <= this.now) return resume(Effect.void)
      const waiting = this.#gates.get(at) ?? []
      const goOn = () => resume(Effect.void)
      waiting.push(goOn)
      if (waiting.length === 1) {
        this.#gates.set(at, waiting)
        this.after(at - this.now, () => {
          this.#gates.delete(at)
          for (const wake of [...waiting]) wake()
        })
      }
      return Effect.sync(() => void waiting.splice(waiting.indexOf(goOn), 1))
    })

  /** Lets time go on until no work is left, and no deadline is due within so many milliseconds; or until a moment. */
  async rest(near: number, last = Number.POSITIVE_INFINITY): Promise<void> {
    for (;;) {
      await this.#settle()
      this.onQuiet()
      const event = this.#next()
      if (event === undefined || event.at > last || (this.#work === 0 && event.at > this.now + near)) {
        // Longer chains of microtasks than expected end before the next turn of the runtime.
        await Effect.runPromise(Effect.yieldNow)
        if (this.#tasks.length > 0 || this.#next() !== event) continue
        return
      }
      if (++this.#count > most) {
        this.isEndless = true
        return
      }
      this.#events.pop()
      this.now = event.at
      const { run } = event
      event.run = undefined
      if (event.isWork) this.#work--
      run?.()
    }
  }

  /** The next event that is not cancelled. */
  #next(): Event | undefined {
    for (;;) {
      const event = this.#events.at(-1)
      if (event === undefined || event.run !== undefined) return event
      this.#events.pop()
    }
  }

  /** Lets everything run that can run now. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < hops; quiet++) {
      await undefined
      if (this.#tasks.length === 0) continue
      quiet = 0
      this.#runTasks()
    }
  }

  #runTasks() {
    const tasks = this.#tasks
    this.#tasks = []
    if (tasks.some(({ priority }) => priority !== 0)) tasks.sort((a, b) => a.priority - b.priority)
    for (const { run } of tasks) run()
  }

  #scheduler(): Scheduler.Scheduler {
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: (run, priority) => void this.#tasks.push({ run, priority }),
      flush: () => {
        while (this.#tasks.length > 0) this.#runTasks()
      }
    }
    return {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
      makeDispatcher: () => dispatcher
    }
  }

  #clock(isWork: boolean): Clock.Clock {
    const nanos = () => BigInt(Math.round(this.now * 1e6))
    return {
      currentTimeMillisUnsafe: () => this.now,
      currentTimeMillis: Effect.sync(() => this.now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback((resume) =>
          Effect.sync(this.after(Duration.toMillis(duration), () => resume(Effect.void), isWork))
        )
    }
  }
}

/** Numbers from 0 to 1, without 1, by a seed (mulberry32). @internal */
export const random = (seed: number): () => number => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
