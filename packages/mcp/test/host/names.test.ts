import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as names from "../../src/internal/host/names.ts"

/** Names that are short, long, foreign, and those that others would get a number with. */
const wanted = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.schema(
      Schema.Literals([
        "a",
        "a_2",
        "__proto__",
        "",
        "\u{4E2D}",
        "_",
        ...["", "b", "bc"].map((end) => "x".repeat(62) + end)
      ])
    ),
    Arbitrary.schema(Schema.Literals(["", "", "y", "_3", "\u{6587}"]))
  ]),
  ([start, end]) => start + end
)

/** The same by trying each number. */
const tried = (plain: string, taken: ReadonlySet<string>): string => {
  let name = plain
  for (let number = 2; taken.has(name); number++) name = plain.slice(0, 63 - String(number).length) + `_${number}`
  return name
}

describe("the names of tools for models", () => {
  it.prop(
    "are taken by models, differ, and have the lowest number that is free",
    { all: Arbitrary.array(wanted, { maxLength: 60 }) },
    ({ all }) => {
      const nameOf = names.make()
      const taken = new Set<string>()
      for (const wanted of all) {
        const name = nameOf(wanted)
        assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
        assert.notStrictEqual(name, "__proto__")
        const plain = wanted.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_"
        assert.strictEqual(name, tried(plain === "__proto__" ? "_proto__" : plain, taken))
        taken.add(name)
      }
    }
  )

  it("are found at once, though all are one name, or end alike before their number", (context) => {
    const looks = { count: 0 }
    const { has } = Set.prototype
    context.onTestFinished(() => void (Set.prototype.has = has))
    Set.prototype.has = function(value) {
      looks.count++
      return has.call(this, value)
    }
    const same = Array.from({ length: 4_000 }, () => "\u{4E2D}\u{6587}")
    const alike = Array.from({ length: 4_000 }, (_, index) => "x".repeat(59) + (10_000 + index % 2_000))
    for (const all of [same, alike]) {
      looks.count = 0
      assert.strictEqual(new Set(all.map(names.make())).size, all.length)
      assert.isBelow(looks.count, 5 * all.length)
    }
  })
})
