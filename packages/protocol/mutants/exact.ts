import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/number/exact.ts",
  test: "packages/protocol/test/shared/ExactNumber.test.ts",
  mutants: [
    {
      name: "digits-are-rounded",
      promise: 2,
      title: "is parsed and written digit for digit",
      find: `String(value) === source ? value : keep(copied(source))`,
      replace: `value`
    },
    {
      name: "an-exact-member-changes-the-prototype",
      promise: 2,
      title: "is parsed and written digit for digit",
      find: `if (key === "__proto__")`,
      replace: `if (key === "")`
    }
  ]
} satisfies Mutants
