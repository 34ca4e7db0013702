/** Carries the words of a node to others and to itself. */
import * as Effect from "effect/Effect"
import type { MeshEngine } from "../MeshEngine.ts"
import * as Frame from "./Frame.ts"
import type { Overloaded } from "./MeshError.ts"

/** @internal */
export class Post {
  readonly #node: string
  readonly #engine: MeshEngine
  readonly #lease: number
  readonly #take: (text: string) => void

  /** `lease` is how long another node may be silent until it counts as dead, in milliseconds. */
  constructor(node: string, engine: MeshEngine, lease: number, take: (text: string) => void) {
    this.#node = node
    this.#engine = engine
    this.#lease = lease
    this.#take = take
  }

  /** `false` where the other is known to hear nothing. */
  send(to: string, frame: Omit<Frame.Frame, "from">): Effect.Effect<boolean, Overloaded> {
    return Effect.suspend(() => {
      const text = Frame.encode({ ...frame, from: this.#node })
      if (to !== this.#node) return this.#engine.publish(this.#node, to, text)
      this.#take(text)
      return heard
    })
  }

  /**
   * Sends as soon as the engine takes the text and the other node hears it. An engine that is full or away for a moment says
   * nothing about the other node: so this waits, for `patience` at most. A node whose connection to the engine is made again
   * hears nothing for a moment: so this sends again, for a lease at most.
   */
  deliver(to: string, frame: Omit<Frame.Frame, "from">, waited = 0): Effect.Effect<boolean, Overloaded> {
    const again = Effect.suspend(() => {
      const pause = Math.min(longest, shortest + waited)
      return Effect.andThen(Effect.sleep(pause), this.deliver(to, frame, waited + pause))
    })
    return Effect.matchEffect(this.send(to, frame), {
      onFailure: (error) => waited >= patience ? Effect.fail(error) : again,
      onSuccess: (isHeard) => isHeard || waited >= this.#lease ? Effect.succeed(isHeard) : again
    })
  }
}

/** Milliseconds between two attempts: as long as all before them, within these. */
const shortest = 25
const longest = 500

/** Milliseconds for which an engine may take nothing: a reader that stands still for as long loses its connection, too. */
const patience = 30_000

const heard = Effect.succeed(true)
