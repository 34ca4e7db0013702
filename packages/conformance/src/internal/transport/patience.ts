/**
 * When a law gives up: when its transports have done nothing for a while, so that what it waits for never comes.
 *
 * Only that is timed. How long a law takes in all depends on the wire and on the machine.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { type Law, LawBroken } from "../laws/Law.ts"
import type { Side } from "./traffic.ts"

/** Less than the time that test runners give a test by default. */
const usual: Duration.Input = "3 seconds"

/** How often a law looks whether anything has happened, while it is patient. */
const looks = 10

/** The patience of laws that share their transports. */
export class Patience {
  readonly #patience: Duration.Duration
  readonly #steps = new Map<object, string>()
  #moves = 0
  #opening = 0

  constructor(patience: Duration.Input = usual) {
    this.#patience = Duration.fromInputUnsafe(patience)
  }

  /** A side whose sends, receives and closes are seen. */
  readonly watch = (side: Side): Side => ({
    receive: this.#moving("`receive`", side.receive),
    send: (texts) => this.#moving(`\`send\` of ${texts.length} texts`, side.send(texts)),
    close: this.#moving("`close`", side.close)
  })

  /** The code that opens transports has bounds of its own. */
  readonly opening = <A, E, R>(open: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      this.#opening++
      return Effect.ensuring(
        open,
        Effect.sync(() => {
          this.#opening--
          this.#moves++
        })
      )
    })

  /** A law that gives up. A hanging operation may also hang in its release, which is not awaited. */
  readonly limit = ({ check, name }: Law): Law => ({
    name,
    check: Effect.flatMap(Effect.forkDetach(check, { startImmediately: true }), (law) =>
      Effect.ensuring(
        Effect.raceFirst(Fiber.join(law), this.#silence(name)),
        Effect.sync(() => law.interruptUnsafe())
      ))
  })

  #moving<A, E>(step: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const running = {}
      this.#steps.set(running, step)
      return Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          this.#steps.delete(running)
          if (!Exit.hasInterrupts(exit)) this.#moves++
        }))
    })
  }

  /** The operations in flight. */
  get #hanging(): string {
    const steps = [...new Set(this.#steps.values())]
    return steps.length === 0 ? "the law waits for something else" : `${steps.join(" and ")} did not end`
  }

  #silence(law: string): Effect.Effect<never, LawBroken> {
    return Effect.gen({ self: this }, function*() {
      for (let before = -1, quiet = 0; quiet < looks;) {
        quiet = this.#opening === 0 && this.#moves === before ? quiet + 1 : 0
        before = this.#moves
        yield* Effect.sleep(Duration.millis(Duration.toMillis(this.#patience) / looks))
      }
      const time = Duration.format(this.#patience)
      const reason = `nothing was sent, received or closed for ${time}: ${this.#hanging}`
      return yield* new LawBroken({ law, reason })
    })
  }
}
