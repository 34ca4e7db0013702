/**
 * The typed client of a contract, and the options of its calls. `Contract` exports these types, too.
 */
import type * as Caller from "@parley/peer/Caller"
import type { CallError, InvalidArguments, NotifyError } from "@parley/peer/Caller"
import type * as Message from "@parley/protocol/Message"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type * as Method from "../Method.ts"
import type * as Notification from "../Notification.ts"
import type * as Params from "../shared/Params.ts"
import type * as Subscription from "../Subscription.ts"
import type { InvalidResult, Lagged } from "./ContractError.ts"
import type { Members } from "./Member.ts"

/**
 * The options of one call of a typed client.
 *
 * @category models
 * @since 0.1.0
 */
export type CallOptions = Pick<Caller.CallOptions, "timeout" | "onProgress" | "extra">

/**
 * The options of the consumer of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamOptions extends Pick<CallOptions, "onProgress" | "extra"> {
  /** The number of items that wait for a slow consumer: 1,024 by default. */
  readonly capacity?: number | undefined
  /**
   * The fate of more items than that. `suspend`, the default, stops reading from the connection; while other calls
   * wait for their responses, the same number again is kept, and then `fail` applies. `sliding` drops the oldest items,
   * `dropping` the newest. `fail` ends the stream with `Lagged`, after the items that were kept.
   */
  readonly strategy?: "suspend" | "sliding" | "dropping" | "fail" | undefined
}

/** How a typed call may fail beside the contract's own errors. @category errors @since 0.1.0 */
export type ClientError = CallError | InvalidResult

/**
 * The further options of a call of a method with partial results.
 *
 * @category models
 * @since 0.1.0
 */
export interface PartialOptions<in A> {
  /**
   * Asks for partial results, and takes each, in the order of the wire and before the response. It runs in the receive
   * loop: keep it short.
   */
  readonly onPartialResult?: ((value: A) => void) | undefined
}

/**
 * How a lenient contract reads.
 *
 * @category models
 * @since 0.1.0
 */
export interface LenientOptions {
  /** Whether elements of arrays may be left out, which moves those behind them: `drop` by default. */
  readonly elements?: "drop" | "refuse" | undefined
}

/**
 * Calls a method.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodCall<in P, out A, out E, in Part = never> {
  (
    params: P,
    options?: [Part] extends [never] ? CallOptions : CallOptions & PartialOptions<Part>
  ): Effect.Effect<A, E | ClientError>
}

/**
 * Sends a notification.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotificationCall<in P> {
  (params: P): Effect.Effect<void, NotifyError>
}

/**
 * Sends notifications: a caller, or what tells many.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notifier<out E> {
  /** Sends a notification by its name on the wire. */
  readonly notify: (method: string, params?: Message.Params | undefined) => Effect.Effect<void, E>
}

/**
 * The notifications of a contract: a function for each.
 *
 * @category models
 * @since 0.1.0
 */
export type Notifications<M extends Members, E> = {
  readonly [K in keyof M as M[K] extends Notification.Notification<infer _P> ? K : never]: M[K] extends
    Notification.Notification<infer P> ? (params: Params.Type<P>) => Effect.Effect<void, E | InvalidArguments>
    : never
}

/**
 * Opens a subscription, when the stream is run.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionCall<in P, out A, out E> {
  (params: P, options?: StreamOptions): Stream.Stream<A, E | ClientError | Lagged>
}

/**
 * The typed client: a function per member.
 *
 * @category models
 * @since 0.1.0
 */
export type Client<M extends Members> = {
  readonly [K in keyof M]: M[K] extends Method.Method<infer P, infer R, infer E, infer Part>
    ? MethodCall<Params.Type<P>, Method.ResultOf<R>, Method.ErrorTypes<E>[keyof E], Method.PartialOf<Part>>
    : M[K] extends Notification.Notification<infer P> ? NotificationCall<Params.Type<P>>
    : M[K] extends Subscription.Subscription<infer P, infer I, infer E>
      ? SubscriptionCall<Params.Type<P>, I["Type"], Method.ErrorTypes<E>[keyof E]>
    : never
}

/**
 * A call that is not made yet, of which `batch` makes one message. Functions that plan calls name it in their result.
 *
 * @category models
 * @since 0.1.0
 */
export interface Planned<out A, out E> {
  readonly _: "@parley/contract/Planned"
  readonly result: (_: never) => Result.Result<A, E | ClientError>
}

/**
 * The members of a contract as calls that are not made yet: what the plan of a `batch` is given. Subscriptions have no
 * place in a batch.
 *
 * @category models
 * @since 0.1.0
 */
export type Plans<M extends Members> = {
  readonly [K in keyof M]: M[K] extends Method.Method<infer P, infer R, infer E, infer _Part>
    ? (params: Params.Type<P>) => Planned<Method.ResultOf<R>, Method.ErrorTypes<E>[keyof E]>
    : M[K] extends Notification.Notification<infer P> ? (params: Params.Type<P>) => Planned<void, never>
    : never
}
