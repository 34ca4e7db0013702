/**
 * The places that a listener has for connections.
 *
 * A connection takes a place when it is accepted and gives it back when its
 * handler has ended. When all are taken, the connection that has been idle longest
 * is closed and its place passes to the new one; where none has been idle for
 * `idleTime`, the new one is refused.
 */
import * as Excerpt from "@parley/protocol/text/Excerpt"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Occupancy from "../host/Occupancy.ts"
import * as Monotonic from "../Monotonic.ts"

/** Milliseconds without traffic or work after which a connection gives way. Longer than most pauses between calls. */
export const idleTime = 60_000

export class Places {
  readonly #connections: number
  readonly #clock: Clock
  readonly #open = new Set<Place>()
  #taken = 0

  constructor(connections: number, clock: Clock) {
    this.#connections = connections
    this.#clock = clock
  }

  /** Whether a connection would give way to a new one now. */
  hasIdle(): boolean {
    return this.#longestIdle() !== undefined
  }

  /** Runs `accepted` in a place, else `refused`. The fiber that runs this belongs to the connection alone. */
  admit<R>(
    address: string,
    accepted: Effect.Effect<void, never, R>,
    refused: Effect.Effect<void>
  ): Effect.Effect<void, never, R> {
    return Effect.withFiber((fiber) => {
      const idle = this.#taken < this.#connections ? undefined : this.#longestIdle()
      if (idle === undefined && this.#taken >= this.#connections) {
        // escaped: a count of ours
        const told = Effect.logWarning(`Refused a connection to ${Excerpt.line(address)}: ${this.#taken} are open`)
        return Effect.andThen(told, refused)
      }
      const place = new Place(fiber, this.#clock)
      if (idle === undefined) this.#taken++
      else this.#open.delete(idle)
      this.#open.add(place)
      const leave = Effect.sync(() => {
        // A place that was passed on is no longer this connection's to give back.
        if (this.#open.delete(place)) this.#taken--
      })
      const run = Effect.provideService(accepted, Occupancy.Occupancy, place)
      return Effect.ensuring(
        idle === undefined ? run : Effect.andThen(Effect.onInterrupt(idle.end(address), () => refused), run),
        leave
      )
    })
  }

  #longestIdle(): Place | undefined {
    const before = Monotonic.now(this.#clock) - idleTime
    let longest: Place | undefined
    for (const place of this.#open) {
      if (place.isBusy || place.since > before) continue
      if (longest === undefined || place.since < longest.since) longest = place
    }
    return longest
  }
}

/** The place of one connection. */
class Place implements Occupancy.Occupancy {
  readonly #fiber: Fiber.Fiber<unknown, unknown>
  readonly #clock: Clock
  isBusy = false
  /** Since when nothing came, went or waited. */
  since: number

  constructor(fiber: Fiber.Fiber<unknown, unknown>, clock: Clock) {
    this.#fiber = fiber
    this.#clock = clock
    this.since = Monotonic.now(clock)
  }

  readonly touch = (): void => {
    this.since = Monotonic.now(this.#clock)
  }

  readonly mark = (isBusy: boolean): void => {
    if (isBusy === this.isBusy) return
    this.isBusy = isBusy
    this.touch()
  }

  /** Closes the connection in order, and waits for it. */
  end(address: string): Effect.Effect<void> {
    const seconds = Math.floor((Monotonic.now(this.#clock) - this.since) / 1_000)
    return Effect.andThen(
      // escaped: seconds of ours
      Effect.logInfo(`Closed a connection to ${Excerpt.line(address)} that was idle for ${seconds} s, for a new one`),
      Fiber.interrupt(this.#fiber)
    )
  }
}
