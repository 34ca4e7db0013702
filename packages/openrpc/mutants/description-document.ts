import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/description/document.ts",
  test: "packages/openrpc/test/OpenRpc.test.ts",
  mutants: [
    {
      name: "openrpc-one-thing-is-said-in-many-ways",
      promise: 2,
      find: `Result.isSuccess(document) ? write(document.success) : written`,
      replace: `written`,
      title: "says one thing in one way"
    }
  ]
} satisfies Mutants
