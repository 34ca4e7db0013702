/**
 * One text out, and the texts that come back for it: the port of wires that
 * answer each text by itself, as HTTP does, and the `Caller` over it.
 *
 * Every call, notification and batch is an exchange of its own. Giving a call up
 * gives its exchange up; nothing else is sent to cancel it unless `cancel` says so.
 * A response belongs to the exchange that it came with: one with the id of another
 * call settles nothing. Only what comes by a stream that belongs to no call may
 * settle any.
 *
 * With a `router` the other side may ask, too: its requests come back in exchanges
 * and streams, and each response is posted by itself. `Share` tells an exchange with
 * few connections which of its texts must not wait behind calls.
 *
 * ```ts run
 * import { Exchange } from "@parley/peer/shared"
 * import { Router } from "@parley/peer"
 * import { Effect, Option } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("ping", () => Effect.succeed("pong"))
 *
 *   // Each text is answered by itself, as by a POST of HTTP.
 *   const exchange: Exchange.Exchange = {
 *     post: (text, take) =>
 *       Effect.flatMap(router.answer(text), (reply) =>
 *         Effect.as(Option.isSome(reply) ? take(reply.value) ?? Effect.void : Effect.void, "answer" as const))
 *   }
 *   const caller = yield* Exchange.makeCaller(exchange)
 *   console.log(yield* caller.request("ping")) // => pong
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Caller } from "../Caller.ts"
import * as PostCaller from "../internal/lanes/PostCaller.ts"
import type { CallerOptions, CallingSide, Exchange } from "../internal/lanes/PostWire.ts"
import { acquired } from "../internal/runtime/Host.ts"

export * from "../internal/lanes/PostWire.ts"

/**
 * Calls over exchanges, until the Scope closes. Each exchange runs with the services of its call.
 *
 * - An error with id null is the answer to every call of its exchange that has none of its own in the same text.
 * - An exchange that ends without a response fails its calls with `InvalidResponse`, or, where it was a stream, with
 *   `Disconnected`.
 * - A notification returns when its exchange has ended, and what came back is not looked at.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeCaller = (
  exchange: Exchange,
  options: CallerOptions = {}
): Effect.Effect<Caller, never, Scope.Scope> => Effect.map(make(exchange, options), ({ caller }) => caller)

/**
 * Calls over exchanges beside streams that belong to no call, until the Scope closes. Closing it interrupts handlers,
 * and waits for them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (exchange: Exchange, options: CallerOptions = {}): Effect.Effect<CallingSide, never, Scope.Scope> =>
  acquired((context) => PostCaller.start(exchange, options, context), ({ close }) => close)
