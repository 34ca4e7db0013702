/** The methods that the page calls on a server, and on its own worker. */
import * as Contract from "@parley/contract/Contract"
import * as Method from "@parley/contract/Method"
import * as Subscription from "@parley/contract/Subscription"
import * as Dialect from "@parley/protocol/Dialect"
import * as Schema from "effect/Schema"

export const Desk = Contract.make("Desk", {
  add: Method.make({ params: { left: Schema.Finite, right: Schema.Finite }, result: Schema.Finite }),
  /** Takes as long as the caller lets it. */
  ponder: Method.make({ result: Schema.String }),
  /** Numbers from 1 on, as long as the subscription lasts. */
  count: Subscription.make({ item: Schema.Int })
})

/** Cancellation and partial results as language servers have them. */
export const dialect = Dialect.lsp
