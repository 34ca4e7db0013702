/** An outgoing text that another node takes: its answers in order, and its end. */
import { isArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import type { SendError } from "../Mesh.ts"
import { weightOf } from "./Weight.ts"

/** @internal */
export class Outgoing {
  readonly id: number
  /** The key or the name. */
  readonly at: string
  readonly node: string
  readonly #tellMore: (read: number) => Effect.Effect<void>
  readonly #part: number
  #items: Array<string> = []
  /** The place of the next text. */
  #next = 0
  /** How many texts the other node had answered when it said so last. */
  #answered = 0
  /** The weight of what was read, and of how much of it the other node was told. */
  read = 0
  #told = 0
  #end: Exit.Exit<never, SendError | Cause.Done> | undefined
  #wake: (() => void) | undefined
  /** Whether its end is not the word of the other node, which may still answer. */
  isLost = false

  /** `tellMore` says how much was read in all, each time that another `part` was. */
  constructor(id: number, at: string, node: string, part: number, tellMore: (read: number) => Effect.Effect<void>) {
    this.id = id
    this.at = at
    this.node = node
    this.#part = part
    this.#tellMore = tellMore
  }

  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** Takes a text; `false` where one before it has never come. */
  push(place: number, text: string): boolean {
    if (place !== this.#next) return false
    this.#next++
    if (this.#end !== undefined) return true
    this.#items.push(text)
    this.#wake?.()
    return true
  }

  /** Whether all texts before this place have come. */
  isAt(place: number): boolean {
    return place === this.#next
  }

  /**
   * Hears how many texts the other node has answered. Gives whether one is missing of those that it spoke of the time
   * before: those of this time may still be on their way.
   */
  isBehind(answered: number): boolean {
    const isBehind = this.#next < this.#answered
    this.#answered = answered
    return isBehind
  }

  end(exit: Exit.Exit<never, SendError | Cause.Done> = done) {
    this.#end ??= exit
    this.#wake?.()
  }

  /** Gives what has come, and waits where that is nothing. */
  readonly pull: Pull.Pull<NonEmptyReadonlyArray<string>, SendError> = Effect.suspend(() => {
    const items = this.#items
    if (isArrayNonEmpty(items)) {
      this.#items = []
      for (const item of items) this.read += weightOf(item)
      if (this.read - this.#told < this.#part || this.isOver) return Effect.succeed(items)
      this.#told = this.read
      return Effect.as(this.#tellMore(this.read), items)
    }
    return this.#end ?? Effect.andThen(this.#woken, this.pull)
  })

  /** Ends when a text was taken that is not answered. */
  readonly taken: Effect.Effect<void, SendError> = Pull.catchDone(Effect.asVoid(this.pull), () => Effect.void)

  readonly #woken: Effect.Effect<void> = Effect.callback((resume) => {
    this.#wake = () => {
      this.#wake = undefined
      resume(Effect.void)
    }
    return Effect.sync(() => {
      this.#wake = undefined
    })
  })
}

const done: Exit.Exit<never, Cause.Done> = Exit.fail(Cause.Done())
