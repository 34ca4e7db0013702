import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import * as Quota from "@parley/mcp/http/Quota"
import { Arbitrary, Schema } from "effect"
import { type Kind, Parties, type Party } from "../../../src/internal/http/quota/Parties.ts"

const kinds: ReadonlyArray<Kind> = ["sessions", "streams", "calls", "arriving"]
const names = ["ann", "bob", ""]
const quota: Quota.Quota = { sessions: 3, streams: 2, calls: 5 }

const below = (end: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: end - 1 })))

/** One takes some of a kind, or one of those that were taken is given back. */
const step = Arbitrary.all([below(2), below(names.length), below(kinds.length), below(3), below(100)])

const sumOf = (taken: ReadonlyArray<Taken>, name: string, kind: Kind) =>
  taken.reduce((sum, other) => other.name === name && other.kind === kind ? sum + other.many : sum, 0)

interface Taken {
  readonly name: string
  readonly kind: Kind
  readonly many: number
  readonly party: Party
}

describe("the parties of a quota", () => {
  it.prop(
    "have what they took and did not give back, never more than their quota, and are forgotten without anything",
    [Generators.sequence(step, 60)],
    ([steps]) => {
      const parties = new Parties(quota)
      const taken: Array<Taken> = []
      const give = (at: number) => {
        for (const { kind, many, party } of taken.splice(at, 1)) party.give(kind, many)
      }
      for (const [gives, whose, which, more, chosen] of steps) {
        const [name = "", kind = "calls", many] = [names[whose], kinds[which], more + 1]
        if (gives === 1) {
          give(chosen % Math.max(1, taken.length))
        } else {
          const party = parties.take(name, kind, many)
          assert.strictEqual(party !== undefined, sumOf(taken, name, kind) + many <= parties.quota[kind])
          if (party !== undefined) taken.push({ name, kind, many, party })
        }
        for (const name of names) {
          const party = parties.get(name)
          for (const kind of kinds) assert.strictEqual(party?.[kind] ?? 0, sumOf(taken, name, kind))
        }
        assert.strictEqual(parties.size, new Set(taken.map(({ name }) => name)).size)
      }
      while (taken.length > 0) give(0)
      assert.strictEqual(parties.size, 0)
    }
  )
})

describe("the quotas of an endpoint", () => {
  it("have defaults for principals and addresses, and none for this machine", () => {
    const { address, loopback, principal } = Quota.make()
    assert.deepStrictEqual([principal, address, loopback], [Quota.defaults, Quota.defaults, Quota.unlimited])
    assert.deepStrictEqual(Quota.make(false), Quota.make({ principal: false, address: false }))
    assert.deepStrictEqual(Quota.make({ principal: false }).principal, Quota.unlimited)
    assert.deepStrictEqual(Quota.make({ principal: false }).address, Quota.defaults)
    assert.deepStrictEqual(Quota.make({ address: { calls: 9 } }).address, { ...Quota.defaults, calls: 9 })
    assert.deepStrictEqual(Quota.make({ loopback: { calls: 9 } }).loopback, { ...Quota.unlimited, calls: 9 })
  })

  it("are whole numbers, or none", () => {
    for (const calls of [0, -1, 1.5, NaN, -Infinity]) {
      assert.throws(
        () => Quota.make({ address: { calls } }),
        `\`quotas.address.calls\` is ${calls}, but must be a whole number of at least 1, or Infinity`
      )
    }
  })
})
