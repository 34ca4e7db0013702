/**
 * A notification of a contract: a message without a response.
 *
 * ```ts run
 * import { Contract, Notification } from "@parley/contract"
 * import { Peer } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Schema } from "effect"
 *
 * const Log = Contract.make("Log", { write: Notification.make({ params: { line: Schema.String } }) })
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Log.client(yield* Peer.make(near)).write({ line: "begun" })
 *   console.log(yield* far.receive)
 *   // => [ '{"jsonrpc":"2.0","method":"write","params":{"line":"begun"}}' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { Marked } from "./internal/Member.ts"
import type { Documentation } from "./Method.ts"
import type * as Params from "./shared/Params.ts"

/**
 * The parts of a notification.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotificationOptions<P extends Params.Params, Back extends boolean = boolean> extends Documentation {
  /** The name on the wire: that of the member, by default. Members that share one are told apart by their params. */
  readonly method?: string | undefined
  /** The params: fields, a tuple, or a Schema. Without it, the member has none. */
  readonly params?: P & Params.Valid<P>
  /** How params may stand on the wire: `either` for fields, by default. */
  readonly paramStructure?: Params.ParamStructure | undefined
  /** Whether handlers call the other side back, as for a method. */
  readonly callsBack?: Back | undefined
}

/**
 * A notification and its params.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notification<out P extends Params.Params> extends Documentation {
  readonly _tag: "Notification"
  /** The name on the wire, where it is not that of the member. */
  readonly method: string | undefined
  /** The params: fields, a tuple, or a Schema; `undefined` where there are none. */
  readonly params: P
  /** How params may stand on the wire, where that is not the default. */
  readonly paramStructure: Params.ParamStructure | undefined
  /** Whether handlers call the other side back. */
  readonly callsBack: boolean
}

/**
 * A notification.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const P extends Params.Params = undefined, const Back extends boolean = false>(
  options: NotificationOptions<P, Back> = {}
): Notification<P> & Marked<Back> => ({
  _tag: "Notification",
  method: options.method,
  summary: options.summary,
  description: options.description,
  deprecated: options.deprecated,
  // An option that is left out is `undefined`, and so is its type.
  params: options.params as P,
  paramStructure: options.paramStructure,
  // Its mark has the type of the option.
  callsBack: options.callsBack ?? false
} satisfies Notification<P> as Notification<P> & Marked<Back>)
