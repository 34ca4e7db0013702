/**
 * The sessions, streams and calls of each party at the moment. A party is there as long as it has something: clients
 * cannot make a server remember them by coming and going.
 */
import type { Quota } from "../../../http/Quota.ts"

/**
 * A kind of thing of which a party may have only so many. Requests whose senders are not known yet are as many as its calls
 * may be.
 */
export type Kind = keyof Quota | "arriving"

type Bounds = Readonly<Record<Kind, number>>

/** All parties of one kind, such as the principals: they have the same quota. */
export class Parties {
  readonly quota: Bounds
  readonly #byName = new Map<string, Party>()

  constructor(quota: Quota) {
    this.quota = { ...quota, arriving: quota.calls }
  }

  /** Takes so many of a kind for a party, at least one, and gives the party; nothing where that is beyond its quota. */
  take(name: string, kind: Kind, many: number): Party | undefined {
    const known = this.#byName.get(name)
    if ((known?.[kind] ?? 0) + many > this.quota[kind]) return undefined
    const party = known ?? new Party(this.#byName, name, this.quota)
    if (known === undefined) this.#byName.set(name, party)
    party[kind] += many
    return party
  }

  /** A party that has something. */
  get(name: string): Party | undefined {
    return this.#byName.get(name)
  }

  get size(): number {
    return this.#byName.size
  }
}

/** The things of one party. */
export class Party implements Bounds {
  readonly quota: Bounds
  readonly #byName: Map<string, Party>
  readonly #name: string
  sessions = 0
  streams = 0
  calls = 0
  arriving = 0
  /** The weight of what its sessions keep. */
  kept = 0
  /** The minute in which the log was told that it wants more than it may have. */
  toldAt = Number.NEGATIVE_INFINITY

  constructor(byName: Map<string, Party>, name: string, quota: Bounds) {
    this.#byName = byName
    this.#name = name
    this.quota = quota
  }

  /** Gives back so many of a kind. A taker gives back once. */
  give(kind: Kind, many: number = 1): void {
    this[kind] -= many
    if (this.sessions + this.streams + this.calls + this.arriving === 0) this.#byName.delete(this.#name)
  }
}
