import { assert, describe, it } from "@effect/vitest"
import { Contract, type Method } from "@parley/contract"
import type { Params } from "@parley/contract/shared"
import { OpenRpc } from "@parley/openrpc"
import { Arbitrary, Effect, Schema } from "effect"
import * as Bank from "./support/Bank.ts"
import * as Contracts from "./support/Contracts.ts"
import * as MetaSchema from "./support/MetaSchema.ts"
import * as Modules from "./support/Modules.ts"
import * as Plans from "./support/Plans.ts"
import * as Samples from "./support/Samples.ts"

type AnyMethod = Method.Method<Params.Params, Params.Codec | undefined, Method.Errors>

const isMethod = (member: Contract.Member): member is AnyMethod => member._tag === "Method"

/** The contract of a plan, with values as examples where it wants some. */
const contractOf = (plan: Plans.ContractPlan): Effect.Effect<Contract.Any> =>
  Effect.gen(function*() {
    const contract = Contracts.build(plan)
    const wanted = new Map(plan.members.map(({ examples, name }) => [name, examples]))
    const members = yield* Effect.forEach(Object.entries(contract.members), ([name, member]) =>
      isMethod(member) && wanted.get(name as never) === true
        ? Effect.map(Samples.withExample(member, name), (member) =>
          [name, member] as const)
        : Effect.succeed([name, member] as const))
    return Contract.make(contract.identifier, Object.fromEntries(members))
  })

/** The slow tests try four times as many. */
const share = process.env["SLOW"] === "1" ? 1 : 1 / 4

const check = <A>(
  arbitrary: Arbitrary.Arbitrary<A>,
  runs: number,
  property: (value: A) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function*() {
    const result = yield* Arbitrary.checkEffect(
      arbitrary,
      (value) => Effect.as(Effect.catchDefect(property(value), Effect.fail), true),
      // Large enough for contracts that have something of everything.
      { runs: Math.ceil(runs * share), size: 150 }
    )
    assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
  })

const json = (document: OpenRpc.Document): unknown => JSON.parse(JSON.stringify(document))

describe("contract, document, contract", () => {
  const modules = Modules.make("round-trip")

  const roundTrip = (document: OpenRpc.Document) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(MetaSchema.problems(json(document)), [])
      const again = yield* Modules.regenerate(modules, Modules.travel(document))
      assert.deepStrictEqual(json(again.document), json(document))
      const third = yield* Modules.regenerate(modules, Modules.travel(again.document))
      assert.strictEqual(third.text, again.text)
    })

  it.effect("gives the same document and the same module, for contracts of any kind", () =>
    check(Plans.arbitrary, 100, (plan) =>
      Effect.gen(function*() {
        const contract = yield* contractOf(plan)
        yield* roundTrip(OpenRpc.fromContract(contract, { title: "Any", version: "1.2.3" }))
      })))

  it.effect("gives the same document for a contract with something of everything, and for both directions", () =>
    Effect.gen(function*() {
      yield* roundTrip(OpenRpc.fromContract(Bank.Bank))
      yield* roundTrip(OpenRpc.fromPair(Bank.Editor, { title: "An editor", description: "*/" }))
    }))

  it("gives modules that compile in strict mode", () => {
    assert.deepStrictEqual(modules.compile(), [])
  })
})

describe("the JSON Schemas of a document", () => {
  const modules = Modules.make("values")

  it.effect("accept what the contract writes, and so do the Schemas that are made of them", () =>
    check(Plans.arbitrary, 60, (plan) =>
      Effect.gen(function*() {
        const contract = Contracts.build(plan)
        const document = OpenRpc.fromContract(contract)
        const validate = MetaSchema.validators(document)
        for (const path of MetaSchema.schemaPaths(document)) validate(path.replace("/p/", "/"))
        const { found } = yield* Modules.regenerate(modules, Modules.travel(document))
        assert.isTrue("members" in found)
        for (const [index, { name }] of document.methods.entries()) {
          const member = contract.members[name]
          const generated = (found as Contract.Any).members[name]
          if (member === undefined || generated === undefined || !isMethod(member) || !isMethod(generated)) continue
          if (member.result === undefined || generated.result === undefined) continue
          for (const value of yield* Samples.sample(member.result, name)) {
            const encoded = Schema.encodeUnknownSync(Schema.toCodecJson(member.result))(value)
            const judge = validate(`/methods/${index}/result/schema`)
            assert.isTrue(judge(encoded), JSON.stringify([encoded, judge.errors]))
            Schema.decodeUnknownSync(Schema.toCodecJson(generated.result))(encoded)
          }
        }
      })))
})
