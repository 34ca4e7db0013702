import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Reader.ts",
  test: "packages/peer/test/regression/inbox.test.ts",
  mutants: [
    {
      name: "the-end-is-not-heard-behind-a-full-inbox",
      promise: 19,
      find: `        readAhead()\n`,
      replace: ``
    }
  ]
} satisfies Mutants
