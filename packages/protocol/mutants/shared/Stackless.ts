import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Errors without a stack. */
export default {
  file: "packages/protocol/src/shared/Stackless.ts",
  test: "packages/protocol/test/Message.test.ts",
  mutants: [
    {
      name: "a-bad-message-costs-a-stack",
      promise: 14,
      find: `setLimit(0) try {`,
      replace: `try {`
    },
    {
      name: "after-a-bad-message-no-error-has-a-stack",
      promise: 14,
      find: `return run() } finally { setLimit(limit) }`,
      replace: `return run() } finally { void limit }`
    }
  ]
} satisfies Mutants
