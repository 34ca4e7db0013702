/**
 * A recipient that takes its entries as a stream.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { type ErrorResponse, lagged } from "../../ErrorResponse.ts"
import { Recipient } from "./Audience.ts"
import type { Leaving } from "./Change.ts"
import type { Entry } from "./RecipientQueue.ts"

type Pull<E> = Effect.Effect<NonEmptyReadonlyArray<E>, ErrorResponse | Cause.Done>

/** @internal */
export abstract class StreamRecipient<E extends Entry, Face> extends Recipient<E, Face> {
  #end: Exit.Exit<never, ErrorResponse | Cause.Done> | undefined = undefined
  #waiter: (() => void) | undefined = undefined
  #isWaking = false

  /** Its entries, until it is a recipient no more. */
  readonly stream: Stream.Stream<E, ErrorResponse> = Stream.fromPull(Effect.succeed(Effect.suspend(() => this.#pull)))

  /** All that waits, or the next that come; at last the end. */
  readonly #pull: Pull<E> = Effect.callback((resume) => {
    if (this.isWaiting) {
      // It was looked at.
      return resume(Exit.succeed(this.takeAll() as unknown as NonEmptyReadonlyArray<E>))
    }
    if (this.#end !== undefined) return resume(this.#end)
    // It pulls again when it is woken, so that an interrupted pull leaves the entries to the next.
    this.#waiter = () => resume(this.#pull)
    return Effect.sync(() => {
      this.#waiter = undefined
    })
  })

  /** It pulls in a later turn, and then all that has come by then. */
  protected take(): boolean {
    this.#wake()
    return false
  }

  left(reason: Leaving): void {
    const { dropped, waiting } = this.counts
    const missed = dropped + waiting
    if (reason === "lagged") this.drop()
    this.#end = Exit.fail(reason === "lagged" ? lagged(missed) : Cause.Done())
    this.#wake()
  }

  /** Nobody pulls any more. */
  close(): void {
    this.audience.remove(this, "ended")
    this.drop()
  }

  #wake(): void {
    if (this.#isWaking || this.#waiter === undefined) return
    this.#isWaking = true
    queueMicrotask(() => {
      this.#isWaking = false
      const waiter = this.#waiter
      this.#waiter = undefined
      waiter?.()
    })
  }
}
