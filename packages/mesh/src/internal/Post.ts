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

  /**
   * Sends as soon as the engine takes the text. An engine that is full or away for a moment says nothing about the other
   * node: so this waits, for `patience` at most.
   */
  deliver(to: string, frame: Omit<Frame.Frame, "from">, waited = 0): Effect.Effect<boolean, Overloaded> {
    return Effect.catch(this.send(to, frame), (error) => {
      if (waited >= patience) return Effect.fail(error)
      const pause = Math.min(longest, shortest + waited)
      return Effect.andThen(Effect.sleep(pause), this.deliver(to, frame, waited + pause))
    })
  }
}

/** Milliseconds between two attempts: as long as all before them, within these. */
const shortest = 25
const longest = 500

/** Milliseconds for which an engine may take nothing: a reader that stands still for as long loses its connection, too. */
const patience = 30_000

const heard = Effect.succeed(true)
