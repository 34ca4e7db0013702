/** The heartbeats of nodes: that they live, and which names they serve. */
import { KeyedLock } from "@parley/mesh/shared"
import * as Effect from "effect/Effect"
import type { NatsError } from "../connection/NatsError.ts"
import * as Beat from "./Beat.ts"
import { type Store, subjectOf, unknownLease } from "./Store.ts"

/** The last heartbeat of a node. */
interface Said {
  /** The sequence of the record. */
  seq: number
  /** Empty where it is not known. */
  life: string
  lease: number
  names: Set<string>
  /** When the last beat was sent that was taken, in milliseconds of this machine. */
  beaten: number | undefined
}

/** @internal */
export class Beats {
  readonly #store: Store
  readonly #prefix: string
  /** Of the nodes that beat here. */
  readonly #said = new Map<string, Said>()
  readonly #locked = KeyedLock.make()

  constructor(store: Store, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  /** The lease of a node that beats here. */
  leaseOf(node: string): number | undefined {
    return this.#said.get(node)?.lease
  }

  /** The longest lease of the nodes that beat here. */
  get longestLease(): number {
    let longest = unknownLease
    for (const { lease } of this.#said.values()) longest = Math.max(longest, lease)
    return longest
  }

  /** The life of a node that beats here. */
  lifeOf(node: string): string | undefined {
    return this.#said.get(node)?.life
  }

  /** Says that a node lives. Gives whether it has counted as alive until now, for others as well. */
  beat(node: string, lease: number): Effect.Effect<boolean, NatsError> {
    return this.#locked(
      node,
      Effect.suspend(() => {
        const said = this.#said.get(node) ?? unsaid(crypto.randomUUID())
        const { beaten, lease: before } = said
        const start = this.#store.now
        this.#said.set(node, said)
        const beat = this.#write(node, said, () => {
          said.lease = lease
        })
        return Effect.map(beat, (wasThere) => {
          said.beaten = start
          return wasThere && beaten !== undefined && this.#store.now - beaten < before
        })
      })
    )
  }

  join(name: string, node: string): Effect.Effect<void, NatsError> {
    return this.#change(node, ({ names }) => names.add(name))
  }

  part(name: string, node: string): Effect.Effect<void, NatsError> {
    return this.#change(node, ({ names }) => names.delete(name))
  }

  leave(node: string): Effect.Effect<void, NatsError> {
    const left = this.#change(node, (said) => {
      said.lease = 0
      said.names.clear()
    })
    return Effect.ensuring(left, Effect.sync(() => void this.#said.delete(node)))
  }

  /** Changes the record of a node, which may beat elsewhere. */
  #change(node: string, change: (said: Said) => unknown): Effect.Effect<void, NatsError> {
    return this.#locked(
      node,
      Effect.suspend(() => {
        const said = this.#said.get(node) ?? unsaid("")
        const read = this.#said.has(node) ? Effect.void : this.#read(node, said)
        return Effect.andThen(read, this.#write(node, said, change))
      })
    )
  }

  /** Writes the record of a node. Returns whether there was a record where there should be one. */
  #write(node: string, said: Said, change: (said: Said) => unknown): Effect.Effect<boolean, NatsError> {
    const isFirst = said.seq === 0
    const put = Effect.suspend(() => {
      change(said)
      const { lease, life, names, seq } = said
      return this.#store.put(subjectOf(this.#prefix, "node", node), { node, life, lease, names: [...names] }, seq)
    })
    return Effect.flatMap(put, (seq): Effect.Effect<boolean, NatsError> => {
      if (seq === undefined) {
        // The stream is another one, or was changed by another writer, or a write without an answer has succeeded.
        return Effect.andThen(
          this.#read(node, said),
          Effect.suspend(() => {
            const isThere = said.seq !== 0
            return Effect.map(this.#write(node, said, change), (wasThere) => wasThere && (isThere || isFirst))
          })
        )
      }
      said.seq = seq
      return Effect.succeed(true)
    })
  }

  /** Reads the record of a node. Without a record, the local state stays. */
  #read(node: string, said: Said): Effect.Effect<void, NatsError> {
    return Effect.map(this.#store.get(subjectOf(this.#prefix, "node", node)), (stored) => {
      const beat = Beat.decode(stored?.text)
      said.seq = stored?.seq ?? 0
      if (beat === undefined) return
      if (said.life === "") said.life = beat.life
      said.lease = beat.lease
      said.names = new Set(beat.names)
    })
  }
}

const unsaid = (life: string): Said => ({ seq: 0, life, lease: 0, names: new Set(), beaten: undefined })
