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
    },
    {
      name: "infinity-is-cancelled",
      promise: 14,
      test: "packages/peer/test/regression/numbers.test.ts",
      find: `Number.isFinite(id)`,
      replace: `typeof id === "number"`
    }
  ]
} satisfies Mutants
