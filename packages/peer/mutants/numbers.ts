import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src",
  test: "packages/peer/test/regression/numbers.test.ts",
  mutants: [
    {
      name: "infinite-params-are-run",
      promise: 14,
      find: `const batch = dialect.digits === "relayed" ? read.batch : Batch.finite(read.batch, read.text)`,
      replace: "const { batch } = decoded"
    }
  ]
} satisfies Mutants
