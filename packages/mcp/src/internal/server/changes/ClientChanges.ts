/**
 * The changes that one client of the legacy era is told of, by itself. While it reads nothing, they are kept here, each once:
 * a journal has none of them, however many clients are away.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Change } from "../../../server/ServerChanges.ts"
import { Watcher } from "./Watcher.ts"

/** The connection of the client. @internal */
export interface Host {
  wants(change: Change): boolean
  /** Whether the client reads what it is told. */
  isRead(): boolean
  notify(change: Change): Effect.Effect<void>
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

/** @internal */
export class ClientChanges {
  readonly watcher: Watcher
  readonly #host: Host
  #telling: Fiber.Fiber<void> | undefined = undefined

  constructor(host: Host) {
    this.#host = host
    this.watcher = new Watcher((change) => host.wants(change), () => this.tell())
  }

  /** Tells what the client has missed, if it reads now. */
  tell() {
    if (this.#telling !== undefined || !this.watcher.isOwed || !this.#host.isRead()) return
    const fiber = this.#host.fork(this.#all)
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

  get #all(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const changes = this.#host.isRead() ? this.watcher.take() : []
      const told = Effect.forEach(changes, (change) => this.#host.notify(change), { discard: true })
      return changes.length === 0 ? Effect.void : Effect.andThen(told, this.#all)
    })
  }
}
