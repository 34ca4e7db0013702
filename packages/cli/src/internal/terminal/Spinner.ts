/**
 * A line on a terminal that says what the command waits for, while it is silent for long. Whatever else is written takes
 * the line away first, and the silence begins again.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as style from "./style.ts"
import * as wrap from "./wrap.ts"

/** The stream of a spinner. */
export interface Stream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
}

export class Spinner {
  /** The stream for everything else, which is written where the line was. */
  readonly stream: Stream
  readonly #stream: Stream
  readonly #coloured: boolean
  #isShown = false
  /** Whether what was written last has ended its line: there is no room for ours otherwise. */
  #isFresh = true
  #silence = 0

  constructor(stream: Stream, coloured: boolean) {
    this.#stream = stream
    this.#coloured = coloured
    this.stream = {
      get isTTY() {
        return stream.isTTY
      },
      get columns() {
        return stream.columns
      },
      write: (text) => {
        this.makeWay(text)
        return stream.write(text)
      }
    }
  }

  /** Shows the text while an effect runs, once nothing was written for a second. Not on a pipe. */
  around(text: string): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> {
    return (effect) =>
      this.#stream.isTTY !== true || style.isDumb() ? effect : Effect.flatMap(
        Effect.forkChild(this.#turn(text)),
        (turning) => Effect.ensuring(effect, Effect.andThen(Fiber.interrupt(turning), Effect.sync(() => this.clear())))
      )
  }

  /** Takes the line away for a text that is about to be written, and begins the silence again. */
  makeWay(text: string): void {
    this.clear()
    this.#silence = 0
    if (text !== "") this.#isFresh = text.endsWith("\n")
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[K")
    this.#isShown = false
  }

  #turn(text: string): Effect.Effect<never> {
    const shown = Excerpt.line(text)
    this.#silence = 0
    return Effect.forever(Effect.andThen(
      Effect.sleep(pause),
      Effect.sync(() => {
        if (++this.#silence < quiet || !this.#isFresh) return
        this.clear()
        this.#stream.write(this.#lineOf(shown))
        this.#isShown = true
      })
    ))
  }

  #lineOf(text: string): string {
    const frame = frames[this.#silence % frames.length] ?? ""
    const columns = this.#stream.columns || style.usualColumns
    return style.paint(this.#coloured, style.dim, wrap.cut(`${frame} ${text} …`, columns))
  }
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

/** Milliseconds between two frames. */
const pause = 100

/** How many of them are silent first. */
const quiet = 10

/** The spinner of this process. */
export const spinner = new Spinner(process.stderr, style.styleOf(process.stderr).coloured)
