import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/server/method.ts",
  test: "packages/contract/test/codec/Errors.test.ts",
  mutants: [
    {
      name: "errors-without-a-contract-are-told",
      promise: 15,
      find: `Responses.internalError(error))`,
      replace: `Responses.make(-32603, String(error)))`
    }
  ]
} satisfies Mutants
