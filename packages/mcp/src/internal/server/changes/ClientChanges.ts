/**
 * The changes that one client of the legacy era is told of, by itself. While it reads nothing, they are kept here, each once:
 * a journal has none of them, however many clients are away.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Change } from "../../../server/ServerChanges.ts"
import { Watcher } from "./Watcher.ts"

/** @internal */
export interface ClientChangesOptions {
  readonly wants: (change: Change) => boolean
  /** Whether the client reads what it is told. */
  readonly isRead: () => boolean
  readonly notify: (change: Change) => Effect.Effect<void>
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

/** @internal */
export class ClientChanges {
  readonly watcher: Watcher
  readonly #options: ClientChangesOptions
  #telling: Fiber.Fiber<void> | undefined = undefined

  constructor(options: ClientChangesOptions) {
    this.#options = options
    this.watcher = new Watcher(options.wants, () => this.tell())
  }

  /** Tells what the client has missed, if it reads now. */
  tell() {
    if (this.#telling !== undefined || !this.watcher.isOwed || !this.#options.isRead()) return
    const fiber = this.#options.fork(this.#all)
    if (fiber.pollUnsafe() !== undefined) return
    this.#telling = fiber
    fiber.addObserver(() => {
      this.#telling = undefined
      // A change may have come between its last look and its end.
      this.tell()
    })
  }

  close() {
    this.watcher.close()
    this.#telling?.interruptUnsafe()
  }

  readonly #all: Effect.Effect<void> = Effect.suspend(() => {
    const changes = this.#options.isRead() ? this.watcher.take() : []
    return changes.length === 0
      ? Effect.void
      : Effect.andThen(Effect.forEach(changes, this.#options.notify, { discard: true }), this.#all)
  })
}
