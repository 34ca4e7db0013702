/**
 * The reports, log messages and questions of calls that wait for their clients. A server sends as many as it likes, and a
 * client may be slow or away, so that their characters are bounded.
 */
import { Shares } from "@parley/mcp/shared"
import * as Effect from "effect/Effect"

/** The most characters of all calls of one server together. A question beyond that is refused, a report dropped. */
const most = 64 * 1024 * 1024

/** The most characters of the calls of one party: the arguments of one call, as long as a text may be, fit. */
const mostOfOne = most / 4

/** Reports and log messages that may wait of one call, and their characters. The oldest go first: later ones say more. */
const mostSaid = 256
const mostCharacters = 1024 * 1024

/** The room that the calls of one server share. No party can use all of it. */
export class Room {
  readonly #shares = new Shares.Shares(most, mostOfOne)

  /** The room of the calls of one party. */
  of(party: Shares.Party): PartyRoom {
    return new PartyRoom(this.#shares, party)
  }
}

/** The room of the calls of one party. */
export class PartyRoom {
  readonly #shares: Shares.Shares
  readonly #party: Shares.Party

  constructor(shares: Shares.Shares, party: Shares.Party) {
    this.#shares = shares
    this.#party = party
  }

  has(size: number): boolean {
    return this.#shares.fullFor(this.#party, size) === undefined
  }

  /** Takes room, where there is enough. */
  take(size: number): boolean {
    if (!this.has(size)) return false
    this.#shares.take(this.#party, size)
    return true
  }

  give(size: number) {
    this.#shares.give(this.#party, size)
  }
}

/** The characters of a value of JSON. */
export const sizeOf = (json: object): number => JSON.stringify(json).length

interface Entry<A> {
  readonly value: A
  readonly size: number
}

/** The reports and log messages of one call, in order. */
export class Backlog<A extends object> {
  readonly #room: PartyRoom
  readonly #entries: Array<Entry<A>> = []
  #size = 0
  #isClosed = false

  constructor(room: PartyRoom) {
    this.#room = room
  }

  push(value: A) {
    if (this.#isClosed) return
    const size = sizeOf(value)
    // Where the calls of others leave no room, it alone is dropped.
    if (!this.#room.has(size - this.#size)) return
    while (this.#entries.length > 0 && !this.#fits(size)) this.shift()
    this.#room.take(size)
    this.#size += size
    this.#entries.push({ value, size })
  }

  shift(): A | undefined {
    const entry = this.#entries.shift()
    if (entry === undefined) return undefined
    this.#size -= entry.size
    this.#room.give(entry.size)
    return entry.value
  }

  /** Drops what nobody takes any more, and all that comes later. */
  readonly close: Effect.Effect<void> = Effect.sync(() => this.end())

  end() {
    this.#isClosed = true
    while (this.shift() !== undefined);
  }

  #fits(size: number): boolean {
    return this.#entries.length < mostSaid && this.#size + size <= mostCharacters && this.#room.has(size)
  }
}
