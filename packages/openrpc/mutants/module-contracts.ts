import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/module/contracts.ts",
  test: "packages/openrpc/test/generated/values.test.ts",
  mutants: [
    {
      name: "a-large-contract-is-one-type",
      promise: 1,
      find: `return length > longest ?`,
      replace: `return length > 1e9 * longest ?`,
      title: "compiles, with declarations that the compiler can write"
    }
  ]
} satisfies Mutants
