/** The texts of all keys, the oldest of which go when there are too many. */
import { type bounds as defaults, type Entry, type Item, itemsOf } from "../Journal.ts"
import { weightOf } from "./Weight.ts"

/** The weight of a key beside its texts. */
const weightOfKey = 256

/** Keys that were forgotten, and whose epochs are known. */
const mostKnown = 16_384

interface Kept {
  readonly text: string
  /** When it was appended, in milliseconds of the clock. */
  readonly at: number
}

const none: Kept = { text: "", at: Number.NEGATIVE_INFINITY }

/** The texts of one key. @internal */
export class Log {
  epoch: number
  /** The position of the first text that is kept. */
  #first = 1
  #kept: Array<Kept> = []
  /** How many at the start of `#kept` are gone. */
  #gone = 0
  size = 0
  used = 0

  constructor(epoch: number) {
    this.epoch = epoch
  }

  get last(): number {
    return this.#first + this.#count - 1
  }

  get #count(): number {
    return this.#kept.length - this.#gone
  }

  append(text: string, now: number): number {
    this.#kept.push({ text, at: now })
    this.size += weightOf(text)
    this.used = now
    return this.last
  }

  /** Forgets the oldest texts while there are too many, but not the newest. Gives how much that was. */
  shrink({ count, weight }: { readonly count: number; readonly weight: number }, since: number): number {
    const before = this.size
    while (this.#count > 1) {
      const oldest = this.#at(this.#first)
      if (this.#count <= count && this.size <= weight && oldest.at >= since) break
      this.size -= weightOf(oldest.text)
      this.#cut(1)
    }
    return before - this.size
  }

  /** Forgets all texts, but not how many there were. Gives how much that was. */
  clear(): number {
    const { size } = this
    this.#cut(this.#count)
    this.size = 0
    return size
  }

  /** The texts behind a position that were appended since a time. */
  read(after: number, since: number, most?: number): ReadonlyArray<Item> {
    return itemsOf(after, this.last, this.#behind(after, since), most)
  }

  /** The newest text, if it was appended since a time. */
  newest(since: number): Entry | undefined {
    const newest = this.#kept.at(-1)
    return newest !== undefined && newest.at >= since
      ? { _tag: "Entry", position: this.last, text: newest.text }
      : undefined
  }

  *#behind(after: number, since: number): Generator<Omit<Entry, "_tag">> {
    const { last } = this
    let position = Math.max(after + 1, this.#first)
    while (position <= last && this.#at(position).at < since) position++
    for (; position <= last; position++) yield { position, text: this.#at(position).text }
  }

  #at(position: number): Kept {
    return this.#kept[position - this.#first + this.#gone] ?? none
  }

  /** Lets go of the oldest. The array is moved once for as many as it holds, not for each. */
  #cut(n: number) {
    this.#kept.fill(none, this.#gone, this.#gone + n)
    this.#first += n
    this.#gone += n
    if (this.#gone * 2 < this.#kept.length) return
    this.#kept.splice(0, this.#gone)
    this.#gone = 0
  }
}

/** The bounds of each key, and of all together. */
type Most = typeof defaults & { readonly total: number }

/** @internal */
export class Logs {
  /** The key that was written to last is the last. */
  readonly #logs = new Map<string, Log>()
  /** Those of them that have texts, in the same order. */
  readonly #filled = new Set<Log>()
  /** The epochs of keys that were dropped, or forgotten for others. The one that was forgotten last is the last. */
  readonly #epochs = new Map<string, number>()
  readonly #watchers = new Map<string, Set<(isDropped: boolean) => void>>()
  readonly #bounds: Most
  #size = 0

  constructor(bounds: Most) {
    this.#bounds = bounds
  }

  get(key: string): Log | undefined {
    return this.#logs.get(key)
  }

  /** The newest epoch that is known of a key, though its texts may be forgotten. */
  epochOf(key: string): number | undefined {
    return this.#logs.get(key)?.epoch ?? this.#epochs.get(key)
  }

  append(key: string, text: string, epoch: number, now: number, keep: number = this.#bounds.count): number {
    const log = this.#use(key, epoch)
    const before = log.size
    const position = log.append(text, now)
    this.#filled.add(log)
    const { count, weight } = this.#bounds
    log.shrink({ count: Math.min(count, keep), weight }, now - this.#bounds.age)
    this.#size += log.size - before
    this.#shrink(log, now - this.#bounds.age)
    this.#tell(key, false)
    return position
  }

  fence(key: string, epoch: number, now: number) {
    const log = this.#use(key, epoch)
    log.used = now
    this.#shrink(log, now - this.#bounds.age)
  }

  drop(key: string, epoch: number) {
    const log = this.#logs.get(key)
    if (log !== undefined) this.#forget(key, log)
    this.#remember(key, epoch)
    this.#tell(key, true)
  }

  /** Has a function called each time that the key changes. */
  watch(key: string, onChange: (isDropped: boolean) => void) {
    const watchers = this.#watchers.get(key) ?? new Set()
    this.#watchers.set(key, watchers.add(onChange))
  }

  unwatch(key: string, onChange: (isDropped: boolean) => void) {
    const watchers = this.#watchers.get(key)
    if (watchers?.delete(onChange) === true && watchers.size === 0) this.#watchers.delete(key)
  }

  #use(key: string, epoch: number): Log {
    const known = this.#logs.get(key)
    const log = known ?? new Log(epoch)
    if (known === undefined) this.#size += weightOfKey
    log.epoch = epoch
    this.#epochs.delete(key)
    this.#logs.delete(key)
    this.#logs.set(key, log)
    if (this.#filled.delete(log)) this.#filled.add(log)
    return log
  }

  /**
   * Forgets what is too old, and the texts of the keys that were written to longest ago where all together hold too much;
   * then those keys themselves.
   */
  #shrink(newest: Log, since: number) {
    for (const [key, log] of this.#logs) {
      if (log === newest || log.used >= since) break
      this.#evict(key, log)
    }
    if (this.#size <= this.#bounds.total) return
    for (const log of this.#filled) {
      if (this.#size <= this.#bounds.total || log === newest) break
      this.#size -= log.clear()
      this.#filled.delete(log)
    }
    for (const [key, log] of this.#logs) {
      if (this.#size <= this.#bounds.total || log === newest) break
      this.#evict(key, log)
    }
  }

  /** Forgets a key for others, but not its epoch: an older owner may come back. */
  #evict(key: string, log: Log) {
    this.#forget(key, log)
    this.#remember(key, log.epoch)
  }

  #remember(key: string, epoch: number) {
    this.#epochs.delete(key)
    if (epoch === 0) return
    this.#epochs.set(key, epoch)
    for (const oldest of this.#epochs.keys()) {
      if (this.#epochs.size <= mostKnown) break
      this.#epochs.delete(oldest)
    }
  }

  #forget(key: string, log: Log) {
    this.#logs.delete(key)
    this.#filled.delete(log)
    this.#size -= log.size + weightOfKey
  }

  #tell(key: string, isDropped: boolean) {
    for (const onChange of [...this.#watchers.get(key) ?? []]) onChange(isDropped)
  }
}
