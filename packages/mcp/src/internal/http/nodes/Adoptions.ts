/** Sessions of other processes that are being taken up: once for all of a principal who ask for them meanwhile. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** @internal */
export class Adoptions<A, E> {
  readonly #running = new Map<string, Fiber.Fiber<A, E>>()

  has(id: string, principal: string | undefined): boolean {
    return this.#running.has(nameOf(id, principal))
  }

  /** Waits for the fiber that runs, or begins one. A caller that waits may leave. */
  join(id: string, principal: string | undefined, begin: () => Fiber.Fiber<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const name = nameOf(id, principal)
      const known = this.#running.get(name)
      if (known !== undefined) return Fiber.join(known)
      const fiber = begin()
      this.#running.set(name, fiber)
      fiber.addObserver(() => this.#running.delete(name))
      return Fiber.join(fiber)
    })
  }
}

const nameOf = (id: string, principal: string | undefined): string => JSON.stringify([id, principal])
