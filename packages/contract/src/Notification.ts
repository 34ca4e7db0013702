/**
 * A notification of a contract: a message without a response.
 *
 * @since 0.1.0
 */
import type { Documentation } from "./Method.ts"
import type * as Params from "./Params.ts"

/**
 * What `make` takes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<P extends Params.Params> extends Documentation {
  /** The name on the wire: that of the member, by default. Members that share one are told apart by their params. */
  readonly method?: string | undefined
  readonly params?: P & Params.Valid<P>
  /** How params may stand on the wire: `either` for fields, by default. */
  readonly paramStructure?: Params.ParamStructure | undefined
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
  readonly params: P
  readonly paramStructure: Params.ParamStructure | undefined
}

/**
 * A notification.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const P extends Params.Params = undefined>(options: Options<P> = {}): Notification<P> => ({
  _tag: "Notification",
  method: options.method,
  summary: options.summary,
  description: options.description,
  deprecated: options.deprecated,
  // An option that is left out is `undefined`, and so is its type.
  params: options.params as P,
  paramStructure: options.paramStructure
})
