/**
 * The bytes that are under way to the server. Beside what is published goes one ping at a time, whose answer tells that the
 * server has taken what was before it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { NatsError } from "./NatsError.ts"

/** Bytes of a ping. */
const ping = 6

interface Waiting {
  readonly place: number
  readonly resume: (exit: Exit.Exit<void, NatsError>) => void
}

/** The data in flight to one server. */
export class Written {
  readonly #enough: number
  readonly #ping: () => Promise<void>
  readonly #onLost: () => void
  #written = 0
  #taken = 0
  #isAsking = false
  /** Those that wait for the server to take what was written up to a place, in the order of places. */
  #waiting: Array<Waiting> = []

  /**
   * A ping goes where so many bytes are under way, or somebody waits. `onLost` is called when it is not answered, because
   * the connection is gone.
   */
  constructor(enough: number, ping: () => Promise<void>, onLost: () => void) {
    this.#enough = enough
    this.#ping = ping
    this.#onLost = onLost
  }

  /** How many bytes are under way. */
  get pending(): number {
    return this.#written - this.#taken
  }

  /** A ping is a write of its own, so it goes only where enough is under way for its answer to make room. */
  add(bytes: number) {
    this.#written += bytes
    if (this.pending >= this.#enough) this.#ask()
  }

  /** Asks the server whether it is there. */
  ping() {
    this.#written += ping
    this.#ask()
  }

  /** How many bytes the server has taken. */
  get taken(): number {
    return this.#taken
  }

  /** Ends when the server has answered a ping behind what was written until now. */
  readonly flushed: Effect.Effect<void, NatsError> = Effect.callback((resume) => {
    if (this.pending === 0) this.ping()
    else this.#ask()
    const waiting: Waiting = { place: this.#written, resume }
    this.#waiting.push(waiting)
    return Effect.sync(() => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
    })
  })

  /** The connection is gone, and the fate of the data in flight is unknown. */
  lose(error: NatsError) {
    this.#taken = this.#written
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resume } of waiting) resume(Exit.fail(error))
  }

  /** One ping covers what is written in one turn of the loop, and while the last is under way. */
  #ask() {
    if (this.#isAsking) return
    this.#isAsking = true
    queueMicrotask(() => {
      const place = this.#written
      this.#ping().then(() => this.#took(place), () => this.#onLost()).finally(() => {
        this.#isAsking = false
        if (this.#waiting.length > 0 || this.pending >= this.#enough) this.#ask()
      })
    })
  }

  #took(place: number) {
    if (place <= this.#taken) return
    this.#taken = place
    const index = this.#waiting.findIndex((waiting) => waiting.place > place)
    const done = index === -1 ? this.#waiting.splice(0) : this.#waiting.splice(0, index)
    for (const { resume } of done) resume(Exit.void)
  }
}
