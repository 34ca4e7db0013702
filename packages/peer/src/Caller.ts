/**
 * The calling port: what contracts, middleware and clients use.
 *
 * A `Peer` implements it over one transport; other implementations may post
 * each call by itself, or outlive several connections.
 *
 * ```ts run
 * import { type Caller, Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Result } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const router = yield* Router.make()
 *   yield* router.add("double", ({ params }) => Effect.succeed(Array.isArray(params) ? Number(params[0]) * 2 : null))
 *   yield* Peer.make(far, { router })
 *   const caller: Caller.Caller = yield* Peer.make(near)
 *
 *   console.log(yield* caller.request("double", [21], { timeout: "5 seconds" })) // => 42
 *   const both = yield* caller.batch([{ method: "double", params: [1] }, { method: "double", params: [2] }])
 *   console.log(both.map((each) => each && Result.getOrThrow(each))) // => [ 2, 4 ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import { type Pipeable, Prototype } from "effect/Pipeable"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { CallError, Disconnected, NotifyError } from "./internal/CallerError.ts"

export {
  type Called,
  type CallError,
  describe,
  Disconnected,
  DisconnectReason,
  fromObject,
  HttpStatusError,
  InvalidArguments,
  InvalidResponse,
  isShutDown,
  nameOf,
  type NotifyError,
  ofCall,
  Overloaded,
  type Refusal,
  RemoteError,
  RequestTimeout
} from "./internal/CallerError.ts"

/**
 * The options of one call.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions {
  /** How long to wait for the response, instead of the caller's default. `Duration.infinity` waits for ever. */
  readonly timeout?: Duration.Input | undefined
  /**
   * Runs when the time is over, and gives the milliseconds that the call may go on, such as after progress; 0 or less ends
   * it. Keep it short.
   */
  readonly extend?: (() => number) | undefined
  /** Takes the id of the request before it is written, for messages that name the request. Keep it short. */
  readonly onId?: ((id: string | number) => void) | undefined
  /**
   * Asks the peer for progress, and takes the params of each progress notification of this call, in the order of
   * the wire and before the response. It runs in the receive loop: keep it short.
   */
  readonly onProgress?: ((params: Schema.Json) => void) | undefined
  /**
   * Asks the peer for partial results, where the dialect has them and `params` is no array, and takes the value of
   * each, in the order of the wire and before the response. It runs in the receive loop: keep it short.
   */
  readonly onPartialResult?: ((value: Schema.Json) => void) | undefined
  /** Members of the message beside those that the specification names, such as a trace context. */
  readonly extra?: Schema.JsonObject | undefined
  /**
   * Keeps the call on the connection of the moment: where that shuts down and has not started it, the call fails with
   * `Disconnected`, and a `Reconnecting` caller does not move it. For calls whose notifications a listener hears.
   */
  readonly pinned?: boolean | undefined
  /** Whether making the call twice has the same effect as making it once, so that a retry may send it again. */
  readonly idempotent?: boolean | undefined
  /**
   * Keeps the digits of numbers in the result, in partial results and in the data of an error: a number that JavaScript
   * would write otherwise is an `ExactNumber`. Its text is parsed twice for that.
   */
  readonly exact?: boolean | undefined
  /**
   * Keeps the text of the result for whoever passes it on: an object or array that is a member of the result is written
   * with the text that it came in, where it becomes a member of a result of ours. It must not be changed. A response in
   * which an object has two members of one name fails the call with `InvalidResponse`. `exact` excludes it.
   */
  readonly keepText?: boolean | undefined
}

/**
 * Takes the notifications of a method as they are read, before they queue.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotificationListener {
  /**
   * Says whether it takes this one. A notification that nobody takes goes to its handler. It runs in the receive loop:
   * keep it short. A listener that throws counts as having taken it, and our log says so.
   */
  readonly take: (params: Message.Params | undefined) => boolean
  /** Keeps the digits of numbers in the params, as `CallOptions` has it. All listeners of the method are given them. */
  readonly exact?: boolean | undefined
  /** Runs once when nothing more will come, and only while it listens. */
  readonly end: (error: Disconnected) => void
  /**
   * Runs when later calls go by another connection than the one that it listens to, which may bring more until it ends.
   * Only callers that reconnect run it.
   */
  readonly moved?: (() => void) | undefined
}

/**
 * One member of a batch: a request, or a notification.
 *
 * @category models
 * @since 0.1.0
 */
export interface Member {
  /** The name of the method. */
  readonly method: string
  /** The arguments, by name or by position. */
  readonly params?: Message.Params | undefined
  /** Sends this member as a notification: nothing comes back. */
  readonly notification?: boolean | undefined
  /** Keeps the digits of numbers in what comes back, as `CallOptions` has it. */
  readonly exact?: boolean | undefined
  /** Members of the message beside those that the specification names. */
  readonly extra?: Schema.JsonObject | undefined
}

/**
 * Calls methods of the other side.
 *
 * @category services
 * @since 0.1.0
 */
export interface Caller extends Pipeable {
  /** Sends a request and waits for its response. Interruption cancels it on the other side. */
  readonly request: (
    method: string,
    params?: Message.Params | undefined,
    options?: CallOptions | undefined
  ) => Effect.Effect<Schema.Json, CallError>

  /** Sends a notification. Returns when there is room for it to be written. */
  readonly notify: (method: string, params?: Message.Params | undefined) => Effect.Effect<void, NotifyError>

  /**
   * Sends several calls in one text and waits for all of them. The results stand where their members stood;
   * `undefined` stands for a notification.
   */
  readonly batch: (
    members: ReadonlyArray<Member>,
    options?: Pick<CallOptions, "timeout"> | undefined
  ) => Effect.Effect<ReadonlyArray<Result.Result<Schema.Json, CallError> | undefined>, NotifyError>

  /**
   * Listens to the notifications of a method until the Scope closes. A caller over HTTP hears those that come before a
   * response, with it.
   */
  readonly listen: (method: string, listener: NotificationListener) => Effect.Effect<void, Disconnected, Scope.Scope>

  /**
   * Stops the reading, and gives a function that lets it go on. A consumer pauses when it can take no more items of its
   * call. A pause does not stop the reading while a call waits that takes no partial results, because its response lies
   * behind. No text is dropped: texts that were read are handed on when every pause has ended, or at the latest when
   * the connection has drained.
   */
  readonly pause: () => () => void
}

/**
 * A caller of these functions, which can be piped through middleware: `caller.pipe(Retry.caller({ schedule }))`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (members: Omit<Caller, "pipe">): Caller => ({ ...members, pipe: Prototype.pipe })

/** The service of a `Caller`. @category services @since 0.1.0 */
export const Caller: Context.Service<Caller, Caller> = Context.Service("@parley/peer/Caller")
