import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/codec/mapped.ts",
  test: "packages/contract/test/subscription/Publishing.test.ts",
  mutants: [
    {
      name: "what-does-not-fit-takes-the-rest-along",
      promise: 11,
      title: "fails after its items, as its contract says",
      find: `mapped.length === 0 && broken !== undefined`,
      replace: `broken !== undefined`
    }
  ]
} satisfies Mutants
