/**
 * The owners of keys. A record is written only directly after the record that was read. So if two nodes claim a key, one
 * is refused, and reads again.
 *
 * The epoch of a claim is the time at which the server has stored it, in microseconds, or one more than that of the record
 * before, if that is greater. So epochs grow also where the records are gone. A record that nobody refreshes goes after an
 * hour: that of a key that was freed, and that of a node that died.
 */
import type { Ownership } from "@parley/mesh/MeshEngine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { NatsError } from "../connection/NatsError.ts"
import type { Stored } from "../jetstream/Stored.ts"
import type { Beats } from "./Beats.ts"
import type { Nodes } from "./Nodes.ts"
import { lifetime, type Store, subjectOf, unknownLease } from "./Store.ts"

const Held = Schema.Struct({
  /** Empty where the key is free. */
  node: Schema.String,
  /** The life of the node that has claimed it. */
  life: Schema.String,
  /** The number of a claim that is written again; otherwise it is above that of the record before. */
  epoch: Schema.optionalKey(Schema.Finite),
  above: Schema.optionalKey(Schema.Finite)
})

const decodeHeld = Schema.decodeUnknownOption(Schema.fromJsonString(Held))

const nobody = ""

/** The owner that a record names. */
interface Owner extends Ownership {
  readonly life: string
}

/** A record of a key that this process has written. */
interface Written extends Owner {
  readonly seq: number
  /** When it was written, in milliseconds of this machine. */
  readonly at: number
}

/** How often a claim is tried while others write the same key. */
const attempts = 16

/** Records that are written again with a beat. */
const refreshed = 64

/** @internal */
export class Keys {
  readonly #store: Store
  readonly #nodes: Nodes
  readonly #beats: Beats
  readonly #prefix: string
  /** The keys of nodes of this process; the one that was written last is the last. */
  readonly #written = new Map<string, Written>()

  constructor(store: Store, nodes: Nodes, beats: Beats, prefix: string) {
    this.#store = store
    this.#nodes = nodes
    this.#beats = beats
    this.#prefix = prefix
  }

  claim(key: string, node: string): Effect.Effect<Ownership, NatsError> {
    return this.#again(
      key,
      Effect.gen({ self: this }, function*() {
        const { owner, seq } = yield* this.#read(key)
        if (owner !== undefined && owner.node !== nobody && owner.node !== node) {
          if (yield* this.#nodes.isAlive(owner.node, owner.life)) return { node: owner.node, epoch: owner.epoch }
        }
        if (owner === undefined && this.#store.wasEmptied(this.#beats.leaseOf(node) ?? unknownLease)) {
          return yield* Effect.fail(this.#unknown(key))
        }
        const life = yield* this.#lifeOf(node)
        const written = yield* this.#write(key, { node, life, above: owner?.epoch ?? 0 }, seq)
        const stored = written === undefined ? undefined : yield* this.#store.at(written)
        const claimed = ownerOf(stored)
        if (stored === undefined || claimed === undefined) return undefined
        this.#remember(key, claimed, stored.seq)
        return { node, epoch: claimed.epoch }
      })
    )
  }

  /** If there is no record, and the stream is the same, the node was silent for so long that its record is gone. */
  keep(key: string, { epoch, node }: Ownership): Effect.Effect<boolean, NatsError> {
    return this.#again(
      key,
      Effect.gen({ self: this }, function*() {
        const { owner, seq } = yield* this.#read(key)
        const isKept = owner === undefined
          ? this.#store.isYoungerThan(epoch)
          : owner.epoch === epoch && owner.node === node
        if (!isKept) {
          this.#written.delete(key)
          return false
        }
        const life = yield* this.#lifeOf(node)
        const written = yield* this.#write(key, { node, life, epoch }, seq)
        if (written === undefined) return undefined
        this.#remember(key, { node, life, epoch }, written)
        return true
      })
    )
  }

  release(key: string, { epoch, node }: Ownership): Effect.Effect<void, NatsError> {
    return Effect.suspend(() => {
      const known = this.#written.get(key)
      this.#written.delete(key)
      const free = (seq: number) => this.#write(key, { node: nobody, life: nobody, epoch }, seq)
      const freed = known?.epoch === epoch ? free(known.seq) : Effect.undefined
      return Effect.flatMap(
        freed,
        (seq) =>
          seq !== undefined ?
            Effect.void :
            this.#again(
              key,
              Effect.flatMap(this.#read(key), ({ owner, seq }) =>
                owner?.epoch === epoch && owner.node === node
                  ? Effect.map(free(seq), (seq) => seq === undefined ? undefined : true)
                  : Effect.succeed(true))
            )
      )
    })
  }

  owner(key: string): Effect.Effect<string | undefined, NatsError> {
    return Effect.flatMap(this.#read(key), ({ owner }) => {
      if (owner === undefined) {
        return this.#store.wasEmptied(this.#beats.longestLease) ? Effect.fail(this.#unknown(key)) : Effect.undefined
      }
      return owner.node === nobody
        ? Effect.undefined
        : Effect.map(this.#nodes.isAlive(owner.node, owner.life), (isAlive) => isAlive ? owner.node : undefined)
    })
  }

  /** Writes the oldest records of a node again, before they go. */
  refresh(node: string): Effect.Effect<void, NatsError> {
    return Effect.suspend(() => {
      const due: Array<[string, Written]> = []
      const since = this.#store.now - lifetime / 3
      for (const [key, written] of this.#written) {
        if (written.at > since || due.length === refreshed) break
        if (written.node === node) due.push([key, written])
      }
      return Effect.forEach(
        due,
        ([key, { epoch, life, seq }]) =>
          Effect.map(this.#write(key, { node, life, epoch }, seq), (written) => {
            if (this.#written.get(key)?.seq !== seq) return
            if (written === undefined) this.#written.delete(key)
            else this.#remember(key, { node, life, epoch }, written)
          }),
        { concurrency: 8, discard: true }
      )
    })
  }

  /** The node has ended, and its keys are free. */
  forget(node: string) {
    for (const [key, written] of this.#written) if (written.node === node) this.#written.delete(key)
  }

  #lifeOf(node: string): Effect.Effect<string, NatsError> {
    const life = this.#beats.lifeOf(node)
    return life === undefined ? this.#nodes.lifeOf(node) : Effect.succeed(life)
  }

  #read(key: string): Effect.Effect<{ readonly owner: Owner | undefined; readonly seq: number }, NatsError> {
    return Effect.map(this.#store.get(subjectOf(this.#prefix, "key", key)), (stored) => ({
      owner: ownerOf(stored),
      seq: stored?.seq ?? 0
    }))
  }

  #write(key: string, held: typeof Held.Type, after: number): Effect.Effect<number | undefined, NatsError> {
    return this.#store.put(subjectOf(this.#prefix, "key", key), held, after)
  }

  #remember(key: string, owner: Owner, seq: number) {
    this.#written.delete(key)
    this.#written.set(key, { ...owner, seq, at: this.#store.now })
  }

  /** Repeats until no other write came in between. */
  #again<A>(
    key: string,
    attempt: Effect.Effect<A | undefined, NatsError>,
    left = attempts
  ): Effect.Effect<A, NatsError> {
    return Effect.flatMap(attempt, (done) => {
      if (done !== undefined) return Effect.succeed(done)
      return left === 1
        ? Effect.fail(this.#failed(key, `others have written it ${attempts} times meanwhile`))
        : this.#again(key, attempt, left - 1)
    })
  }

  #unknown(key: string): NatsError {
    return this.#failed(key, "the engine has come back without its records: owners claim first")
  }

  #failed(key: string, detail: string): NatsError {
    return new NatsError({ subject: subjectOf(this.#prefix, "key", key), reason: { _tag: "Invalid", detail } })
  }
}

const ownerOf = (stored: Stored | undefined): Owner | undefined => {
  const held = Option.getOrUndefined(decodeHeld(stored?.text))
  if (stored === undefined || held === undefined) return undefined
  const { above = 0, epoch = Math.max(above + 1, stored.micros), life, node } = held
  return { node, life, epoch }
}
