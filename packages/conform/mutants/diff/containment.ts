import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/diff/containment",
  test: "packages/conform/test/diff/containment.test.ts",
  mutants: [
    {
      name: "a-value-that-was-built-is-held-against-nothing",
      promise: 1,
      find: `else if (answer !== expected) return none`,
      replace: `else if (answer !== expected) break`,
      title: "gives no value that does not hold"
    },
    {
      name: "nobody-knows-is-a-proof",
      promise: 1,
      find: `if (answer._tag === "Unknown") doubt = answer
  }
  return doubt
}`,
      replace: `if (answer._tag === "Unknown") doubt = none
  }
  return doubt
}`,
      title: "leaves open what it cannot read"
    },
    {
      name: "a-goal-that-leads-to-itself-is-unknown",
      promise: 1,
      find: `this.#reach = Math.min(this.#reach, depth)
      return none`,
      replace: `this.#reach = Math.min(this.#reach, depth)
      return unknown("it leads to itself")`,
      title: "proves that "
    },
    {
      name: "a-new-optional-member-breaks",
      promise: 1,
      find: `if (names.length === 0 || isOpen) return undefined`,
      replace: `if (names.length >= 0 || isOpen) return undefined`,
      title: "takes it that nobody sends members that no schema speaks of"
    },
    {
      name: "fractions-are-rounded-over-their-bound",
      promise: 1,
      find: `const slack = Number.isInteger(step) ? 0 : 1`,
      replace: `const slack = 0`,
      title: "finds "
    },
    {
      name: "dependents-are-not-followed",
      promise: 1,
      find: `if (facts.required.has(key) && !facts.require(keys)) return false`,
      replace: `if (facts.required.has(key) && keys.length > 9) return false`,
      title: "proves that "
    }
  ]
} satisfies Mutants
