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

  constructor(node: string, engine: MeshEngine) {
    this.#node = node
    this.#engine = engine
  }

  get isEmpty(): boolean {
    return this.#held.size === 0
  }

  has(key: string): boolean {
    return this.#held.get(key) !== undefined
  }

  claim(key: string): Effect.Effect<Lease, Claimed | Overloaded, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.suspend((): Effect.Effect<Held, Claimed | Overloaded> => {
        if (this.#held.has(key)) return Effect.fail(new Claimed({ key, owner: this.#node }))
        this.#held.set(key, undefined)
        return this.#engine.claim(key, this.#node).pipe(
          Effect.flatMap(({ epoch, node }) => {
            if (node !== this.#node) return Effect.fail(new Claimed({ key, owner: node }))
            const held = new Held(key, epoch)
            this.#held.set(key, held)
            return Effect.succeed(held)
          }),
          Effect.onError(() => Effect.sync(() => void this.#held.delete(key)))
        )
      }),
      (held) =>
        Effect.suspend(() => {
          if (this.#held.get(key) !== held) return Effect.void
          this.#held.delete(key)
          return Effect.ignore(this.#engine.release(key, { node: this.#node, epoch: held.epoch }))
        })
    )
  }

  /** The node has counted as dead: what others have claimed since is lost. */
  get kept(): Effect.Effect<void, Overloaded> {
    return Effect.forEach([...this.#held.values()], (held) =>
      held === undefined ? Effect.void : Effect.map(
        this.#engine.keep(held.key, { node: this.#node, epoch: held.epoch }),
        (isKept) => {
          if (isKept || this.#held.get(held.key) !== held) return
          this.#held.delete(held.key)
          held.lose()
        }
      ), { concurrency: atOnce, discard: true })
  }
}

/** Keys that the engine is asked for at once. */
const atOnce = 64

class Held implements Lease {
  readonly key: string
  readonly epoch: number
  #isLost = false
  #waiting: Set<() => void> | undefined

  constructor(key: string, epoch: number) {
    this.key = key
    this.epoch = epoch
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
