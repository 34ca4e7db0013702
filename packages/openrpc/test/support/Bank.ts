/** A contract with something of everything. */
import { Contract, ContractPair, Method, Notification, Subscription } from "@parley/contract"
import { Dialect } from "@parley/protocol"
import { Schema } from "effect"

export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.String }) {}

export class Locked extends Schema.TaggedError<Locked>()("Locked", {}) {}

export const Account = Schema.Struct({
  id: Schema.String,
  balance: Schema.Int,
  owner: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Account", description: "Money, and whose it is" })

interface Tree {
  readonly value: number
  readonly children: ReadonlyArray<Tree>
}

const Tree: Schema.Codec<Tree> = Schema.Struct({
  value: Schema.Finite,
  children: Schema.Array(Schema.suspend(() => Tree))
}).annotate({ identifier: "Tree" })

class Person extends Schema.Class<Person>("Person")({
  name: Schema.String,
  age: Schema.optional(Schema.Int)
}) {}

export class Bank extends Contract.make("Bank", {
  open: Method.make({
    summary: "Opens an account",
    description: "Not */ the end.\nAnother line.",
    params: {
      owner: Schema.String.annotateKey({ description: "Whose it will be" }),
      limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
    },
    result: Account.annotateKey({ title: "account", description: "The new one" }),
    errors: {
      404: Method.error(NotFound, "no such owner"),
      [-32010]: Locked,
      7: Method.error(Schema.Struct({ why: Schema.String }), "why")
    },
    deadline: "5 seconds",
    idempotent: true,
    order: "concurrent",
    examples: [{
      name: "Ann",
      summary: "without a limit",
      params: { owner: "Ann" },
      result: { id: "1", balance: 0 }
    }]
  }),
  transfer: Method.make({
    deprecated: true,
    params: [
      Schema.String.annotate({ title: "from" }),
      Schema.String.annotateKey({ title: "to" }),
      Schema.optionalKey(Schema.Int)
    ],
    examples: [{ name: "all of it", params: ["1", "2"], result: undefined }]
  }),
  totals: Method.make({
    params: Schema.Record(Schema.String, Schema.Int),
    result: Schema.Struct({}),
    examples: [{ name: "two", params: { a: 1, b: 2 }, result: {} }]
  }),
  register: Method.make({ params: Person, result: Tree, deadline: "Infinity" }),
  search: Method.make({ params: { text: Schema.String }, result: Schema.Int, partial: Schema.Array(Account) }),
  pair: Method.make({
    params: { a: Schema.Date, b: Schema.Null },
    paramStructure: "by-position",
    result: Schema.Void
  }),
  changed: Notification.make({ summary: "An account has changed", params: { account: Account } }),
  class: Notification.make(),
  watch: Subscription.make({ params: { id: Schema.String }, item: Account, errors: { 404: NotFound } }),
  heads: Subscription.make({
    params: [Schema.Literal("newHeads")],
    item: Schema.Json,
    carrier: Subscription.notifications(Dialect.ethereum.subscriptions),
    order: "concurrent"
  })
}) {}

/** Both sides know `ping`, and mean something else. */
export const Editor = ContractPair.make({
  client: Contract.make("EditorClient", {
    ask: Method.make({ params: { text: Schema.String }, result: Schema.Boolean }),
    ping: Method.make({ result: Schema.String })
  }),
  server: Contract.make("EditorServer", {
    ping: Method.make({ params: { times: Schema.Int } }),
    save: Method.make({ result: Account })
  }),
  dialect: Dialect.lsp
})
