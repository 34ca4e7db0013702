import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** What is wrong with a text. */
export default {
  file: "packages/protocol/src/internal/malformed.ts",
  test: "packages/protocol/test/Message.test.ts",
  mutants: [
    {
      name: "a-response-that-nests-too-deep-fails-no-call",
      promise: 10,
      test: "packages/peer/test/regression/sizes.test.ts",
      find: `new InvalidResponse({ id: named ?? null, rule })`,
      replace: `new InvalidResponse({ id: null, rule })`
    }
  ]
} satisfies Mutants
