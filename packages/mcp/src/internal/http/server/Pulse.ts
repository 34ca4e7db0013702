/**
 * A shared timer for streams on which nothing happens and for answers that take long. It does not run when nothing
 * waits for it.
 */
import { Roster } from "@parley/transport/shared"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** A member of a pulse, which calls it at each beat. @internal */
export interface Beating extends Roster.Linked<Beating> {
  readonly beat: () => void
}

/** Calls a function at each beat. @internal */
export const beatingBy = (beat: () => void): Beating => ({ beat, earlier: undefined, later: undefined })

/** @internal */
export class Pulse {
  readonly #interval: Duration.Duration
  readonly #context: Context.Context<never>
  readonly #beating = new Roster.Roster<Beating>()
  #isRunning = false
  #timer: Fiber.Fiber<void> | undefined

  constructor(interval: Duration.Duration, context: Context.Context<never>) {
    this.#interval = interval
    this.#context = context
  }

  /** Has it called at each beat, the first time within one interval. It is in no other pulse. */
  add(beating: Beating) {
    this.#beating.add(beating)
    if (this.#isRunning) return
    this.#isRunning = true
    this.#timer = this.fork(this.#run)
  }

  remove(beating: Beating) {
    this.#beating.delete(beating)
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
      for (const { beat } of this.#beating.all()) beat()
      this.#isRunning = this.#beating.size > 0
      return this.#isRunning ? this.#run : Effect.void
    }))
  )
}
