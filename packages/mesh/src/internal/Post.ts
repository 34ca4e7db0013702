/** Carries the words of a node to others and to itself. */
import * as Effect from "effect/Effect"
import type { MeshEngine } from "../MeshEngine.ts"
import type { Overloaded } from "../MeshError.ts"
import * as Frame from "./Frame.ts"

/** @internal */
export class Post {
  readonly #node: string
  readonly #engine: MeshEngine
  readonly #take: (text: string) => void

  constructor(node: string, engine: MeshEngine, take: (text: string) => void) {
    this.#node = node
    this.#engine = engine
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
}

const heard = Effect.succeed(true)
