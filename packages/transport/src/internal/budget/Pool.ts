/**
 * The weight that the shares of one budget take together: who hears of room, and who
 * has to end where there is none.
 */
import { LeastFirst, type Waiting } from "../leastFirst.ts"
import { HeaviestFirst, Rank } from "./heaviestFirst.ts"

/** How the worst reader of a share reads. */
type Reader = "none" | "waiting" | "stalled"

/** A share, as its pool knows it. */
export interface Member extends Waiting {
  /** The weight that it takes of the budget. */
  readonly held: number
  /** The weight that it keeps beside that, for want of room. */
  readonly kept: number
  /** It was told to end, and has not given back everything yet. */
  readonly isLeaving: boolean
  readonly reader: Reader
  /** Its place in the order of the pool, and the reader that this order is of. */
  rank: Rank<Member> | undefined
  ranked: Reader
  /** Its place among those that keep something. */
  keeping: Rank<Member> | undefined
  /** Ends its connection. */
  readonly leave: () => void
  /** Tells those that wait for room on it. */
  readonly tell: () => void
}

/** Shares by how they are read, the heaviest of each kind first. */
type Order = Readonly<Record<Reader, HeaviestFirst<Member>>>

/** Shares whose guarantees fit into an eighth of a budget: as many as the connections that `Limits.connections` allows. */
const guaranteed = 1024

/** The weight that is taken together, and whose turn it is to get some or to give it back. */
export class Pool {
  readonly limit: number
  readonly guarantee: number
  /** Those that can be ended, and those that are about to be given back for that. */
  readonly #parts = new Set<Member>()
  /** The weight of those that were told to end. */
  #leaving = 0
  /** The order of those that can be ended. It exists from the moment when the budget is spent until half of it is free. */
  #order: Order | undefined = undefined
  /** The shares that keep something and can be ended, their number, and the weight that they keep together. */
  readonly #keepers = new HeaviestFirst<Member>(({ kept }) => kept)
  #keeping = 0
  #kept = 0
  /** Those that were refused something. Others need not hear of room: thousands may wait, or have nothing to do. */
  readonly #refused = new LeastFirst<Member>()
  taken = 0
  /**
   * Whether weight need only be counted: nobody waits for room, and there is no order to keep. Then a share that is not
   * about to be given back counts by itself.
   */
  isCalm = true
  #willTell = false
  /** Those that write while room is made for them. */
  readonly #writers = new Set<Member>()

  constructor(limit: number) {
    this.limit = limit
    this.guarantee = limit / (8 * guaranteed)
  }

  isSpent(): boolean {
    return this.taken >= this.limit
  }

  /** A share takes weight, or gives it back where the number is negative. */
  take(part: Member, weight: number): void {
    const wasSpent = this.isSpent()
    this.taken += weight
    if (part.isLeaving) this.#leaving += weight
    if (weight >= 0) return this.rank(part)
    if (this.taken < this.limit / 2) this.#order = undefined
    this.isCalm = this.#order === undefined && this.#refused.first === undefined
    if (wasSpent) this.#tell()
    else if (this.#next() !== undefined) this.#tellSoon()
  }

  /** A share can be ended from now on. */
  enter(part: Member): void {
    if (this.#parts.has(part)) return
    this.#parts.add(part)
    this.#stand(part)
  }

  /** A share can be ended no more. */
  exit(part: Member): void {
    if (!this.#parts.delete(part)) return
    this.#unrank(part)
    if (!part.isLeaving) this.#keep(part, -part.kept)
  }

  /** A share was told to end. */
  left(part: Member): void {
    this.#leaving += part.held
    this.#unrank(part)
    this.#keep(part, -part.kept)
  }

  /** A share that was told to end has another connection. */
  returned(part: Member): void {
    this.#leaving -= part.held
    if (this.#parts.has(part)) this.#stand(part)
  }

  #stand(part: Member): void {
    if (this.#order !== undefined) part.rank = new Rank(part)
    this.rank(part)
    this.#keep(part, part.kept)
    if (part.kept > 0) this.#trimSoon()
  }

  /** A share has grown, or is read in another way. */
  rank(part: Member): void {
    const { rank, reader } = part
    if (this.#order === undefined || rank === undefined) return
    if (part.ranked !== reader) {
      this.#order[part.ranked].delete(rank)
      part.ranked = reader
    }
    this.#order[reader].add(rank)
  }

  /** A share keeps more than before, or less. */
  keep(part: Member, weight: number): void {
    if (!this.#parts.has(part) || part.isLeaving) return
    this.#keep(part, weight)
    this.#trim()
  }

  /** Has a share hear of it when there is so much room. */
  refuse(part: Member, need: number): void {
    this.isCalm = false
    this.#refused.add(part, need)
  }

  forget(part: Member): void {
    this.#refused.delete(part)
  }

  evict(): boolean {
    if (!this.isSpent()) return false
    if (this.taken - this.#leaving < this.limit) return true
    const { none, stalled, waiting } = this.#ordered()
    const heaviest = stalled.above(this.guarantee) ??
      [none, stalled, waiting].reduce<Rank<Member> | undefined>(
        (heaviest, ranks) => ranks.above(heaviest?.share.held ?? 0) ?? heaviest,
        undefined
      )
    heaviest?.share.leave()
    return heaviest !== undefined
  }

  /** Makes room for what a share writes, among those whose other sides do not read. */
  relieve(writer: Member): void {
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

  /** The share whose connection ends next because its other side does not read, if one does. */
  #nextToEnd(): Member | undefined {
    const left = this.taken - this.#leaving
    if (left < this.limit) return undefined
    const { stalled, waiting } = this.#ordered()
    const worst = stalled.above(this.guarantee)
    if (worst !== undefined || left < this.limit + guaranteed * this.guarantee) return worst?.share
    const writing: Array<Rank<Member>> = []
    let next = waiting.above(this.guarantee)
    for (; next !== undefined && this.#writers.has(next.share); next = waiting.above(this.guarantee)) {
      waiting.delete(next)
      writing.push(next)
    }
    for (const rank of writing) waiting.add(rank)
    return next?.share
  }

  #ordered(): Order {
    if (this.#order !== undefined) return this.#order
    const weightOf = ({ held }: Member) => held
    this.isCalm = false
    this.#order = {
      none: new HeaviestFirst(weightOf),
      waiting: new HeaviestFirst(weightOf),
      stalled: new HeaviestFirst(weightOf)
    }
    for (const part of this.#parts) {
      part.rank = part.isLeaving ? undefined : new Rank(part)
      part.ranked = part.reader
      this.rank(part)
    }
    return this.#order
  }

  #unrank(part: Member): void {
    if (part.rank !== undefined) this.#order?.[part.ranked].delete(part.rank)
    part.rank = undefined
  }

  /** Ends those that keep the most, as long as more than an eighth of the budget is kept. */
  #trim(): void {
    while (this.#keeping > 1 && this.#kept > this.limit / 8) this.#keepers.above(0)?.share.leave()
  }

  /** A connection that is being made may be the one that ends: not before it is made. */
  #trimSoon(): void {
    queueMicrotask(() => this.#trim())
  }

  #keep(part: Member, weight: number): void {
    this.#kept += weight
    const isKeeping = this.#parts.has(part) && !part.isLeaving && part.kept > 0
    if (part.keeping !== undefined && !isKeeping) {
      this.#keepers.delete(part.keeping)
      part.keeping = undefined
      this.#keeping--
    } else if (isKeeping) {
      if (part.keeping === undefined) this.#keeping++
      this.#keepers.add(part.keeping ??= new Rank(part))
    }
  }

  /** The first of those that were refused less than there is room for now. */
  #next(): Member | undefined {
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
