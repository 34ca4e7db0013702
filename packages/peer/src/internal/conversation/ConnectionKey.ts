/**
 * The connection as those see it who are bound to it: the key that all of its calls share, and the effects that wait for
 * its end. It knows no conversation, because a session has one after the other.
 */
import type { EncodeOptions } from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { DisconnectReason } from "../CallerError.ts"
import type { Host } from "../runtime/Host.ts"
import type { SharedText } from "./SharedText.ts"

/** The most effects that wait for the end of one connection: each is kept until then, or until it is withdrawn. */
const mostWaiting = 4_096

/** How long the end of a connection waits for its effects. */
const patience = "1 second"

/** Writes texts that nobody waits for to a connection, from outside of its calls. @internal */
export interface Outlet {
  /** The dialect, where it writes messages in a form of its own. */
  readonly form: EncodeOptions | undefined
  /** The most bytes of a text. */
  readonly frame: number
  /** Why nothing can be written any more, if so. */
  readonly reason: DisconnectReason | undefined
  /**
   * Writes a text, if little else waits to be written. Where it does not, its owner flushes once when that is so, unless
   * it is withdrawn before.
   */
  readonly push: (text: SharedText, owner: { readonly flush: () => void }) => boolean
  readonly withdraw: (owner: object) => void
  readonly onClose: (effect: Effect.Effect<unknown>) => () => void
  /** Ends the connection, without writing what waits. */
  readonly abort: (reason: DisconnectReason) => void
}

type Runner = Pick<Host, "fork" | "log">

/** @internal */
export class ConnectionKey {
  /** A way to write to it, where it has one stream for all. */
  outlet: Outlet | undefined = undefined
  #waiting: Set<() => void> | undefined = undefined
  #running: Set<Fiber.Fiber<unknown, unknown>> | undefined = undefined
  #isOver = false

  /** Runs an effect once when the connection has ended, which may be so already. Gives what withdraws it. */
  onClose(effect: Effect.Effect<unknown>, host: Runner): () => void {
    const run = () => this.#run(effect, host)
    if (this.#isOver) {
      run()
      return () => {}
    }
    const waiting = this.#waiting ??= new Set()
    if (waiting.size >= mostWaiting) {
      throw new RangeError(`${mostWaiting} effects wait for the end of this connection already: withdraw some`)
    }
    waiting.add(run)
    return () => void waiting.delete(run)
  }

  /** Runs what waits. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.forEach((run) => run())
  }

  /** Waits until these effects have ended, or for as long as the end of a connection may take for them. */
  get settled(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#running === undefined || this.#running.size === 0
        ? Effect.void
        : Effect.asVoid(Effect.timeoutOption(Fiber.awaitAll([...this.#running]), patience))
    )
  }

  #run(effect: Effect.Effect<unknown>, { fork, log }: Runner): void {
    const fiber = fork(effect)
    if (fiber.pollUnsafe() === undefined) (this.#running ??= new Set()).add(fiber)
    fiber.addObserver((exit) => {
      this.#running?.delete(fiber)
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
        log("an effect that a handler gave to `onClose` failed", exit.cause)
      }
    })
  }
}
