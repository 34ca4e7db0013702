import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/number/spelling.ts",
  test: "packages/protocol/test/shared/Relayed.test.ts",
  mutants: [
    {
      name: "a-zero-with-a-sign-loses-it",
      promise: 2,
      title: "has doubles for whoever looks at them",
      find: `if (isZero || at - start - point > sure) return undefined`,
      replace: `if (at - start - point > sure) return undefined`
    }
  ]
} satisfies Mutants
