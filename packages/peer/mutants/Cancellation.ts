import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/Cancellation.ts",
  test: "packages/peer/test/Calls.test.ts",
  mutants: [
    {
      name: "every-method-can-be-cancelled",
      promise: 8,
      find: ` || cancellation.except.includes(call.method)`,
      replace: ``
    }
  ]
} satisfies Mutants
