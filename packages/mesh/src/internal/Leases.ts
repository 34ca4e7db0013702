/** The keys that this node owns, for as long as it counts as alive. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Lease } from "../Mesh.ts"
import type { MeshEngine } from "../MeshEngine.ts"
import { Claimed, type Overloaded } from "../MeshError.ts"

/** @internal */
export class Leases {
  readonly #node: string
  readonly #engine: MeshEngine
  /** By keys; `undefined` while the engine is asked. */
  readonly #held = new Map<string, Held | undefined>()
  /** Keys that are not ours any more, as soon as the engine has heard so, and their epochs. */
  readonly #released = new Map<string, number>()
  /** How often the node has counted as dead. */
  #lapses = 0

  constructor(node: string, engine: MeshEngine) {
    this.#node = node
    this.#engine = engine
  }

  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#released.size === 0
  }

  has(key: string): boolean {
    return this.#held.get(key) !== undefined
  }

  claim(key: string): Effect.Effect<Lease, Claimed | Overloaded, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.suspend((): Effect.Effect<Held, Claimed | Overloaded> => {
        if (this.#held.has(key)) return Effect.fail(new Claimed({ key, owner: this.#node }))
        this.#held.set(key, undefined)
        return Effect.onError(this.#ask(key), () => Effect.sync(() => void this.#held.delete(key)))
      }),
      (held) =>
        Effect.suspend(() => {
          if (this.#held.get(key) !== held) return Effect.void
          this.#held.delete(key)
          this.#released.set(key, held.epoch)
          return Effect.ignore(this.#release(key, held.epoch))
        })
    )
  }

  /** Tells the engine again what it has not heard: else a key would be owned as long as this node lives. */
  get released(): Effect.Effect<void, Overloaded> {
    return Effect.forEach([...this.#released], ([key, epoch]) => this.#release(key, epoch), {
      concurrency: atOnce,
      discard: true
    })
  }

  /** The node has counted as dead: what others have claimed since is lost. */
  readonly kept: Effect.Effect<void, Overloaded> = Effect.suspend(() => {
    this.#lapses++
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

  #ask(key: string): Effect.Effect<Held, Claimed | Overloaded> {
    const lapses = this.#lapses
    return Effect.flatMap(this.#engine.claim(key, this.#node), ({ epoch, node }) => {
      if (node !== this.#node) return Effect.fail(new Claimed({ key, owner: node }))
      // The node has counted as dead since it asked: another may have the key.
      if (lapses !== this.#lapses) return this.#ask(key)
      const held = new Held(key, epoch, Effect.suspend(() => this.#engine.keep(key, { node, epoch })))
      this.#held.set(key, held)
      return Effect.succeed(held)
    })
  }

  #release(key: string, epoch: number): Effect.Effect<void, Overloaded> {
    return Effect.map(this.#engine.release(key, { node: this.#node, epoch }), () => {
      if (this.#released.get(key) === epoch) this.#released.delete(key)
    })
  }
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
