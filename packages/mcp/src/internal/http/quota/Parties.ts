/**
 * What each party has at the moment. A party is there as long as it has something: clients cannot make a server remember
 * them by coming and going.
 */
import type { Quota } from "../../../http/Quota.ts"

/** What a party may have only so many of. */
export type Kind = keyof Quota

/** All parties of one kind, such as the principals: they have the same quota. */
export class Parties {
  readonly quota: Quota
  readonly #byName = new Map<string, Party>()

  constructor(quota: Quota) {
    this.quota = quota
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

/** What one party has. */
export class Party implements Quota {
  readonly quota: Quota
  readonly #byName: Map<string, Party>
  readonly #name: string
  sessions = 0
  streams = 0
  calls = 0
  /** The weight of what its sessions keep. */
  kept = 0
  /** The minute in which the log was told that it wants more than it may have. */
  toldAt = Number.NEGATIVE_INFINITY

  constructor(byName: Map<string, Party>, name: string, quota: Quota) {
    this.#byName = byName
    this.#name = name
    this.quota = quota
  }

  /** Gives back so many of a kind. Who takes gives back once. */
  give(kind: Kind, many: number = 1): void {
    this[kind] -= many
    if (this.sessions + this.streams + this.calls === 0) this.#byName.delete(this.#name)
  }
}
