import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/codec/places.ts",
  test: "packages/contract/test/codec/Digits.test.ts",
  mutants: [
    {
      name: "schemas-of-a-place-double-with-each-level",
      promise: 2,
      title: "has as many Schemas at each level",
      find: `[...new Set(places)]`,
      replace: `places`
    }
  ]
} satisfies Mutants
