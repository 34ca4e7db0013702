/**
 * A shared timer for streams on which nothing happens and for answers that take long. It does not run when nothing
 * waits for it.
 */
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** @internal */
export class Pulse {
  readonly #interval: Duration.Duration
  readonly #context: Context.Context<never>
  readonly #beats = new Set<() => void>()
  #isRunning = false
  #timer: Fiber.Fiber<void> | undefined

  constructor(interval: Duration.Duration, context: Context.Context<never>) {
    this.#interval = interval
    this.#context = context
  }

  /** Has a function called at each beat, the first time within one interval. */
  add(beat: () => void) {
    this.#beats.add(beat)
    if (this.#isRunning) return
    this.#isRunning = true
    this.#timer = this.fork(this.#run)
  }

  remove(beat: () => void) {
    this.#beats.delete(beat)
  }

  /** Runs what a beat leads to, which waits for nobody but its client. */
  fork(effect: Effect.Effect<void>): Fiber.Fiber<void> {
    return Effect.runForkWith(this.#context)(effect)
  }

  /** Leaves no timer behind: one that is not due keeps a process from its end. */
  stop() {
    this.#isRunning = false
    this.#timer?.interruptUnsafe()
  }

  readonly #run: Effect.Effect<void> = Effect.suspend(() => Effect.sleep(this.#interval)).pipe(
    Effect.andThen(Effect.suspend(() => {
      for (const beat of [...this.#beats]) beat()
      this.#isRunning = this.#beats.size > 0
      return this.#isRunning ? this.#run : Effect.void
    }))
  )
}
