import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/number/exact.ts",
  test: "packages/protocol/test/shared/ExactNumber.test.ts",
  mutants: [
    {
      name: "a-name-of-one-escape-is-left-to-the-engine",
      promise: 2,
      test: "packages/protocol/test/codec.test.ts",
      title: "promise 2: the name",
      find: "? parse(text, Number) : value",
      replace: "? value : value"
    },
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
