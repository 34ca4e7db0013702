/** A contract with a subscription, and the texts of its items. */
import * as Contract from "@parley/contract/Contract"
import * as Subscription from "@parley/contract/Subscription"
import * as Schema from "effect/Schema"
import { small } from "../../Subject.ts"

export const Ticker = Contract.make("Ticker", {
  ticks: Subscription.make({
    item: Schema.Struct({ key: Schema.String, n: Schema.Finite }),
    carrier: Subscription.notifications({ notification: "tick", close: "close" })
  })
})

/** The id of a subscription, by its number. */
export const idOf = (subscription: number): string => `0x${subscription.toString(16)}`

export const item = (subscription: number, n: number): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "tick",
    params: { subscription: idOf(subscription), result: { key: small.key, n } }
  })
