/** The keys that this node owns, for as long as it counts as alive. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Lease } from "../Mesh.ts"
import type { MeshEngine } from "../MeshEngine.ts"
import * as KeyedLock from "../shared/KeyedLock.ts"
import { Claimed, type Overloaded } from "./MeshError.ts"

/** @internal */
export class Leases {
  readonly #node: string
  readonly #engine: MeshEngine
  /** By keys; `undefined` while the engine is asked. */
  readonly #held = new Map<string, Held | undefined>()
  /** Keys that the engine may take for ours, though they are not: it could not say so, or be told. */
  readonly #owed = new Set<string>()
  /** A claim waits while an owed key is freed, because it would find the key taken by this node. */
  readonly #locked = KeyedLock.make()
  /** How often the node has counted as dead. */
  #deaths = 0

  constructor(node: string, engine: MeshEngine) {
    this.#node = node
    this.#engine = engine
  }

  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#owed.size === 0
  }

  has(key: string): boolean {
    return this.#held.get(key) !== undefined
  }

  claim(key: string): Effect.Effect<Lease, Claimed | Overloaded, Scope.Scope> {
    return this.#locked(key, this.#claim(key))
  }

  #claim(key: string): Effect.Effect<Lease, Claimed | Overloaded, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.suspend((): Effect.Effect<Held, Claimed | Overloaded> => {
        if (this.#held.has(key)) return Effect.fail(new Claimed({ key, owner: this.#node }))
        this.#held.set(key, undefined)
        return Effect.onError(this.#asked(key), () => Effect.sync(() => void this.#held.delete(key)))
      }),
      (held) =>
        Effect.suspend(() => {
          if (this.#held.get(key) !== held) return Effect.void
          this.#held.delete(key)
          const released = this.#engine.release(key, { node: this.#node, epoch: held.epoch })
          return Effect.catch(released, () =>
            Effect.sync(() => {
              if (!this.has(key)) this.#owed.add(key)
            }))
        })
    )
  }

  /** Frees keys that the engine may count as owned here, although they are not. */
  get settled(): Effect.Effect<void> {
    // Only a new claim tells whose a key is, and by which epoch.
    const free = (key: string) => this.#locked(key, Effect.ignore(Effect.scoped(this.#claim(key))))
    return Effect.forEach([...this.#owed], free, { concurrency: atOnce, discard: true })
  }

  #asked(key: string): Effect.Effect<Held, Claimed | Overloaded> {
    return Effect.suspend(() => {
      const deaths = this.#deaths
      return Effect.matchEffect(this.#engine.claim(key, this.#node), {
        onFailure: (error) => {
          this.#owed.add(key)
          return Effect.fail(error)
        },
        onSuccess: ({ epoch, node }) => {
          this.#owed.delete(key)
          if (node !== this.#node) return Effect.fail(new Claimed({ key, owner: node }))
          // Another may have claimed it since, while the engine did not keep it for us.
          if (deaths !== this.#deaths) return this.#asked(key)
          const held = new Held(key, epoch, Effect.suspend(() => this.#engine.keep(key, { node, epoch })))
          this.#held.set(key, held)
          return Effect.succeed(held)
        }
      })
    })
  }

  /** The node has counted as dead: what others have claimed since is lost. */
  readonly kept: Effect.Effect<void, Overloaded> = Effect.suspend(() => {
    this.#deaths++
    return Effect.forEach([...this.#held.values()], (held) =>
      held === undefined ? Effect.void : Effect.map(
        held.isNewest,
        (isKept) => {
          if (isKept || this.#held.get(held.key) !== held) return
          this.#held.delete(held.key)
          held.lose()
        }
      ), { concurrency: atOnce, discard: true })
  })
}

/** Keys that the engine is asked for at once. */
const atOnce = 64

class Held implements Lease {
  readonly key: string
  readonly epoch: number
  readonly isNewest: Effect.Effect<boolean, Overloaded>
  #isLost = false
  #waiting: Set<() => void> | undefined

  constructor(key: string, epoch: number, isNewest: Effect.Effect<boolean, Overloaded>) {
    this.key = key
    this.epoch = epoch
    this.isNewest = isNewest
  }

  readonly lost: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.#isLost) return resume(Effect.void)
    const wake = () => resume(Effect.void)
    const waiting = this.#waiting ??= new Set()
    waiting.add(wake)
    return Effect.sync(() => waiting.delete(wake))
  })

  lose() {
    this.#isLost = true
    for (const wake of [...this.#waiting ?? []]) wake()
  }
}
