/**
 * The recipients of what is published, all together and in groups, each with a bounded queue of its own.
 *
 * To publish is a loop over the recipients. It waits for none of them, and entries that are published meanwhile come
 * behind. So all are told in one order.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Leaving } from "./Change.ts"
import { Counter } from "./Counter.ts"
import { Line } from "./Line.ts"
import { type Entry, RecipientQueue } from "./RecipientQueue.ts"
import { type BroadcastOptions, type Rules, rulesOf } from "./Rules.ts"

/** One who is told. `Face` is how it is shown to others. */
export abstract class Recipient<E extends Entry, Face> extends Counter {
  abstract readonly face: Face
  readonly groups = new Set<Group<E, Face>>()
  isOver = false
  protected readonly audience: Audience<E, Face>
  /** The entries that wait, if any have: most recipients take everything at once. */
  #queue: RecipientQueue<E> | undefined = undefined

  constructor(audience: Audience<E, Face>) {
    super(audience.counter)
    this.audience = audience
  }

  /** Whether it could take an entry at all. */
  protected canTake(_: E): boolean {
    return true
  }

  /** Takes an entry now, if it can. If not, it calls `flush` or `takeAll` later. */
  protected abstract take(entry: E): boolean

  /** Runs when it is a recipient no more. */
  abstract left(reason: Leaving): void

  offer(entry: E): void {
    if (this.isOver) return
    this.countOffered()
    if (!this.canTake(entry)) return this.countDropped()
    if (!this.isWaiting && this.take(entry)) return this.countDelivered()
    const queue = this.#queue ??= new RecipientQueue(this.audience.rules)
    const { slow } = this.audience.rules
    while (slow === "sliding" && !queue.fits(entry)) {
      queue.shift()
      this.countDropped()
    }
    if (queue.fits(entry)) {
      this.audience.line.queued(entry)
      return queue.push(entry)
    }
    this.countDropped()
    if (slow === "disconnect") this.audience.remove(this, "lagged")
  }

  get isWaiting(): boolean {
    return this.#queue !== undefined && this.#queue.size > 0
  }

  /** Hands over what waits, as long as it is taken. */
  flush(): void {
    const queue = this.#queue
    // It is out of the queue while it is taken: to take it may write, and so let the recipient leave, which drops the queue.
    for (let next = queue?.shift(); next !== undefined; next = queue?.shift()) {
      if (!this.take(next)) return queue?.putBack(next)
      this.countDelivered()
    }
  }

  /** Gives all that waits, which is delivered by that. */
  protected takeAll(): Array<E> {
    const entries = this.#queue?.clear() ?? []
    this.countDelivered(entries.length)
    return entries
  }

  /** Drops all that waits. */
  protected drop(): void {
    this.countDropped(this.#queue?.clear().length ?? 0)
  }
}

/** Hears of those who come and go. */
export interface Watch<Face> {
  /** Takes one who has come, or who has gone for a reason. */
  readonly hear: (recipient: Face, reason: Leaving | undefined) => void
  /** Nobody comes any more. */
  readonly end: () => void
}

/** Those who are told the same. */
export class Group<E extends Entry, Face> {
  readonly name: string | undefined
  readonly recipients = new Set<Recipient<E, Face>>()
  readonly watches = new Set<Watch<Face>>()

  constructor(name: string | undefined) {
    this.name = name
  }

  get isEmpty(): boolean {
    return this.recipients.size === 0 && this.watches.size === 0
  }
}

/** The recipients, all together and in groups, and those who watch them. */
export class Audience<E extends Entry, Face> {
  readonly rules: Rules
  readonly line: Line
  /** The counts of all recipients there have been. */
  readonly counter = new Counter()
  readonly #everybody = new Group<E, Face>(undefined)
  readonly #groups = new Map<string, Group<E, Face>>()
  isClosed = false

  constructor(rules: Rules) {
    this.rules = rules
    this.line = new Line(rules)
  }

  /** Whether a recipient is in as many groups as it may be, beside that of all, and not in this one. */
  isFullOf(recipient: Recipient<E, Face>, name: string): boolean {
    const group = this.#groups.get(name)
    return recipient.groups.size > this.rules.groups && (group === undefined || !recipient.groups.has(group))
  }

  /** The recipients of a group, as they are shown, in the order in which they came. */
  facesOf(name: string | undefined): Array<Face> {
    return Array.from(this.find(name)?.recipients ?? [], ({ face }) => face)
  }

  /** How many recipients a group has. */
  sizeOf(name: string | undefined): number {
    return this.find(name)?.recipients.size ?? 0
  }

  /** The group of a name, where somebody is in it or watches it; that of all recipients, without a name. */
  find(name: string | undefined): Group<E, Face> | undefined {
    return name === undefined ? this.#everybody : this.#groups.get(name)
  }

  /** Tells those of a group. */
  publish(name: string | undefined, entry: E): Effect.Effect<void> {
    return this.line.inTurn(() => {
      this.line.tell(() => {
        // To tell one may write at once, and so let others come: these are told what is published from then on.
        for (const recipient of [...this.find(name)?.recipients ?? []]) recipient.offer(entry)
      })
      return Effect.void
    })
  }

  /** Lets a recipient hear what is published in a group; to hear what is published to all, it enters the group of all. */
  enter(recipient: Recipient<E, Face>, name?: string): void {
    if (recipient.isOver) return
    const group = this.#open(name)
    if (group.recipients.has(recipient)) return
    group.recipients.add(recipient)
    recipient.groups.add(group)
    group.watches.forEach(({ hear }) => hear(recipient.face, undefined))
  }

  /** Takes a recipient out of a group. */
  exit(recipient: Recipient<E, Face>, name: string, reason: Leaving = "left"): void {
    const group = this.#groups.get(name)
    if (group !== undefined) this.#leave(recipient, group, reason)
  }

  /** Takes a recipient out of all groups. */
  remove(recipient: Recipient<E, Face>, reason: Leaving): void {
    if (recipient.isOver) return
    recipient.isOver = true
    for (const group of recipient.groups) this.#leave(recipient, group, reason)
    recipient.left(reason)
  }

  /** Tells of those who come to a group and leave it, until the result is called. */
  watch(name: string | undefined, watch: Watch<Face>): () => void {
    const group = this.#open(name)
    group.watches.add(watch)
    return () => {
      group.watches.delete(watch)
      this.#forget(group)
    }
  }

  /** Ends the membership of all. */
  close(): void {
    this.isClosed = true
    for (const recipient of this.#everybody.recipients) this.remove(recipient, "closed")
    for (const group of [this.#everybody, ...this.#groups.values()]) group.watches.forEach(({ end }) => end())
  }

  #leave(recipient: Recipient<E, Face>, group: Group<E, Face>, reason: Leaving): void {
    recipient.groups.delete(group)
    if (!group.recipients.delete(recipient)) return
    group.watches.forEach(({ hear }) => hear(recipient.face, reason))
    this.#forget(group)
  }

  #open(name: string | undefined): Group<E, Face> {
    const known = this.find(name)
    if (known !== undefined || name === undefined) return known ?? this.#everybody
    const group = new Group<E, Face>(name)
    this.#groups.set(name, group)
    return group
  }

  /** Nothing is kept of a group in which nobody is. */
  #forget(group: Group<E, Face>): void {
    if (group.name !== undefined && group.isEmpty) this.#groups.delete(group.name)
  }
}

/** An audience that lasts as long as the Scope. */
export const make = <E extends Entry, Face>(
  options: BroadcastOptions
): Effect.Effect<Audience<E, Face>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Audience<E, Face>(rulesOf(options))),
    (audience) => Effect.sync(() => audience.close())
  )
