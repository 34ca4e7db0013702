/**
 * The places that a listener has for connections.
 *
 * A connection takes a place when it is accepted and gives it back when its
 * handler has ended. When all are taken, a connection is closed and its place
 * passes to the new one: the oldest that has never sent a whole text, once it is
 * `silentTime` old, or else the one that has been idle longest, for `idleTime` at
 * least. Where there is none the new one is refused.
 *
 * Every text comes by here, so that it only notes the time. The order learns of that when a full listener looks for the
 * connection that has been idle longest: once in `idleTime` for each connection.
 *
 * Behind a balancer of TCP all clients have one address, so that a share for each
 * address is an option.
 */
import { Excerpt } from "@parley/protocol/shared"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as BoundedLog from "../shared/BoundedLog.ts"
import * as Monotonic from "../shared/Monotonic.ts"
import * as Occupancy from "../shared/Occupancy.ts"
import { absent, LeastFirst, type Waiting } from "./leastFirst.ts"

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
    this.#order = { clock, silent: new LeastFirst(), spoken: new LeastFirst() }
  }

  /** Whether a connection would give way to a new one now. */
  hasIdle(): boolean {
    return this.#first() !== undefined
  }

  /** Runs `accepted` in a place, else `refused`. The fiber that runs this belongs to the connection alone. */
  admit<R>({ accepted, address, from, refused }: Newcomer<R>): Effect.Effect<void, never, R> {
    return Effect.withFiber((fiber) => {
      const { connections, perAddress } = this.#bounds
      const name = Excerpt.line(address)
      if (perAddress !== undefined && this.#from(from) >= perAddress) {
        return this.#refuse(refused, (others) =>
          // escaped: numbers of ours
          Effect.logWarning(`Refused a connection to ${name}: its address has ${perAddress}, its share${others}`))
      }
      const leaving = this.#taken < connections ? undefined : this.#first()
      if (leaving === undefined && this.#taken >= connections) {
        return this.#refuse(refused, (others) =>
          // escaped: numbers of ours
          Effect.logWarning(`Refused a connection to ${name}: ${this.#taken} are open${others}`))
      }
      if (leaving !== undefined) this.#give(leaving)
      const place = new Place(fiber, this.#order, from)
      this.#taken++
      if (from !== undefined) this.#addresses.set(from, this.#from(from) + 1)
      const leave = Effect.sync(() => this.#give(place))
      const run = Effect.provideService(accepted, Occupancy.Occupancy, place)
      return Effect.ensuring(
        leaving === undefined ? run : Effect.andThen(Effect.onInterrupt(leaving.end(name), () => refused), run),
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

  #refuse(refused: Effect.Effect<void>, tell: (others: string) => Effect.Effect<void>): Effect.Effect<void> {
    return Effect.andThen(this.#bounded(tell), refused)
  }

  /** The connection that gives way to a new one now, if one does. */
  #first(): Place | undefined {
    const now = Monotonic.now(this.#order.clock)
    const { silent, spoken } = this.#order
    return longest(silent, now - silentTime) ?? longest(spoken, now - idleTime)
  }
}

/** The connections that may give way: those that have sent nothing, by age, and the others, by their last traffic. */
interface Order {
  readonly clock: Clock
  readonly silent: LeastFirst<Place>
  readonly spoken: LeastFirst<Place>
}

/** The place that has been idle longest, if it has been since `then`. What the order knows, in `need`, may be old. */
const longest = (order: LeastFirst<Place>, then: number): Place | undefined => {
  for (let { first } = order; first !== undefined && first.need <= then; first = order.first) {
    if (!first.isBusy && first.need === first.idleSince) return first
    order.delete(first)
    if (!first.isBusy) order.add(first, first.idleSince)
  }
  return undefined
}

/** The place of one connection. */
class Place implements Occupancy.Occupancy, Waiting {
  need = 0
  since = 0
  place = absent
  /** The address of the other side, where it is known. */
  readonly from: string | undefined
  readonly #fiber: Fiber.Fiber<unknown, unknown>
  readonly #order: Order
  #hasSpoken = false
  #isOpen = true
  isBusy = false
  /** When something came, went or waited last; of a connection that has sent nothing, when it was opened. */
  #moved: bigint

  constructor(fiber: Fiber.Fiber<unknown, unknown>, order: Order, from: string | undefined) {
    this.from = from
    this.#fiber = fiber
    this.#order = order
    this.#moved = order.clock.monotonicTimeNanosUnsafe()
    this.#stand()
  }

  get idleSince(): number {
    return Monotonic.millis(this.#moved)
  }

  touch(): void {
    if (this.#hasSpoken && !this.isBusy) this.#moved = this.#order.clock.monotonicTimeNanosUnsafe()
  }

  speak(): void {
    if (!this.#hasSpoken) {
      this.#order.silent.delete(this)
      this.#hasSpoken = true
      this.#stand()
    }
    this.touch()
  }

  mark(isBusy: boolean): void {
    if (isBusy === this.isBusy) return
    this.isBusy = isBusy
    // Its work may be ours alone: what we send to a silent client, or ask it, is no text of the client.
    this.touch()
    this.#stand()
  }

  /** Leaves the order. Returns `false` where it has left before. */
  leave(): boolean {
    const wasOpen = this.#isOpen
    this.#isOpen = false
    this.#line.delete(this)
    return wasOpen
  }

  /** Closes the connection in order, and waits for it. */
  end(name: string): Effect.Effect<void> {
    const seconds = Math.floor((Monotonic.now(this.#order.clock) - this.idleSince) / 1_000)
    return Effect.andThen(
      this.#hasSpoken
        // escaped: a number of ours
        ? Effect.logInfo(`Closed a connection to ${name} that was idle for ${seconds} s, for a new one`)
        // escaped: a number of ours
        : Effect.logInfo(`Closed a connection to ${name} that had sent nothing for ${seconds} s, for a new one`),
      Fiber.interrupt(this.#fiber)
    )
  }

  /** Those that it stands among. */
  get #line(): LeastFirst<Place> {
    return this.#hasSpoken ? this.#order.spoken : this.#order.silent
  }

  /** Stands in the order, unless it does. A busy one need not, but may. */
  #stand(): void {
    if (this.#isOpen && this.place === absent && !this.isBusy) this.#line.add(this, this.idleSince)
  }
}
