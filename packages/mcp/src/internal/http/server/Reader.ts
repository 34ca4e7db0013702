/** A client that reads a stream: the texts that wait to be written for it, and why it should stop. */
import * as EventStream from "@parley/http/EventStream"
import type { Responder } from "@parley/http/HttpEndpoint"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Pulse } from "./Pulse.ts"

interface Waiting {
  readonly place: number
  readonly event: string
  /** Whether it is written, or cannot be any more. */
  isReleased: boolean
  onReleased: (() => void) | undefined
}

/** @internal */
export class Reader {
  /** The last place that was written. */
  place = 0
  #waiting: Array<Waiting> = []
  #isOver = false
  #isGone = false
  #isBeat = false
  #wake: (() => void) | undefined

  /** Has a text written, and gives what waits until it is, or cannot be any more. */
  push(place: number, id: string, text: string): Effect.Effect<void> {
    if (this.#isGone) return Effect.void
    const event = EventStream.encodeFields({ id, data: text })
    const waiting: Waiting = { place, event, isReleased: false, onReleased: undefined }
    this.#waiting.push(waiting)
    this.#wake?.()
    return Effect.callback<void>((resume) => {
      if (waiting.isReleased) return resume(Effect.void)
      waiting.onReleased = () => resume(Effect.void)
    })
  }

  /** Nothing more will be pushed: what waits is written, and that is all. */
  end() {
    this.#isOver = true
    this.#wake?.()
  }

  /** Nobody waits for a reader that has gone. */
  leave() {
    this.#isGone = true
    release(this.#waiting.splice(0))
    this.end()
  }

  /** Skips what another way has brought already. */
  skipTo(place: number) {
    this.place = Math.max(this.place, place)
    const known = this.#waiting.filter((waiting) => waiting.place <= place)
    this.#waiting = this.#waiting.filter((waiting) => waiting.place > place)
    release(known)
  }

  /** Writes until it ends. */
  write(responder: Responder, keepAlive: Pulse): Effect.Effect<void> {
    const beat = () => {
      this.#isBeat = true
      this.#wake?.()
    }
    return Effect.suspend(() => {
      keepAlive.add(beat)
      return Effect.onExitPrimitive(this.#go(responder), () => {
        keepAlive.remove(beat)
        this.leave()
        return undefined
      })
    })
  }

  #go(responder: Responder): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#waiting.length > 0) {
        // Texts that come together are written together.
        const waiting = this.#waiting.splice(0)
        const written = responder.write(waiting.map(({ event }) => event).join(""))
        return Effect.andThen(
          Effect.onExitPrimitive(written, (exit) => this.#written(waiting, exit)),
          this.#go(responder)
        )
      }
      if (this.#isOver) return Effect.void
      if (this.#isBeat) {
        this.#isBeat = false
        return Effect.andThen(responder.write(EventStream.keepAlive), this.#go(responder))
      }
      return Effect.andThen(this.#woken, this.#go(responder))
    })
  }

  readonly #woken: Effect.Effect<void> = Effect.callback((resume) => {
    this.#wake = () => {
      this.#wake = undefined
      resume(Effect.void)
    }
    return Effect.sync(() => {
      this.#wake = undefined
    })
  })

  #written(waiting: ReadonlyArray<Waiting>, exit: Exit.Exit<void>) {
    if (Exit.isSuccess(exit)) this.place = waiting.at(-1)?.place ?? this.place
    release(waiting)
    return undefined
  }
}

const release = (waiting: ReadonlyArray<Waiting>) => {
  for (const one of waiting) {
    one.isReleased = true
    one.onReleased?.()
  }
}
