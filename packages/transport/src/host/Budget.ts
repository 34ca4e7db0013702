/**
 * The memory that all connections of one listener may hold together.
 *
 * Limits bound one connection; a thousand of them could still exhaust a process.
 * A server makes one `Budget` and provides it while it listens. Each connection
 * counts on a share of it: the framing for unfinished frames, the peer for calls
 * that run or wait, and for texts that are not written yet.
 *
 * The unit is weight: an estimate of the bytes that something keeps alive, which
 * for parsed JSON is many times the length of its text.
 *
 * A spent budget refuses more to every share that is above its guarantee. Shares
 * below it go on, so that a new client is still answered. A connection that needs
 * room and cannot wait for it calls `evict`, which ends the heaviest connection.
 *
 * A text that waits for room is not in its own way, so it does not count on what is
 * taken. All of them together are kept beside it, in an eighth of the budget.
 *
 * What is written for a side that does not read is there already, and can be neither
 * refused nor left unread. So who writes says by `unread` how its reader keeps up. A
 * spent budget ends the heaviest connection whose reader has made no progress for a
 * while; where even the guarantees' part is spent, it waits for nobody.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Ending from "../internal/budget/ending.ts"
import { absent, LeastFirst, type Waiting } from "../internal/budget/leastFirst.ts"
import { type Linked, Roster } from "./Roster.ts"

/**
 * How the other side reads what is written for it: nothing waits to be taken (`none`), it may still be reading
 * (`waiting`), or it has taken nothing for a while (`stalled`).
 *
 * @category models
 * @since 0.1.0
 */
export type Unread = "none" | "waiting" | "stalled"

/**
 * Weight that several connections share, or the share of one of them. Its members are methods, to be called on it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Budget {
  /** Takes weight, or gives it back where the number is negative. */
  readonly take: (weight: number) => void
  /** Whether nothing more should be accepted here: all is taken, and this share holds more than its guarantee. */
  readonly isSpent: () => boolean
  /** Whether so much more may be taken: it fits into what is left, or into the guarantee of this share. */
  readonly fits: (weight: number) => boolean
  /** All that may be taken. A single weight beyond it never fits. */
  readonly limit: number
  /** The weight taken now: of this share, or of all shares together. */
  readonly taken: () => number
  /**
   * Calls back when there is room for what this share was refused since the last time, by `isSpent` or `fits`; so ask
   * again, and before you wait. Who needs the least is called first. Returns how to stop that.
   */
  readonly onRoom: (wake: () => void) => () => void
  /** A share of its own, which `close` gives back as a whole. A share of a share counts on the same budget. */
  readonly share: () => Share
  /**
   * Ends the connection of the heaviest share if the budget is spent and no ended connection is about to give back
   * enough. Those that are stalled come first. Gives whether there will be room.
   */
  readonly evict: () => boolean
  /**
   * Says how a reader of this share reads now and did before, whenever that changes, and again after each text that is
   * added while it does not read: a share is read as badly as by the worst of its readers. Where the budget is spent,
   * connections end until it is not: the heaviest of those that are stalled, and beyond the guarantees also of the others
   * that wait, but not the own one, which may be about to be read.
   */
  readonly unread: (now: Unread, before: Unread) => void
  /**
   * Keeps so much of what was read and waits for room beside what is taken, or gives it back where the number is negative.
   * Where shares keep more than an eighth of the budget together, the connections that keep the most end until they do
   * not; a share may always keep something alone.
   */
  readonly keep: (weight: number) => void
  /** Calls back when this share is to be given back, because it is the heaviest. Returns how to stop that. */
  readonly onEvict: (end: () => void) => () => void
}

/**
 * The share of one connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface Share extends Budget {
  /** Gives back what is taken and takes nothing any more. */
  readonly close: () => void
}

/**
 * The budget that connections made in this context count on. Without one, a peer makes its own. Connections that count on
 * the same share end together: where several are open at once, provide a `share` to each, as listeners do.
 *
 * @category services
 * @since 0.1.0
 */
export const Budget: Context.Reference<Budget | undefined> = Context.Reference<Budget | undefined>(
  "@parley/transport/host/Budget",
  { defaultValue: () => undefined }
)

/**
 * Runs an effect with a share of the budget from here, where there is one. It is given back at the end of the effect.
 *
 * @category running
 * @since 0.1.0
 */
export const withShare = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Budget, (budget) => {
    if (budget === undefined) return effect
    return Effect.acquireUseRelease(
      Effect.sync(() => budget.share()),
      (share) => Effect.provideService(effect, Budget, share),
      (share) => Effect.sync(() => share.close())
    )
  })

/** Shares whose guarantees fit into an eighth of a budget: as many as the connections that `Limits.connections` allows. */
const guaranteed = 1024

/**
 * A budget of so much weight. The weight that is held may go beyond it by the guarantees, the 8,192th part of the budget
 * for each share, and by texts that one connection writes until its other side has had a moment to read them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (limit: number): Budget => new Whole(new Pool(limit))

/** What the shares of one budget have in common. */
class Pool {
  readonly limit: number
  readonly guarantee: number
  /** Those that can be ended, and those that are about to be given back for that. */
  readonly parts = new Set<Part>()
  /** Those that were refused something. Others need not hear of room: thousands may wait, or have nothing to do. */
  readonly #refused = new LeastFirst<Part>()
  taken = 0
  #willTell = false
  /** Those that write while room is made for them. */
  readonly #writers = new Set<Part>()

  constructor(limit: number) {
    this.limit = limit
    this.guarantee = limit / (8 * guaranteed)
  }

  isSpent(): boolean {
    return this.taken >= this.limit
  }

  take(weight: number): void {
    const wasSpent = this.isSpent()
    this.taken += weight
    if (weight >= 0) return
    if (wasSpent) this.#tell()
    else if (this.#next() !== undefined) this.#tellSoon()
  }

  /** Has a share hear of it when there is so much room. */
  refuse(part: Part, need: number): void {
    this.#refused.add(part, need)
  }

  forget(part: Part): void {
    this.#refused.delete(part)
  }

  evict(): boolean {
    if (!this.isSpent()) return false
    if (Ending.leftOf(this.parts, this.taken) < this.limit) return true
    const heaviest = Ending.heaviestOf(this.parts, this.guarantee, Ending.isStalled) ??
      Ending.heaviestOf(this.parts, 0, () => true)
    heaviest?.leave()
    return heaviest !== undefined
  }

  /** Makes room for what a share writes, among those whose other sides do not read. */
  relieve(writer: Part): void {
    if (!this.isSpent()) return
    // Ending one may let others write, who ask for the same.
    this.#writers.add(writer)
    if (this.#writers.size > 1) return
    try {
      for (let next = this.#nextToEnd(); next !== undefined; next = this.#nextToEnd()) next.leave()
    } finally {
      this.#writers.clear()
    }
  }

  /** Ends those that keep the most, until the others keep no more than an eighth. */
  endKeepers(): void {
    for (let next = this.#keeper(); next !== undefined; next = this.#keeper()) next.leave()
  }

  #keeper(): Part | undefined {
    return Ending.keeperOf(this.parts, this.limit / 8)
  }

  /** Whose connection should end next because its other side does not read, if any should. */
  #nextToEnd(): Part | undefined {
    const left = Ending.leftOf(this.parts, this.taken)
    if (left < this.limit) return undefined
    const stalled = Ending.heaviestOf(this.parts, this.guarantee, Ending.isStalled)
    if (stalled !== undefined || left < this.limit + guaranteed * this.guarantee) return stalled
    return Ending.heaviestOf(
      this.parts,
      this.guarantee,
      (part) => part.reader === "waiting" && !this.#writers.has(part)
    )
  }

  /** The first of those that were refused less than there is room for now. */
  #next(): Part | undefined {
    const { first } = this.#refused
    return first !== undefined && first.need <= this.limit - this.taken ? first : undefined
  }

  /** Tells of room once for all that is given back in a turn. */
  #tellSoon(): void {
    if (this.#willTell) return
    this.#willTell = true
    queueMicrotask(() => {
      this.#willTell = false
      this.#tell()
    })
  }

  #tell(): void {
    for (let part = this.#next(); part !== undefined; part = this.#next()) {
      this.#refused.delete(part)
      part.tell()
    }
  }
}

/** A share that a spent budget has refused needs any room at all. */
const anyRoom = Number.MIN_VALUE

/** A callback that hears of room. */
interface Waiter extends Linked<Waiter> {
  readonly wake: () => void
  isGone: boolean
}

/** One share. Hosts make one for each request, so that it takes no more than its numbers until something can end it. */
class Part implements Share, Waiting, Ending.Candidate {
  protected readonly pool: Pool
  held = 0
  kept = 0
  need = 0
  since = 0
  place = absent
  /** It was told to end, and has not given back everything yet. */
  isLeaving = false
  /** How many of its readers are behind, and how many of these have taken nothing for a while. */
  #behind = 0
  #stalled = 0
  #isClosed = false
  #waiters: Roster<Waiter> | undefined = undefined
  /** What ends its connection, once there is something. */
  #ends: Set<() => void> | undefined = undefined

  constructor(pool: Pool) {
    this.pool = pool
  }

  get limit(): number {
    return this.pool.limit
  }

  take(weight: number): void {
    if (this.#isClosed) return
    this.held += weight
    this.pool.take(weight)
    // The guarantee has room also while the budget has none.
    if (weight >= 0 || this.place === absent || this.held + this.need > this.pool.guarantee) return
    this.pool.forget(this)
    this.tell()
  }

  isSpent(): boolean {
    return this.pool.isSpent() && this.held > this.pool.guarantee && this.refuse(anyRoom)
  }

  fits(weight: number): boolean {
    const { guarantee, limit, taken } = this.pool
    return taken + weight <= limit || this.held + weight <= guarantee || !this.refuse(weight)
  }

  protected refuse(need: number): true {
    if (!this.#isClosed) this.pool.refuse(this, need)
    return true
  }

  /** Calls back one after the other, as long as there is room. The others come first the next time. */
  tell(): void {
    for (let left = this.#waiters?.size ?? 0; left > 0; left--) {
      if (this.isSpent()) return
      const waiter = this.#waiters?.first
      if (waiter === undefined) return
      this.#waiters?.delete(waiter)
      this.#waiters?.add(waiter)
      waiter.wake()
    }
  }

  taken(): number {
    return this.held
  }

  onRoom(wake: () => void): () => void {
    const waiters = this.#waiters ??= new Roster()
    const waiter: Waiter = { wake, isGone: false, earlier: undefined, later: undefined }
    waiters.add(waiter)
    return () => {
      if (waiter.isGone) return
      waiter.isGone = true
      waiters.delete(waiter)
    }
  }

  share(): Share {
    return new Part(this.pool)
  }

  evict(): boolean {
    return this.pool.evict()
  }

  /** How the worst of its readers reads. */
  get reader(): Unread {
    return this.#stalled > 0 ? "stalled" : this.#behind > 0 ? "waiting" : "none"
  }

  unread(now: Unread, before: Unread): void {
    this.#behind += Number(now !== "none") - Number(before !== "none")
    this.#stalled += Number(now === "stalled") - Number(before === "stalled")
    if (now !== "none") this.pool.relieve(this)
  }

  keep(weight: number): void {
    this.kept += weight
    if (weight > 0) this.pool.endKeepers()
  }

  onEvict(end: () => void): () => void {
    if (this.#isClosed) return () => {}
    const ends = this.#ends ??= new Set()
    // One function may be given twice: each has an entry of its own.
    const entry = () => end()
    ends.add(entry)
    // Several connections may use one share after each other: the next one does not leave with those before.
    this.isLeaving = false
    this.pool.parts.add(this)
    return () => {
      ends.delete(entry)
      if (ends.size === 0 && !this.isLeaving) this.pool.parts.delete(this)
    }
  }

  close(): void {
    this.pool.forget(this)
    this.take(-this.held)
    this.#isClosed = true
    if (this.#ends !== undefined) this.pool.parts.delete(this)
  }

  /** Ends its connection. */
  leave(): void {
    this.isLeaving = true
    const ends = [...this.#ends ?? []]
    this.#ends?.clear()
    for (const end of ends) end()
  }
}

/** The budget itself: it is spent as soon as all is taken. */
class Whole extends Part {
  override isSpent(): boolean {
    return this.pool.isSpent() && this.refuse(anyRoom)
  }

  override taken(): number {
    return this.pool.taken
  }
}
