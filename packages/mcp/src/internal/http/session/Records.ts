/**
 * The records of the sessions of this process in a store. Of one session, one change at a time is written, and nothing
 * behind its end. Only the node that holds a session changes what is known of it: one that stood still may not know yet that
 * another has it, or had.
 */
import type { Overloaded } from "@parley/mesh/Mesh"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { SessionRecord, SessionStore } from "../../../http/SessionStore.ts"
import type { Owner } from "./Events.ts"
import type { HttpSession } from "./HttpSession.ts"

/** @internal */
export class Records {
  readonly #store: SessionStore
  /** The name of the server: others may have the same store. */
  readonly #server: string
  /** Sessions that are over, though their records may still be there. */
  readonly #removing = new Set<string>()
  /** A sweep that finds many sessions over asks the store for some of them at a time. */
  readonly #removals = Semaphore.makeUnsafe(atOnce)

  constructor(store: SessionStore, server: string) {
    this.#store = store
    this.#server = server
  }

  /** Whether a session is over for good, and its record may still be there. */
  isRemoving(id: string): boolean {
    return this.#removing.has(id)
  }

  /** The record of a session of this server, and theirs, that was used since a time. */
  read(
    id: string,
    principal: string | undefined,
    since: number
  ): Effect.Effect<SessionRecord | undefined, Overloaded> {
    return Effect.map(this.#store.get(id), (found) => {
      const record = Option.getOrUndefined(found)
      if (record === undefined || (record.server ?? this.#server) !== this.#server) return undefined
      return record.principal !== principal || record.used < since ? undefined : record
    })
  }

  /** Refuses what earlier owners of a session still write. */
  fence({ epoch, id }: Owner): Effect.Effect<void, Overloaded> {
    return this.#store.fence(id, epoch)
  }

  /** Writes what has changed. `false` where another node has the session by now. */
  keep(session: HttpSession): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const isCurrent = !session.isChanged && session.used - session.stored < staleness
      if (session.isEnded || isCurrent) return ours
      session.isChanged = false
      session.stored = session.used
      const { claim, epoch, id, principal, writing } = session
      const put = Effect.suspend(() =>
        session.isDeleted ? ours : this.#store.put(id, {
          server: this.#server,
          ...(principal === undefined ? {} : { principal }),
          connection: session.connection.record(),
          used: session.used
        }, epoch)
      )
      const written = claim === undefined
        ? put
        : Effect.flatMap(claim.isOurs, (isOurs) => isOurs === false ? Effect.succeed(false) : put)
      return Effect.uninterruptible(writing.withPermit(written))
    })
  }

  /** Removes a record from now on, and tells whether it is gone. */
  remove(session: HttpSession): Effect.Effect<boolean> {
    const { claim, epoch, id, writing } = session
    this.#removing.add(id)
    const removal = this.#store.remove(id, epoch)
    // A node that is cut off cannot know whether the session is its own.
    const removed = claim === undefined
      ? removal
      : Effect.flatMap(claim.isOurs, (isOurs) => isOurs === true ? removal : Effect.succeed(false))
    return Effect.ensuring(
      this.#removals.withPermit(writing.withPermit(removed)),
      Effect.sync(() => this.#removing.delete(id))
    )
  }
}

const ours = Effect.succeed(true)

/** Milliseconds that a store may be behind with the time when a session was used. @internal */
export const staleness = 60_000

/** How many sessions a store is told of at once when it is told of many. @internal */
export const atOnce = 16
