/**
 * The events of subscriptions that come as notifications of one method. A caller has one listener for all of these
 * subscriptions, and the listener finds a subscription by its id: an event costs the same however many are open.
 *
 * The response to the opening request tells the id, and events may come before it. They wait here, by their id, as long
 * as some subscription opens.
 */
import type { Caller, Disconnected, NotificationListener } from "@parley/peer/Caller"
import type * as Message from "@parley/protocol/Message"
import { ExactNumber, JsonObject } from "@parley/protocol/shared"
import { Roster } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Notifications } from "../../Subscription.ts"

/** The id of a subscription. Digits of items may be kept, and ids are compared as doubles. */
export type Id = string | number

/** One subscription, as the listener knows it. */
export class Subscriber implements Roster.Linked<Subscriber> {
  earlier: Subscriber | undefined = undefined
  later: Subscriber | undefined = undefined
  /** How many events had waited, and how many were lost, when it began to open. */
  since = 0
  lost = 0
  /** Takes an event of this subscription. */
  readonly accept: (event: Schema.JsonObject) => void
  /** Hears that nothing more will come. */
  readonly end: (error: Disconnected) => void

  constructor(accept: (event: Schema.JsonObject) => void, end: (error: Disconnected) => void) {
    this.accept = accept
    this.end = end
  }
}

interface Early {
  readonly number: number
  readonly event: Schema.JsonObject
}

/** Events that wait for their subscription to open, for each that opens. */
const mostEarly = 1024

export class Events implements NotificationListener {
  readonly exact: boolean
  readonly #idMember: string
  readonly #open = new Map<Id, Set<Subscriber>>()
  readonly #opening = new Roster.Roster<Subscriber>()
  /** Events of ids that no open subscription has: those of the oldest ids first. */
  readonly #early = new Map<Id, Array<Early>>()
  #waiting = 0
  #number = 0
  #lost = 0
  /** The Scope in which it listens, and the subscriptions that use it. */
  readonly scope = Scope.makeUnsafe()
  users = 0
  /** Whether new subscriptions come by another connection, or by none. */
  isPast = false

  constructor(idMember: string, exact: boolean) {
    this.#idMember = idMember
    this.exact = exact
  }

  /** Keeps early events for a subscription from now on, until it is opened or left. */
  opens(subscriber: Subscriber): void {
    subscriber.since = this.#number
    subscriber.lost = this.#lost
    this.#opening.add(subscriber)
  }

  /** Hands a subscription the events that have come already, and from now on those that come. Returns how many may be lost. */
  opened(subscriber: Subscriber, id: Id): number {
    const early = this.#earlyAfter(id, subscriber.since)
    this.#closesOpening(subscriber)
    const others = this.#open.get(id)
    if (others === undefined) this.#open.set(id, new Set([subscriber]))
    else others.add(subscriber)
    for (const { event } of early) subscriber.accept(event)
    return this.#lost - subscriber.lost
  }

  /** A subscription is over: one with an id, or one that was still opening. */
  leaves(subscriber: Subscriber, id: Id | undefined): void {
    if (id === undefined) return this.#closesOpening(subscriber)
    const subscribers = this.#open.get(id)
    if (subscribers?.delete(subscriber) === true && subscribers.size === 0) this.#open.delete(id)
  }

  readonly take = (event: Message.Params | undefined): boolean => {
    if (!JsonObject.isObject(event)) return false
    const id = idOf(memberOf(event, this.#idMember))
    if (id === undefined) return false
    // Ids are unique. Where a server gives one twice, the older subscription has its events.
    for (const subscriber of this.#open.get(id) ?? []) {
      subscriber.accept(event)
      return true
    }
    if (this.#opening.size > 0) this.#keep(id, event)
    return false
  }

  readonly end = (error: Disconnected): void => {
    this.isPast = true
    this.#early.clear()
    for (const subscriber of this.#opening.all()) subscriber.end(error)
    for (const subscribers of [...this.#open.values()]) for (const subscriber of [...subscribers]) subscriber.end(error)
  }

  readonly moved = (): void => {
    this.isPast = true
  }

  #keep(id: Id, event: Schema.JsonObject): void {
    if (this.#waiting >= mostEarly * this.#opening.size) {
      this.#lost++
      return
    }
    this.#waiting++
    const early = { number: ++this.#number, event }
    const others = this.#early.get(id)
    if (others === undefined) this.#early.set(id, [early])
    else others.push(early)
  }

  /** Takes the early events of an id after a number. Those before may belong to another subscription that opens. */
  #earlyAfter(id: Id, since: number): ReadonlyArray<Early> {
    const early = this.#early.get(id) ?? []
    const after = early.splice(early.filter(({ number }) => number <= since).length)
    this.#waiting -= after.length
    if (early.length === 0) this.#early.delete(id)
    return after
  }

  /** Drops the early events that came before the opening of those that still open. */
  #closesOpening(subscriber: Subscriber): void {
    this.#opening.delete(subscriber)
    const { first } = this.#opening
    for (const [id, events] of this.#early) {
      const last = events.at(-1)
      if (first !== undefined && last !== undefined && last.number > first.since) return
      this.#forget(id)
    }
  }

  #forget(id: Id): void {
    this.#waiting -= this.#early.get(id)?.length ?? 0
    this.#early.delete(id)
  }
}

/** The listeners of each caller, by method, place of the id, and whether digits are kept. */
const shared = new WeakMap<Caller, Map<string, Events>>()

/** The listener that a subscription shares with the others of its caller, until the Scope closes. */
export const join = (
  caller: Caller,
  { id, notification }: Notifications,
  exact: boolean
): Effect.Effect<Events, Disconnected, Scope.Scope> => {
  const listeners = shared.get(caller) ?? new Map<string, Events>()
  shared.set(caller, listeners)
  const key = JSON.stringify([notification, id, exact])

  const leave = (events: Events) =>
    Effect.suspend(() => {
      if (--events.users > 0) return Effect.void
      if (listeners.get(key) === events) listeners.delete(key)
      return Scope.close(events.scope, Exit.void)
    })
  const use = (events: Events) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        events.users++
        return events
      }),
      leave
    )
  const living = () => {
    const events = listeners.get(key)
    return events?.isPast === true ? undefined : events
  }

  return Effect.uninterruptibleMask((restore) => {
    const found = living()
    if (found !== undefined) return use(found)
    const own = new Events(id, exact)
    const listening = restore(Scope.provide(caller.listen(notification, own), own.scope))
    return Effect.onError(listening, (cause) => Scope.close(own.scope, Exit.failCause(cause))).pipe(
      Effect.flatMap(() => {
        // A caller without a connection lets all who wait for one listen at once: the first of them listens for all.
        const other = living()
        if (other !== undefined) return Effect.andThen(Scope.close(own.scope, Exit.void), use(other))
        listeners.set(key, own)
        return use(own)
      })
    )
  })
}

export const memberOf = (event: Schema.JsonObject, name: string | undefined): Schema.Json | undefined =>
  name === undefined ? undefined : JsonObject.member(event, name)

/** The id that a value is, if it is one. */
export const idOf = (value: Schema.Json | undefined): Id | undefined => {
  const id = ExactNumber.isExactNumber(value) ? Number(value.rawJSON) : value
  return typeof id === "string" || typeof id === "number" ? id : undefined
}
