/** Contracts of our own beside the same with one change: whom it breaks, and which value shows that. */
import { assert, describe, it } from "@effect/vitest"
import { Contract, ContractPair, Method, Notification, Subscription } from "@parley/contract"
import type { Params } from "@parley/contract/shared"
import { McpToolkit } from "@parley/mcp"
import { OpenRpc } from "@parley/openrpc"
import { Dialect } from "@parley/protocol"
import { Result, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { ContractDiff, Lock } from "../../src/index.ts"
import * as Judge from "./Judge.ts"

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))

const Card = Schema.TaggedStruct("Card", { number: Schema.String.check(Schema.isPattern(/^\d{4}$/u)) })
const Cash = Schema.TaggedStruct("Cash", {})
const Transfer = Schema.TaggedStruct("Transfer", { iban: Schema.NonEmptyString })

interface Branch {
  readonly name: string
  readonly branches: ReadonlyArray<Branch>
}

const branchOf = (name: Schema.Codec<string>): Schema.Codec<Branch> => {
  const Branch: Schema.Codec<Branch> = Schema.Struct({
    name,
    branches: Schema.Array(Schema.suspend((): Schema.Codec<Branch> => Branch))
  }).annotate({ identifier: "Branch" })
  return Branch
}

const Frozen = Schema.Struct({ until: Schema.Int })

const payParams = { account: Schema.String, amount: Amount, by: Schema.Union([Card, Cash]) }
const paid = { left: Schema.Int, state: Schema.Literals(["done", "pending"]) }
const pay = { params: payParams, result: Schema.Struct(paid), errors: { 4001: Frozen } }
const sum = { params: [Schema.Int, Schema.Int], result: Schema.Int } as const
const rate = { rate: Schema.Int }

const bank = (changed: Contract.Members = {}) =>
  Contract.make("Bank", {
    pay: Method.make(pay),
    tree: Method.make({ result: branchOf(Schema.NonEmptyString) }),
    sum: Method.make(sum),
    log: Notification.make({ params: { text: Schema.String } }),
    rates: Subscription.make({ params: { of: Schema.String }, item: Schema.Struct(rate) }),
    ...changed
  })

const confirm = { params: { amount: Amount }, result: Schema.Literals(["yes", "no"]) }

const pair = (changed: Contract.Members = {}) =>
  ContractPair.make({
    client: Contract.make("Teller", { confirm: Method.make(confirm), ...changed }),
    server: bank(),
    dialect: Dialect.lsp
  })

const degrees = {
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.Struct({ degrees: Schema.Finite, sky: Schema.Literals(["clear", "grey"]) })
}

const tools = (options: Partial<typeof degrees> | object = {}) => ({
  tools: McpToolkit.tools(Toolkit.make(Tool.make("degrees", { ...degrees, ...options }))).map(({ info }) => info)
})

type Own = Contract.Any | OpenRpc.AnyPair | ReturnType<typeof tools>

/** A contract as a program reads it, or as others read the document made of it. */
const sideOf = (own: Own, isDocument = false): Judge.Side => {
  const document = "tools" in own ? own : "members" in own ? OpenRpc.fromContract(own) : OpenRpc.fromPair(own)
  const surface = Result.getOrThrow(
    isDocument || "tools" in own
      ? ContractDiff.fromJson(JSON.parse(JSON.stringify(document)))
      : ContractDiff.fromContract(own)
  )
  return { surface, judge: Judge.make(surface) }
}

/** The changes in short, whose witnesses have been held against both. */
const changes = (before: Judge.Side, after: Judge.Side): ReadonlyArray<string> => {
  const { changes } = ContractDiff.compare(before.surface, after.surface)
  Judge.holdWitnesses(before, after, changes)
  return changes.map(({ direction, operation, place, rule, verdict }) =>
    `${verdict} ${rule.replace("diff/", "")}: ${direction} ${place === "" ? operation : place}`
  )
}

const params = (changed: Params.Params) => bank({ pay: Method.make({ ...pay, params: { ...payParams, ...changed } }) })

/** A change, the contract before and after it, and what is found in this order and in the other. */
type Row = readonly [
  change: string,
  before: Own,
  after: Own,
  there: ReadonlyArray<string>,
  back: ReadonlyArray<string>
]

const rows: ReadonlyArray<Row> = [
  [
    "a new param",
    bank(),
    params({ note: Schema.String }),
    ["breaking param-required: sends params.note"],
    ["breaking param-removed: sends params.note"]
  ],
  [
    "a new param that may be left out",
    bank(),
    params({ note: Schema.optionalKey(Schema.String) }),
    ["compatible param-added: sends params.note"],
    ["breaking param-removed: sends params.note"]
  ],
  [
    "a param without bounds",
    bank(),
    params({ amount: Schema.Int }),
    ["compatible param-widened: sends params.amount"],
    ["breaking param-narrowed: sends params.amount"]
  ],
  [
    "a param with a member more in its union",
    bank(),
    params({ by: Schema.Union([Card, Cash, Transfer]) }),
    ["compatible param-widened: sends params.by"],
    ["breaking param-narrowed: sends params.by"]
  ],
  [
    "a value more in a result",
    bank(),
    bank({
      pay: Method.make({
        ...pay,
        result: Schema.Struct({ ...paid, state: Schema.Literals(["done", "pending", "lost"]) })
      })
    }),
    ["breaking value-added: gets result.state"],
    ["compatible value-removed: gets result.state"]
  ],
  [
    "a member more in a result",
    bank(),
    bank({ pay: Method.make({ ...pay, result: Schema.Struct({ ...paid, fee: Schema.Int }) }) }),
    ["compatible result-added: gets result.fee"],
    ["breaking result-removed: gets result.fee"]
  ],
  [
    "an error more",
    bank(),
    bank({ pay: Method.make({ ...pay, errors: { 4001: Frozen, 4002: Frozen } }) }),
    ["breaking error-added: gets errors.4002"],
    ["compatible error-removed: gets errors.4002"]
  ],
  [
    "a position with more values",
    bank(),
    bank({ sum: Method.make({ ...sum, params: [Schema.Int, Schema.Finite] }) }),
    ["compatible param-widened: sends params"],
    ["breaking param-narrowed: sends params"]
  ],
  [
    "a notification as a request",
    bank(),
    bank({ log: Method.make({ params: { text: Schema.String } }) }),
    ["breaking kind: sends method log"],
    ["breaking kind: sends method log"]
  ],
  [
    "items with more values",
    bank(),
    bank({ rates: Subscription.make({ params: { of: Schema.String }, item: Schema.Struct({ rate: Schema.Finite }) }) }),
    ["breaking result-widened: gets result[].rate", "breaking result-widened: gets items.rate"],
    ["compatible result-narrowed: gets result[].rate", "compatible result-narrowed: gets items.rate"]
  ],
  [
    "a method more",
    bank(),
    bank({ more: Method.make() }),
    ["compatible method-added: sends method more"],
    ["breaking method-removed: sends method more"]
  ],
  [
    "a param of a client's method without bounds",
    pair(),
    pair({ confirm: Method.make({ ...confirm, params: { amount: Schema.Int } }) }),
    ["breaking param-widened: gets params.amount"],
    ["compatible param-narrowed: gets params.amount"]
  ],
  [
    "a value more in what clients answer",
    pair(),
    pair({ confirm: Method.make({ ...confirm, result: Schema.Literals(["yes", "no", "later"]) }) }),
    ["compatible value-added: sends result"],
    ["breaking value-removed: sends result"]
  ],
  [
    "a method more of clients",
    pair(),
    pair({ ask: Method.make() }),
    ["breaking method-added: gets method ask (server to client)"],
    ["compatible method-removed: gets method ask (server to client)"]
  ],
  [
    "an argument of a tool with fewer values",
    tools(),
    tools({ parameters: Schema.Struct({ city: Schema.NonEmptyString }) }),
    ["breaking param-narrowed: sends params.city"],
    ["compatible param-widened: sends params.city"]
  ],
  [
    "a member less in what a tool gives",
    tools(),
    tools({ success: Schema.Struct({ degrees: Schema.Finite }) }),
    ["breaking result-removed: gets result.sky"],
    ["compatible result-added: gets result.sky"]
  ],
  [
    "a tool that gives nothing",
    tools(),
    tools({ success: Schema.Void }),
    ["breaking result-widened: gets result"],
    ["compatible result-narrowed: gets result"]
  ]
]

describe("diff of our own contracts", () => {
  for (const [change, before, after, there, back] of rows) {
    it(`finds ${change}, with a witness where it breaks`, () => {
      const [old, now] = [sideOf(before), sideOf(after)]
      assert.deepStrictEqual(changes(old, now), there)
      assert.deepStrictEqual(changes(now, old), back)
    })
  }

  it("finds that a name far down may be other, at the place where it is said", () => {
    const after = bank({ tree: Method.make({ result: branchOf(Schema.String) }) })
    const [first] = changes(sideOf(bank()), sideOf(after))
    assert.strictEqual(first, "breaking result-widened: gets result.name")
  })

  it("finds nothing between a contract, itself, its document and its lock", () => {
    for (const own of [bank(), pair(), tools()]) {
      const [side, same, document] = [sideOf(own), sideOf(own), sideOf(own, true)]
      const lock = Result.getOrThrow(ContractDiff.fromJson(JSON.parse(Lock.toText(side.surface))))
      for (const other of [same, document, { surface: lock, judge: Judge.make(lock) }]) {
        assert.deepStrictEqual(changes(side, other), [])
        assert.deepStrictEqual(changes(other, side), [])
        assert.strictEqual(Lock.toText(other.surface), Lock.toText(side.surface))
      }
    }
  })
})
