/**
 * Waits for the lock that another process has on the file, without holding up the event loop: what finds the file
 * locked is tried again later, and what comes meanwhile waits behind it, each within its own time.
 */
import { Backoff, Monotonic } from "@parley/transport/shared"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** @internal */
export class LockQueue {
  readonly #clock: Clock.Clock
  /** Milliseconds that something may wait. */
  readonly #busy: number
  /** Changes keep their order. */
  readonly #turn = Semaphore.makeUnsafe(1)

  constructor(clock: Clock.Clock, busy: Duration.Duration) {
    this.#clock = clock
    this.#busy = Duration.toMillis(busy)
  }

  /** Runs something of SQLite when its turn has come. Fails with what SQLite throws. */
  run<A>(use: () => A): Effect.Effect<A, unknown> {
    return Effect.suspend(() => {
      const deadline = Monotonic.now(this.#clock) + this.#busy
      return this.#turn.withPermit(this.#attempt(use, deadline, shortest))
    })
  }

  #attempt<A>(use: () => A, deadline: number, pause: number): Effect.Effect<A, unknown> {
    return Effect.catch(
      Effect.try({ try: use, catch: (cause) => cause }),
      (cause) => {
        const left = deadline - Monotonic.now(this.#clock)
        if (left <= 0 || !isBusy(cause)) return Effect.fail(cause)
        return Backoff.spread(Math.min(pause, left)).pipe(
          Effect.flatMap((wait) => this.#clock.sleep(wait)),
          Effect.andThen(Effect.suspend(() => this.#attempt(use, deadline, Math.min(2 * pause, longest))))
        )
      }
    )
  }
}

/** Milliseconds between two attempts. */
const shortest = 2
const longest = 50

/** Whether another process has the lock: `SQLITE_BUSY`, in the last byte of its extended codes, too. */
const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && (cause.errcode & 0xff) === 5
