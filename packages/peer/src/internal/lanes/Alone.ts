/**
 * The serving half of a conversation for one text that stands alone: nothing comes before it or after. Requests run by the
 * rules of all others: their bounds, order, interruption, defects and refusals.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type { Budget } from "@parley/transport/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Lookup } from "../../Handler.ts"
import { Conversation } from "../conversation/Conversation.ts"
import { type Decoded, TextReader } from "../conversation/TextReader.ts"
import { Host } from "../runtime/Host.ts"
import { type Answer, HostLane, type Send } from "./HostLane.ts"

/**
 * A step of a host that shuts down: it begins to drain, and then its time for that is over.
 *
 * @category models
 * @since 0.1.0
 */
export type DrainStep = "begins" | "over"

/**
 * Calls a function at each step of a host that shuts down, at once for those that it has taken. Gives how to stop that.
 *
 * @category models
 * @since 0.1.0
 */
export type OnDraining = (hear: (step: DrainStep) => void) => () => void

/**
 * The rules by which a text is answered, and its way.
 *
 * @category models
 * @since 0.1.0
 */
export interface AloneOptions {
  /** The methods that the other side may call. */
  readonly router: Lookup
  /** How the other side uses JSON-RPC. */
  readonly dialect: Dialect
  /** The bounds of the text. */
  readonly limits: Limits
  /** Takes what handlers send before the answer. Without it they can send nothing. */
  readonly send?: Send | undefined
  /** The budget that the calls count on. By default that of the context, or one of their own. */
  readonly budget?: Budget.Budget | undefined
  /**
   * Requests that have not started are refused when their host begins to shut down. Those that run when its time to drain
   * is over are interrupted, and answered with the error that says so.
   */
  readonly onDraining?: OnDraining | undefined
  /** Reads the text, where it is not read yet, by the same rules. */
  readonly reader?: TextReader | undefined
  /** Takes the fiber that waits for handlers of notifications that outlive the answer. Interrupting it interrupts them. */
  readonly overstaying?: ((rest: Fiber.Fiber<void>) => void) | undefined
}

/**
 * Answers a text. It waits for the requests of the text, and `Limits.notification` at most for its notifications. An
 * interruption interrupts the handlers, and waits for them.
 *
 * @category running
 * @since 0.1.0
 */
export const answer = (text: string | Decoded, options: AloneOptions): Effect.Effect<Answer> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const { budget, dialect, limits, onDraining, overstaying, reader, router, send } = options
    const host = new Host(context, limits, budget)
    const conversation = new Conversation({ host, dialect, limits, router, connection: undefined })
    const onAnswer = overstaying && (() => {
      if (conversation.isQuiet()) return
      const rest = conversation.until(() => conversation.isQuiet())
      const close = conversation.closing({ _tag: "Closed" })
      overstaying(host.fork(Effect.onInterrupt(rest, () => close)))
    })
    const stop = onDraining?.((step) => step === "over" ? conversation.overstay() : conversation.shutDown())
    const lane = new HostLane(conversation, send, { onAnswer })
    const answered = lane.answer(text, reader ?? new TextReader(dialect, limits))
    return stop === undefined ? answered : Effect.ensuring(answered, Effect.sync(stop))
  })
