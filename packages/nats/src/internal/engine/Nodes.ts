/**
 * The nodes that live. Each beat is a message that all nodes hear, and that the stream keeps: who has not heard of a node
 * for long looks there before it takes it for dead.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { NatsClient } from "../../NatsClient.ts"
import type { NatsError } from "../connection/NatsError.ts"
import * as Beat from "./Beat.ts"
import { type Store, subjectOf, unknownLease } from "./Store.ts"

interface Heard extends Beat.Beat {
  /** When it was heard, in milliseconds of this machine. */
  readonly at: number
}

/** Nodes that are remembered at most: those that have not been heard for longest are looked up again. */
const most = 4_096

/** @internal */
export class Nodes {
  readonly #store: Store
  readonly #client: NatsClient
  readonly #prefix: string
  /** The one that was heard last is the last. */
  readonly #heard = new Map<string, Heard>()
  readonly #lock = Semaphore.makeUnsafe(1)
  /** The generation of the store whose nodes were read. */
  #read = 0

  constructor(store: Store, client: NatsClient, prefix: string) {
    this.#store = store
    this.#client = client
    this.#prefix = prefix
  }

  /** Hears the nodes that beat. */
  get heard(): Effect.Effect<void, NatsError, Scope.Scope> {
    return this.#client.subscribe(`${this.#prefix}.mesh.node.*`, (message) => this.#hear(message.string(), 0))
  }

  /** Whether a node lives this life, or may though the engine cannot know. */
  isAlive(node: string, life: string): Effect.Effect<boolean, NatsError> {
    return Effect.suspend(() => {
      const heard = this.#heard.get(node)
      if (heard?.life !== life) return this.#asked(node, life)
      if (this.#lives(heard)) return Effect.succeed(true)
      return heard.lease === 0 ? Effect.succeed(false) : this.#asked(node, life)
    })
  }

  /** The life that a node lives. */
  lifeOf(node: string): Effect.Effect<string, NatsError> {
    return Effect.map(
      this.#store.get(subjectOf(this.#prefix, "node", node)),
      (stored) => Beat.decode(stored?.text)?.life ?? ""
    )
  }

  /** The nodes that live and serve a name. */
  serving(name: string): Effect.Effect<ReadonlyArray<string>, NatsError> {
    // When the server has answered, all that others have written by now has arrived.
    return Effect.map(Effect.andThen(this.#known, this.#client.flushed), () => {
      const nodes: Array<string> = []
      for (const heard of this.#heard.values()) {
        if (heard.names.includes(name) && this.#lives(heard)) nodes.push(heard.node)
      }
      return nodes
    })
  }

  #lives({ at, lease }: Heard): boolean {
    return lease > 0 && this.#store.now - at < lease + this.#store.grace(lease)
  }

  #hear(text: string, age: number) {
    const beat = Beat.decode(text)
    if (beat === undefined) return
    this.#heard.delete(beat.node)
    this.#heard.set(beat.node, { ...beat, at: this.#store.now - age })
    for (const node of this.#heard.keys()) {
      if (this.#heard.size <= most) break
      this.#heard.delete(node)
    }
  }

  /** Asks the store, by whose clock a node is dead or not. */
  #asked(node: string, life: string): Effect.Effect<boolean, NatsError> {
    return Effect.gen({ self: this }, function*() {
      // A beat that comes in time after this is read below.
      const now = yield* this.#store.micros
      const stored = yield* this.#store.get(subjectOf(this.#prefix, "node", node))
      const beat = Beat.decode(stored?.text)
      if (stored === undefined || beat === undefined) {
        return this.#store.grace(unknownLease) === Number.POSITIVE_INFINITY
      }
      const age = (now - stored.micros) / 1_000
      if (age < beat.lease) this.#hear(stored.text, age)
      return beat.life === life && beat.lease > 0 && age < beat.lease + this.#store.grace(beat.lease)
    })
  }

  /** Reads the nodes that have beaten before they were heard. */
  readonly #known: Effect.Effect<void, NatsError> = Effect.suspend(() =>
    Effect.andThen(
      this.#store.ready,
      Effect.suspend(() => this.#read === this.#store.generation ? Effect.void : this.#lock.withPermit(this.#reading))
    )
  )

  readonly #reading: Effect.Effect<void, NatsError> = Effect.suspend(() => {
    const { generation } = this.#store
    return this.#read === generation ? Effect.void : Effect.gen({ self: this }, function*() {
      const began = this.#store.now
      const now = yield* this.#store.micros
      let seq = 1
      while (true) {
        const stored = yield* this.#store.next(`${this.#prefix}.mesh.node.*`, seq)
        if (stored === undefined) break
        const age = Math.max(0, (now - stored.micros) / 1_000)
        const beat = Beat.decode(stored.text)
        // One that was heard meanwhile is newer, or another that is will be heard, too.
        if (beat !== undefined && !this.#isNewer(beat.node, began, age)) this.#hear(stored.text, age)
        seq = stored.seq + 1
      }
      this.#read = generation
    })
  })

  #isNewer(node: string, began: number, age: number): boolean {
    const heard = this.#heard.get(node)
    return heard !== undefined && heard.at >= Math.min(began, this.#store.now - age)
  }
}
