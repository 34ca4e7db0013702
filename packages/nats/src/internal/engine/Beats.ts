/** The nodes of this process: they say that they live, and which names they serve. */
import * as KeyedLock from "@parley/mesh/KeyedLock"
import * as Effect from "effect/Effect"
import type { NatsError } from "../../NatsError.ts"
import { type Store, subjectOf } from "./Store.ts"

interface Own {
  /** The sequence of its last beat. */
  seq: number
  lease: number
  readonly names: Set<string>
  /** When the last beat was sent that was taken, in milliseconds of this machine. */
  beaten: number | undefined
}

/** @internal */
export class Beats {
  readonly #store: Store
  readonly #prefix: string
  readonly #own = new Map<string, Own>()
  readonly #locked = KeyedLock.make()

  constructor(store: Store, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  /** The lease of a node. */
  leaseOf(node: string): number | undefined {
    return this.#own.get(node)?.lease
  }

  /** Says that a node lives. Gives whether it has counted as alive until now, for others as well. */
  beat(node: string, lease: number): Effect.Effect<boolean, NatsError> {
    return this.#by(node, (own) => {
      const start = this.#store.now
      const { beaten, lease: before } = own
      own.lease = lease
      return Effect.map(this.#write(node, own), (isThere) => {
        own.beaten = start
        return isThere && beaten !== undefined && this.#store.now - beaten < before
      })
    })
  }

  join(name: string, node: string): Effect.Effect<void, NatsError> {
    return this.#by(node, (own) => {
      own.names.add(name)
      return this.#write(node, own)
    })
  }

  part(name: string, node: string): Effect.Effect<void, NatsError> {
    return this.#by(node, (own) => own.names.delete(name) ? this.#write(node, own) : Effect.void)
  }

  leave(node: string): Effect.Effect<void, NatsError> {
    return Effect.suspend(() =>
      !this.#own.has(node) ? Effect.void : this.#by(node, (own) => {
        own.lease = 0
        own.names.clear()
        return Effect.ensuring(this.#write(node, own), Effect.sync(() => void this.#own.delete(node)))
      })
    )
  }

  #by<A>(node: string, run: (own: Own) => Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> {
    return this.#locked(
      node,
      Effect.suspend(() => {
        const own = this.#own.get(node) ?? { seq: 0, lease: 0, names: new Set(), beaten: undefined }
        this.#own.set(node, own)
        return run(own)
      })
    )
  }

  /** Writes what is known of a node. Gives whether what was written before was still there. */
  #write(node: string, own: Own): Effect.Effect<boolean, NatsError> {
    const subject = subjectOf(this.#prefix, "node", node)
    const put = Effect.suspend(() => this.#store.put(subject, { node, lease: own.lease, names: [...own.names] }, own.seq))
    return Effect.flatMap(put, (seq): Effect.Effect<boolean, NatsError> => {
      if (seq !== undefined) {
        own.seq = seq
        return Effect.succeed(true)
      }
      // No other writes this subject: the stream is another, or a write that was not answered has come through.
      return Effect.flatMap(this.#store.get(subject), (stored) => {
        own.seq = stored?.seq ?? 0
        return Effect.map(this.#write(node, own), (isThere) => isThere && stored !== undefined)
      })
    })
  }
}
