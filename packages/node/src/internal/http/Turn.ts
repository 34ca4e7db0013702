/**
 * Collects the answers of one turn of the event loop, and writes them together at its end.
 *
 * Waking a client that sleeps costs more than writing to it. A client with many calls in flight is woken once for all of
 * them, and sends its next requests together, too.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export class Turn {
  readonly #clock: Clock.Clock
  readonly #most: number
  readonly #later: () => void
  #due: Array<() => void> = []
  #since = 0

  /** Collects no more than so many answers. */
  constructor(context: Context.Context<never>, most: number) {
    this.#clock = Context.get(context, Clock.Clock)
    this.#most = most
    const later = Effect.andThen(Effect.yieldNow, Effect.sync(() => this.end()))
    this.#later = () => void Effect.runForkWith(context)(later)
  }

  /** Runs `send` at the end of the turn, or now where the first answer has waited for too long. It must not throw. */
  add(send: () => void): void {
    const now = this.#clock.currentTimeMillisUnsafe()
    const waiting = this.#due.push(send)
    if (waiting === 1) {
      this.#since = now
      this.#later()
    }
    if (waiting >= this.#most || now - this.#since > patience) this.end()
  }

  /** Runs all that waits now. */
  end(): void {
    const due = this.#due
    this.#due = []
    for (const send of due) send()
  }
}

/** Milliseconds. An answer that has waited for longer leaves with the next one: no handler but one can keep it. */
const patience = 1
