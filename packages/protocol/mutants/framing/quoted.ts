import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/quoted.ts",
  test: "packages/protocol/test/framing/Framing.concatenated.test.ts",
  mutants: [
    {
      name: "escaped-quote-ends-a-string-of-several-chunks",
      promise: 4,
      find: "(until - slashes) % 2 === 0",
      replace: "until >= 0"
    }
  ]
} satisfies Mutants
