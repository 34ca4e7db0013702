/**
 * What a server writes in one turn of the event loop: all that has come in is taken first, then the answers leave
 * together.
 *
 * To wake a client that sleeps costs more than to write to it. One that has many calls in flight is woken for all of them
 * at once, and has its next requests ready together, too.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export class Turn {
  readonly #clock: Clock.Clock
  readonly #later: () => void
  #due: Array<() => void> = []
  #since = 0

  constructor(context: Context.Context<never>) {
    this.#clock = Context.get(context, Clock.Clock)
    const later = Effect.andThen(Effect.yieldNow, Effect.sync(() => this.end()))
    this.#later = () => void Effect.runForkWith(context)(later)
  }

  /** Runs it at the end of the turn, or at once where the first one has waited for long enough. It must not throw. */
  add(send: () => void): void {
    const now = this.#clock.currentTimeMillisUnsafe()
    if (this.#due.push(send) === 1) {
      this.#since = now
      this.#later()
    } else if (now - this.#since > patience) this.end()
  }

  /** Ends it now. */
  end(): void {
    const due = this.#due
    this.#due = []
    for (const send of due) send()
  }
}

/** Milliseconds that an answer waits for others whose handlers take long. */
const patience = 1
