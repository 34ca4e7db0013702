import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client/settle.ts",
  test: "packages/contract/test/Calls.test.ts",
  mutants: [
    {
      name: "results-are-not-read",
      promise: 2,
      title: "fails with InvalidResult when what comes does not fit",
      find: `(_) => Exit.void : resultDecoder(method, result, reading)`,
      replace: `(_) => Exit.void : (json) => Exit.succeed(json)`
    }
  ]
} satisfies Mutants
