/**
 * The texts of a journal in tables of SQLite. Each method that changes something is one transaction, which begins with the
 * lock on the file: two processes never both read what only one of them may change.
 */
import { bounds as defaults, weightOf } from "@parley/mesh/Journal"
import { randomUUID } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { DatabaseSync, type StatementSync } from "node:sqlite"

/** The weight of a key beside its texts. */
const weightOfKey = 256

/** The version of the tables. */
const version = 1

/** Keys that nobody has written to for too long, and that one change forgets at most. */
const mostForgotten = 8

/** The state of a key. */
export interface Known {
  readonly epoch: number
  /** The position of the first text that is kept, and of the last. */
  readonly first: number
  readonly last: number
  readonly weight: number
  /** Tells a key from an earlier one of the same name. */
  readonly born: string
}

interface Kept {
  readonly position: number
  readonly at: number
  readonly text: string
}

export interface Options {
  readonly path: string
  readonly count?: number | undefined
  readonly weight?: number | undefined
  readonly age?: number | undefined
  readonly total?: number | undefined
  readonly synchronous?: "normal" | "full" | undefined
}

const tables = `
  CREATE TABLE IF NOT EXISTS keys (
    key TEXT PRIMARY KEY, epoch REAL NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    weight INTEGER NOT NULL, used REAL NOT NULL, born TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS keys_used ON keys (used);
  CREATE TABLE IF NOT EXISTS texts (
    key TEXT NOT NULL, position INTEGER NOT NULL, at REAL NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, position)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS total (one INTEGER PRIMARY KEY CHECK (one = 1), weight INTEGER NOT NULL);
  INSERT OR IGNORE INTO total VALUES (1, 0);
  PRAGMA user_version = ${version};
`

export class Texts {
  readonly #db: DatabaseSync
  readonly #bounds: { readonly count: number; readonly weight: number; readonly age: number; readonly total: number }
  readonly #statements = new Map<string, StatementSync>()

  /** Partial: throws where the file cannot be used, or another process has its lock. */
  constructor({ age, count, path, synchronous = "normal", total = 1_073_741_824, weight }: Options) {
    this.#bounds = {
      age: age ?? defaults.age,
      count: count ?? defaults.count,
      weight: weight ?? defaults.weight,
      total
    }
    // A file that SQLite makes could be read by others.
    if (path !== ":memory:") closeSync(openSync(path, "a", 0o600))
    // SQLite would wait for a lock on the thread of the event loop.
    this.#db = new DatabaseSync(path, { timeout: 0 })
    try {
      this.#open(synchronous)
    } catch (cause) {
      this.#db.close()
      throw cause
    }
  }

  #open(synchronous: string) {
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};`)
    const [found] = this.#all<{ readonly user_version: number }>("PRAGMA user_version")
    if (found !== undefined && found.user_version > version) {
      throw new Error(`a newer version has written it (${found.user_version})`)
    }
    this.#changed(() => this.#db.exec(tables))
  }

  /** Milliseconds that a text is kept. */
  get age(): number {
    return this.#bounds.age
  }

  close() {
    this.#db.close()
  }

  known(key: string): Known | undefined {
    return this.#all<Known>("SELECT epoch, first, last, weight, born FROM keys WHERE key = ?", key)[0]
  }

  /** The texts behind a position that were appended since a time, in order. */
  behind(key: string, after: number, since: number, most?: number): ReadonlyArray<Kept> {
    return this.#all<Kept>(
      "SELECT position, at, text FROM texts WHERE key = ? AND position > ? AND at >= ? ORDER BY position LIMIT ?",
      key,
      after,
      since,
      // -1 stands for all.
      most ?? -1
    )
  }

  /** The newest text, if it was appended since a time. */
  newest(key: string, since: number): Kept | undefined {
    const [newest] = this.#all<Kept>(
      "SELECT position, at, text FROM texts WHERE key = ? ORDER BY position DESC LIMIT 1",
      key
    )
    return newest !== undefined && newest.at >= since ? newest : undefined
  }

  /** Runs a change where the epoch is not older than that of the key; gives the newer one where it is. */
  guarded<A>(key: string, epoch: number, change: (known: Known | undefined) => A): A | { readonly newest: number } {
    return this.#changed(() => {
      const known = this.known(key)
      return known !== undefined && epoch < known.epoch ? { newest: known.epoch } : change(known)
    })
  }

  append(
    key: string,
    text: string,
    epoch: number,
    now: number,
    keep: number = this.#bounds.count
  ): { readonly position: number } | { readonly newest: number } {
    return this.guarded(key, epoch, (known) => {
      const position = (known?.last ?? 0) + 1
      const weight = weightOf(text)
      this.#use(key, known, epoch, now)
      this.#run("INSERT INTO texts VALUES (?, ?, ?, ?)", key, position, now, text)
      this.#run("UPDATE keys SET last = ?, weight = weight + ? WHERE key = ?", position, weight, key)
      this.#weigh(weight)
      this.#shrink(key, Math.min(this.#bounds.count, keep), now - this.#bounds.age)
      this.#makeRoom(key, now - this.#bounds.age)
      return { position }
    })
  }

  fence(key: string, epoch: number, now: number): { readonly newest: number } | undefined {
    return this.guarded(key, epoch, (known) => {
      this.#use(key, known, epoch, now)
      return undefined
    })
  }

  /** Forgets a key, but not its epoch, for as long as that of a fence: an older owner may come back. */
  drop(key: string, epoch: number, now: number): { readonly newest: number } | undefined {
    return this.guarded(key, epoch, (known) => {
      if (known !== undefined) this.#forget(key, known.weight)
      if (epoch > 0) this.#use(key, undefined, epoch, now)
      return undefined
    })
  }

  /** The key is there, under this epoch. */
  #use(key: string, known: Known | undefined, epoch: number, now: number) {
    if (known !== undefined) return this.#run("UPDATE keys SET epoch = ?, used = ? WHERE key = ?", epoch, now, key)
    this.#run("INSERT INTO keys VALUES (?, ?, 1, 0, 0, ?, ?)", key, epoch, now, randomUUID())
    this.#weigh(weightOfKey)
  }

  /** Forgets the oldest texts of a key while they are too many, too heavy or too old, but not the newest. */
  #shrink(key: string, count: number, since: number) {
    const known = this.known(key)
    if (known === undefined) return
    let { first, weight } = known
    const oldest = this.#prepared("SELECT at, text FROM texts WHERE key = ? AND position = ?")
    while (first < known.last) {
      // The tables hold what this class has written.
      const kept = oldest.get(key, first) as Pick<Kept, "at" | "text"> | undefined
      const isTooMuch = known.last - first >= count || weight > this.#bounds.weight
      if (kept !== undefined && !isTooMuch && kept.at >= since) break
      if (kept !== undefined) weight -= weightOf(kept.text)
      first++
    }
    if (first === known.first) return
    this.#run("DELETE FROM texts WHERE key = ? AND position < ?", key, first)
    this.#run("UPDATE keys SET first = ?, weight = ? WHERE key = ?", first, weight, key)
    this.#weigh(weight - known.weight)
  }

  /** Forgets keys that are too old, and the texts of those that were written to longest ago where all are too heavy. */
  #makeRoom(newest: string, since: number) {
    const old = this.#all<{ readonly key: string; readonly weight: number }>(
      `SELECT key, weight FROM keys WHERE used < ? AND key <> ? ORDER BY used LIMIT ${mostForgotten}`,
      since,
      newest
    )
    for (const { key, weight } of old) this.#forget(key, weight)
    while (this.#total() > this.#bounds.total) {
      const [oldest] = this.#all<{ readonly key: string; readonly weight: number }>(
        "SELECT key, weight FROM keys WHERE key <> ? ORDER BY used LIMIT 1",
        newest
      )
      if (oldest === undefined) return
      this.#forget(oldest.key, oldest.weight)
    }
  }

  #forget(key: string, weight: number) {
    this.#run("DELETE FROM texts WHERE key = ?", key)
    this.#run("DELETE FROM keys WHERE key = ?", key)
    this.#weigh(-weight - weightOfKey)
  }

  #total(): number {
    return this.#all<{ readonly weight: number }>("SELECT weight FROM total")[0]?.weight ?? 0
  }

  #weigh(difference: number) {
    this.#run("UPDATE total SET weight = weight + ?", difference)
  }

  #changed<A>(change: () => A): A {
    this.#db.exec("BEGIN IMMEDIATE")
    try {
      const value = change()
      this.#db.exec("COMMIT")
      return value
    } catch (cause) {
      // SQLite has rolled some failures back itself.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK")
      throw cause
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #run(sql: string, ...values: ReadonlyArray<string | number>): void {
    this.#prepared(sql).run(...values)
  }

  #all<A>(sql: string, ...values: ReadonlyArray<string | number>): ReadonlyArray<A> {
    // The columns that a statement names are the members.
    return this.#prepared(sql).all(...values) as unknown as ReadonlyArray<A>
  }
}
