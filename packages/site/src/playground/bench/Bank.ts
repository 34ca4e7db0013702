/** The contracts of the two sides of the playground: the bank serves its customer, and the customer the bank. */
import * as Contract from "@parley/contract/Contract"
import * as Method from "@parley/contract/Method"
import * as Subscription from "@parley/contract/Subscription"
import * as Schema from "effect/Schema"

export class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {
  override get message(): string {
    return `there are only ${this.balance}`
  }
}

export class Declined extends Schema.TaggedError<Declined>()("Declined", {}) {
  override get message(): string {
    return "the customer has not agreed"
  }
}

const Amount = { amount: Schema.Finite }

export const Entry = Schema.Struct({ number: Schema.Int, amount: Schema.Finite })

export class Bank extends Contract.make("Bank", {
  deposit: Method.make({ params: Amount, result: Schema.Finite }),
  /** Asks the customer back beyond 100. */
  withdraw: Method.make({ params: Amount, result: Schema.Finite, errors: { 1001: Insufficient, 1002: Declined } }),
  /** Takes half a second per year, and reports progress. */
  audit: Method.make({ params: { years: Schema.Int }, result: Schema.String }),
  /** So many entries, as fast as the line takes them. It reports progress at each fifth. */
  statement: Subscription.make({ params: { entries: Schema.Int }, item: Entry })
}) {}

export class Customer extends Contract.make("Customer", {
  confirm: Method.make({ params: Amount, result: Schema.Boolean })
}) {}
