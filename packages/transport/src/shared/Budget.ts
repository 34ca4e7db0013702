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
 * A text that waits for room must not take the room that it waits for. So such texts
 * are kept beside the weight that is taken, in an eighth of the budget.
 *
 * Texts that are written for a side that does not read are there already, and can be
 * neither refused nor left unread. So a writer says by `unread` how its reader reads. A
 * spent budget ends the heaviest connection whose reader has made no progress for a
 * while; where even the part of the guarantees is spent, it does not wait for readers.
 *
 * ```ts run
 * import { Budget } from "@parley/transport/shared"
 *
 * const budget = Budget.make(1_000_000)
 * const share = budget.share()
 * share.take(900_000)
 *
 * console.log(budget.taken(), share.fits(50_000), share.fits(200_000)) // => 900000 true false
 * share.close()
 * console.log(budget.taken()) // => 0
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Rank } from "../internal/budget/heaviestFirst.ts"
import { type Member, Pool } from "../internal/budget/Pool.ts"
import { absent } from "../internal/leastFirst.ts"
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
   * again, and before you wait. The share that needs the least is called first. Returns a function that stops that.
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
   * added while it does not read. The worst reader of a share counts. Where the budget is spent, connections end until
   * it is not: the heaviest of those that are stalled, and beyond the guarantees also of the others that wait, but not
   * the own one, which may be about to be read.
   */
  readonly unread: (now: Unread, before: Unread) => void
  /**
   * Keeps so much of what was read and waits for room beside what is taken, or gives it back where the number is
   * negative. Where shares keep more than an eighth of the budget together, the connections that keep the most end
   * until they do not; a share may always keep something alone.
   */
  readonly keep: (weight: number) => void
  /** Calls back when this share is to be given back, because it is the heaviest. Returns a function that stops that. */
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
 * The budget that connections made in this context count on. Without one, a peer makes its own. Connections that count
 * on the same share end together: where several are open at once, provide a `share` to each, as listeners do.
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

/**
 * Takes weight. Where that spends the budget, the heaviest gives way, which may be the one that takes.
 *
 * @category running
 * @since 0.1.0
 */
export const grow = (budget: Budget, weight: number): void => {
  budget.take(weight)
  if (weight > 0 && budget.isSpent()) budget.evict()
}

/**
 * Waits until a condition holds. `look` tests it: at once, and each time that `hear` calls back, as `Budget.onRoom`
 * does. `hear` returns a function that stops the calls.
 *
 * @category running
 * @since 0.1.0
 */
export const until = (look: () => boolean, hear: (again: () => void) => () => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const again = () => {
      if (!look()) return
      stop()
      resume(Effect.void)
    }
    const stop = hear(again)
    again()
    return Effect.sync(stop)
  })

/**
 * A budget of so much weight. The weight that is held may go beyond it by the guarantees, the 8,192th part of the
 * budget for each share, and by texts that one connection writes until its other side has had a moment to read them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (limit: number): Budget => new Whole(new Pool(limit))

/** A share that a spent budget has refused needs any room at all. */
const anyRoom = Number.MIN_VALUE

/** A callback that hears of room. */
interface Waiter extends Linked<Waiter> {
  readonly wake: () => void
  isGone: boolean
}

/** One share. Hosts make one for each request, so that it takes no more than its numbers until something can end it. */
class Part implements Share, Member {
  protected readonly pool: Pool
  held = 0
  kept = 0
  need = 0
  since = 0
  place = absent
  rank: Rank<Member> | undefined = undefined
  ranked: Unread = "none"
  keeping: Rank<Member> | undefined = undefined
  /** It was told to end, and has not given back everything yet. */
  isLeaving = false
  /** How many of its readers are behind, and how many of these have taken nothing for a while. */
  #behind = 0
  #stalled = 0
  #isClosed = false
  #waiters: Roster<Waiter> | undefined = undefined
  /** The callbacks that end its connection, once there is one. */
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
    const { pool } = this
    if (pool.isCalm && !this.isLeaving) return void (pool.taken += weight)
    pool.take(this, weight)
    // The guarantee has room also while the budget has none.
    if (weight >= 0 || this.place === absent || this.held + this.need > pool.guarantee) return
    pool.forget(this)
    this.tell()
  }

  isSpent(): boolean {
    return this.held > this.pool.guarantee && this.pool.isSpent() && this.refuse(anyRoom)
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
    this.pool.rank(this)
    if (now !== "none") this.pool.relieve(this)
  }

  keep(weight: number): void {
    this.kept += weight
    this.pool.keep(this, weight)
  }

  onEvict(end: () => void): () => void {
    if (this.#isClosed) return () => {}
    const ends = this.#ends ??= new Set()
    // One function may be given twice: each has an entry of its own.
    const entry = () => end()
    ends.add(entry)
    // Several connections may use one share after each other: the next one does not leave with those before.
    if (this.isLeaving) {
      this.isLeaving = false
      this.pool.returned(this)
    }
    this.pool.enter(this)
    return () => {
      ends.delete(entry)
      if (ends.size === 0 && !this.isLeaving) this.pool.exit(this)
    }
  }

  close(): void {
    this.pool.forget(this)
    this.take(-this.held)
    this.#isClosed = true
    this.pool.exit(this)
  }

  /** Ends its connection. */
  leave(): void {
    if (this.isLeaving) return
    this.isLeaving = true
    this.pool.left(this)
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
