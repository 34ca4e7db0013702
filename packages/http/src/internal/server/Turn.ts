/**
 * Collects the answers of one turn of the event loop, and writes them together at its end.
 *
 * Waking a client that sleeps costs more than writing to it. A client with many calls in flight is woken once for all of
 * them, and sends its next requests together, too. Where only timers tell when a turn is over, each answer leaves at
 * once: a timer would hold it up for a millisecond or more.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Scheduler from "effect/Scheduler"

export class Turn {
  readonly #clock: Clock.Clock
  readonly #dispatcher: Scheduler.SchedulerDispatcher
  readonly #most: number
  #due: Array<() => void> = []
  #since = 0
  #later: Array<() => void> = []
  #isAwaited = false

  /** Collects no more than so many answers. */
  constructor(context: Context.Context<never>, most: number) {
    this.#clock = Context.get(context, Clock.Clock)
    this.#dispatcher = Context.get(context, Scheduler.Scheduler).makeDispatcher()
    this.#most = most
  }

  /** Runs `send` at the end of the turn, or now where the first answer has waited for too long. It must not throw. */
  add(send: () => void): void {
    if (!endsByItself) return send()
    const now = this.#clock.currentTimeMillisUnsafe()
    const waiting = this.#due.push(send)
    if (waiting === 1) {
      this.#since = now
      this.#await()
    }
    if (waiting >= this.#most || now - this.#since > patience) this.end()
  }

  /** Runs this when the turn has ended, and its answers have left. It must not throw. */
  after(run: () => void): void {
    this.#later.push(run)
    this.#await()
  }

  /** Sends all answers that wait now. */
  end(): void {
    const due = this.#due
    this.#due = []
    for (const send of due) send()
  }

  #await(): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    this.#dispatcher.scheduleTask(this.#over, 0)
  }

  readonly #over = (): void => {
    this.#isAwaited = false
    const later = this.#later
    this.#later = []
    this.end()
    for (const run of later) run()
  }
}

/** Milliseconds. An answer that has waited for longer leaves with the next one: no handler but one can keep it. */
const patience = 1

/** Whether the scheduler of Effect knows the end of a turn. */
const endsByItself = "setImmediate" in globalThis
