/**
 * The effects that handlers leave to run behind their replies, such as the items
 * of a subscription that the reply names.
 *
 * They keep no connection open: a connection that has nothing else to do
 * interrupts them. Each effect that runs counts on the budget.
 */
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { After } from "../incoming/Sink.ts"
import { callWeight } from "../room/Room.ts"
import type { Ground } from "./Ground.ts"
import * as Phase from "./Phase.ts"

/** @internal */
export class AfterReply {
  readonly #conversation: Ground
  #fibers: Set<Fiber.Fiber<unknown>> | undefined = undefined

  constructor(conversation: Ground) {
    this.#conversation = conversation
  }

  /** How many effects run. */
  get size(): number {
    return this.#fibers?.size ?? 0
  }

  /** Starts the effects in their order. They run side by side. */
  run(after: After): void {
    for (const deferral of after) {
      if (this.#isOver()) this.skip([deferral])
      else this.#start(deferral.effect)
    }
  }

  /** Runs the `onSkipped` of effects that do not run. */
  skip(after: After | undefined): void {
    after?.forEach(({ onSkipped }) =>
      onSkipped === undefined ? undefined : this.#watch(this.#conversation.host.fork(onSkipped))
    )
  }

  /** Interrupts the effects that run. */
  interruptAll(): void {
    for (const fiber of [...this.#fibers ?? []]) fiber.interruptUnsafe()
  }

  #isOver(): boolean {
    return this.#conversation.phase >= Phase.ending
  }

  #start(effect: Effect.Effect<unknown>): void {
    const { budget, fork } = this.#conversation.host
    budget.take(callWeight)
    const fiber = fork(effect)
    const fibers = this.#fibers ??= new Set()
    fibers.add(fiber)
    // It may have ended the connection itself.
    if (this.#isOver()) fiber.interruptUnsafe()
    this.#watch(fiber)
    fiber.addObserver(() => {
      budget.take(-callWeight)
      fibers.delete(fiber)
      this.#conversation.step()
    })
  }

  #watch(fiber: Fiber.Fiber<unknown>): void {
    fiber.addObserver((exit) => {
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
        this.#conversation.host.log("an effect that a handler gave to `afterReply` failed", exit.cause)
      }
    })
  }
}
