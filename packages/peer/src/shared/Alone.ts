/**
 * Answers texts of which each stands alone, as a post of HTTP may: by the serving half of a conversation, without a session.
 * The answer says what its text says, so that a host need not read it again to know the error.
 *
 * ```ts run
 * import { Alone } from "@parley/peer/shared"
 * import { ErrorResponse, type Handler } from "@parley/peer"
 * import { Dialect, Limits } from "@parley/protocol"
 * import { Effect } from "effect"
 *
 * const refuse: Handler.Handler = () => Effect.fail(ErrorResponse.make(1, "Refused"))
 * const router: Handler.Lookup = { handlerOf: () => refuse, isConcurrent: () => false }
 * const rules = { router, dialect: Dialect.jsonRpc, limits: Limits.defaults }
 *
 * const { error, text } = await Effect.runPromise(Alone.answer(`{"jsonrpc":"2.0","id":1,"method":"work"}`, rules))
 * console.log(error?.code) // => 1
 * console.log(text) // => {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"Refused"}}
 * ```
 *
 * @since 0.1.0
 */
export { type AloneOptions, answer } from "../internal/lanes/Alone.ts"
export { type Answer, type Send } from "../internal/lanes/HostLane.ts"
