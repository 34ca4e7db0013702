/**
 * The places that a listener has for connections.
 *
 * A connection takes a place when it is accepted and gives it back when its
 * handler has ended. When all are taken, a connection is closed and its place
 * passes to the new one: the oldest that has never sent a whole text, once it is
 * `silentTime` old, or else the one that has been idle longest, for `idleTime` at
 * least. Where there is none the new one is refused.
 *
 * Behind a balancer of TCP all clients have one address, so that a share for each
 * address is an option.
 */
import * as Excerpt from "@parley/protocol/text/Excerpt"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as BoundedLog from "../host/BoundedLog.ts"
import * as Occupancy from "../host/Occupancy.ts"
import { type Linked, Roster } from "../host/Roster.ts"
import * as Monotonic from "../Monotonic.ts"

/** Milliseconds without traffic or work after which a connection gives way. Longer than most pauses between calls. */
export const idleTime = 60_000

/** Milliseconds in which a client has sent its first text, else it gives way. */
export const silentTime = 5_000

/** The bounds of `Places`. */
export interface Bounds {
  /** Connections that may be open at once. */
  readonly connections: number
  /** How many of them may come from one address. */
  readonly perAddress?: number | undefined
}

/** A connection that asks for a place. */
export interface Newcomer<R> {
  /** The address of the listener. */
  readonly address: string
  /** The address of the other side, where it is known. */
  readonly from?: string | undefined
  readonly accepted: Effect.Effect<void, never, R>
  readonly refused: Effect.Effect<void>
}

export class Places {
  readonly #bounds: Bounds
  readonly #bounded = BoundedLog.make()
  readonly #order: Order
  readonly #addresses = new Map<string, number>()
  #taken = 0

  constructor(bounds: Bounds, clock: Clock) {
    this.#bounds = bounds
    this.#order = { clock, silent: new Roster(), idle: new Roster() }
  }

  /** Whether a connection would give way to a new one now. */
  hasIdle(): boolean {
    return this.#first() !== undefined
  }

  /** Runs `accepted` in a place, else `refused`. The fiber that runs this belongs to the connection alone. */
  admit<R>({ accepted, address, from, refused }: Newcomer<R>): Effect.Effect<void, never, R> {
    return Effect.withFiber((fiber) => {
      const { connections, perAddress } = this.#bounds
      if (perAddress !== undefined && this.#from(from) >= perAddress) {
        return this.#refuse(
          (others) =>
            Effect.logWarning(
              // escaped: numbers of ours
              `Refused a connection to ${Excerpt.line(address)}: its address has ${perAddress}, its share${others}`
            ),
          refused
        )
      }
      const leaving = this.#taken < connections ? undefined : this.#first()
      if (leaving === undefined && this.#taken >= connections) {
        return this.#refuse(
          (others) =>
            // escaped: numbers of ours
            Effect.logWarning(`Refused a connection to ${Excerpt.line(address)}: ${this.#taken} are open${others}`),
          refused
        )
      }
      if (leaving !== undefined) this.#give(leaving)
      const place = new Place(fiber, this.#order, from)
      this.#taken++
      if (from !== undefined) this.#addresses.set(from, this.#from(from) + 1)
      const leave = Effect.sync(() => this.#give(place))
      const run = Effect.provideService(accepted, Occupancy.Occupancy, place)
      return Effect.ensuring(
        leaving === undefined ? run : Effect.andThen(Effect.onInterrupt(leaving.end(address), () => refused), run),
        leave
      )
    })
  }

  /** Takes a place back. One that was passed on is no longer its connection's to give. */
  #give(place: Place): void {
    if (!place.leave()) return
    this.#taken--
    if (place.from === undefined) return
    const others = this.#from(place.from) - 1
    if (others > 0) this.#addresses.set(place.from, others)
    else this.#addresses.delete(place.from)
  }

  #from(address: string | undefined): number {
    return address === undefined ? 0 : this.#addresses.get(address) ?? 0
  }

  #refuse(tell: (others: string) => Effect.Effect<void>, refused: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.andThen(this.#bounded(tell), refused)
  }

  /** The connection that gives way to a new one now, if one does. */
  #first(): Place | undefined {
    const now = Monotonic.now(this.#order.clock)
    const { first: idle } = this.#order.idle
    let { first: silent } = this.#order.silent
    while (silent?.isBusy === true) silent = silent.later
    if (silent !== undefined && silent.since <= now - silentTime) return silent
    return idle !== undefined && idle.since <= now - idleTime ? idle : undefined
  }
}

/** The connections that may give way: those that have sent nothing, by age, and the others, by their last traffic. */
interface Order {
  readonly clock: Clock
  readonly silent: Roster<Place>
  readonly idle: Roster<Place>
}

/** The place of one connection. */
class Place implements Occupancy.Occupancy, Linked<Place> {
  earlier: Place | undefined = undefined
  later: Place | undefined = undefined
  /** The address of the other side, where it is known. */
  readonly from: string | undefined
  readonly #fiber: Fiber.Fiber<unknown, unknown>
  readonly #order: Order
  /** The roster in which it may give way. */
  #roster: Roster<Place> | undefined
  #hasSpoken = false
  #isOpen = true
  isBusy = false
  /** Since when nothing came, went or waited; of a connection that has sent nothing, since when it is open. */
  since: number

  constructor(fiber: Fiber.Fiber<unknown, unknown>, order: Order, from: string | undefined) {
    this.from = from
    this.#fiber = fiber
    this.#order = order
    this.since = Monotonic.now(order.clock)
    this.#stand()
  }

  readonly touch = (): void => {
    if (this.#hasSpoken) this.#moved()
  }

  readonly speak = (): void => {
    this.#hasSpoken = true
    this.#moved()
  }

  readonly mark = (isBusy: boolean): void => {
    if (isBusy === this.isBusy) return
    this.isBusy = isBusy
    // Its work may be ours alone: what we send to a silent client, or ask it, is no text of the client.
    if (this.#hasSpoken) this.#moved()
  }

  /** Leaves the order. Returns `false` where it has left before. */
  leave(): boolean {
    const wasOpen = this.#isOpen
    this.#isOpen = false
    this.#stand()
    return wasOpen
  }

  /** Closes the connection in order, and waits for it. */
  end(address: string): Effect.Effect<void> {
    const seconds = Math.floor((Monotonic.now(this.#order.clock) - this.since) / 1_000)
    const name = Excerpt.line(address)
    return Effect.andThen(
      this.#hasSpoken
        // escaped: a number of ours
        ? Effect.logInfo(`Closed a connection to ${name} that was idle for ${seconds} s, for a new one`)
        // escaped: a number of ours
        : Effect.logInfo(`Closed a connection to ${name} that had sent nothing for ${seconds} s, for a new one`),
      Fiber.interrupt(this.#fiber)
    )
  }

  #moved(): void {
    this.since = Monotonic.now(this.#order.clock)
    this.#stand()
  }

  /** Stands last in its roster, or in none. One that has sent nothing keeps its age there, also while it is busy. */
  #stand(): void {
    const { idle, silent } = this.#order
    this.#roster?.delete(this)
    this.#roster = !this.#isOpen ? undefined : !this.#hasSpoken ? silent : this.isBusy ? undefined : idle
    this.#roster?.add(this)
  }
}
